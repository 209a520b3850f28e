"""The generated sections of the manual about measurements, made from benchmarks/results alone."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks import results
from benchmarks.results import Outcome, Row
from benchmarks.setting import PICTURES
from benchmarks.works import TABLE


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


def algorithms() -> str:
    """Loss and CPU seconds of every algorithm at every k, and how its time grows, in one table."""
    path = results.RESULTS / "algorithms.json"
    if not path.exists():
        return "Not measured yet: `python -m benchmarks.run algorithms` does it."
    outcome = results.load(path)
    by_k = {(str(row.at["algorithm"]), int(row.at["k"])): row.got for row in outcome.rows if "k" in row.at}
    growth = {str(row.at["algorithm"]): row for row in outcome.rows if "exponent" in row.got}
    ks = sorted({k for _, k in by_k})
    table = results.table(
        ("algorithm", *(f"k = {k}" for k in ks), "time grows as", "by its page"),
        (
            (name, *(_loss_and_seconds(by_k.get((name, k))) for k in ks), *_growth(growth.get(name)))
            for name in dict.fromkeys(name for name, _ in by_k)
        ),
    )
    return f"{table}\n\n`{outcome.command}`, {outcome.made}, on {outcome.machine}."


def _loss_and_seconds(got: Mapping[str, float] | None) -> str:
    return "" if got is None else f"{got['loss']:.4f}, {got['cpu_s']:.2f} s"


def _growth(row: Row | None) -> tuple[str, str]:
    return ("", "") if row is None else (f"n^{row.got['exponent']:.2f}", str(row.at["order"]))
