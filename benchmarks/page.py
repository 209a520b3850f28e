"""The generated sections of docs/performance.md, made from benchmarks/results alone."""

from __future__ import annotations

from pathlib import Path

from benchmarks import results
from benchmarks.results import Outcome
from benchmarks.works import TABLE

PICTURES = Path(__file__).resolve().parent.parent / "docs" / "pictures"


def outcomes() -> list[Outcome]:
    """What has been found, in the order of the works."""
    paths = [results.RESULTS / f"{name}.json" for name in TABLE]
    return [results.load(path) for path in paths if path.exists()]


def targets() -> str:
    """All targets in one table."""
    rows = [
        (f"[{outcome.work}](#{outcome.work})", *results.target_cells(target))
        for outcome in outcomes()
        for target in outcome.targets
    ]
    return results.table(("work", "target", "reach", "got", "holds"), rows)


def measurements() -> str:
    """Every work with its picture, its notes and its numbers."""
    found = outcomes()
    missing = [f"`{name}`" for name in TABLE if name not in {outcome.work for outcome in found}]
    pages = ["\n\n".join(_pieces(outcome)) for outcome in found]
    if missing:
        pages.append(f"## Not measured yet\n\n{', '.join(missing)}")
    return "\n\n".join(pages)


def _pieces(outcome: Outcome) -> list[str]:
    pieces = [f"## {outcome.work}", outcome.title]
    picture = PICTURES / f"bench-{outcome.work}.svg"
    if picture.exists():
        pieces.append(f"![{outcome.work}](pictures/{picture.name})")
    pieces += results.notes_of(outcome)
    pieces.append(results.rows_table(outcome.rows))
    pieces.append(f"`{outcome.command}`, {outcome.made}, on {outcome.machine}.")
    return pieces
