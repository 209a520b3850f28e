"""What a benchmark finds, as JSON and as Markdown."""

from __future__ import annotations

import datetime
import json
import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

HOME = Path(__file__).resolve().parent
RESULTS = HOME / "results"

UNIT_OF = {
    "seconds": "given CPU s",
    "cpu_s": "CPU s",
    "arx_cpu_s": "ARX CPU s",
    "wall_s": "wall s",
    "cluster_s": "clustering s",
    "scan_s": "scan, CPU s",
    "peak_mb": "peak MB",
}
DIGITS_OF = {
    "cpu_s": 2,
    "wall_s": 2,
    "cluster_s": 2,
    "scan_s": 2,
    "arx_cpu_s": 1,
    "peak_mb": 0,
    "smallest": 0,
    "seeds": 0,
    "exponent": 2,
}

Value = float | int | str


@dataclass(frozen=True)
class Row:
    """One measurement: where it was taken and what was got there, by name."""

    at: Mapping[str, Value]
    got: Mapping[str, float]


@dataclass(frozen=True)
class Target:
    """A number that should not be passed, and what was measured; None if it could not be."""

    what: str
    reach: float
    got: float | None

    @property
    def holds(self) -> bool | None:
        """Whether it is reached; None if it was not measured."""
        return None if self.got is None else self.got <= self.reach


@dataclass(frozen=True)
class Note:
    """Something a reader of the numbers has to know, such as what could not be measured and why."""

    text: str


Finding = Row | Target | Note


@dataclass(frozen=True)
class Outcome:
    """All that one work has found, and where and when."""

    work: str
    title: str
    is_quick: bool
    made: str
    machine: str
    rows: tuple[Row, ...]
    targets: tuple[Target, ...]
    notes: tuple[str, ...]

    @classmethod
    def of(cls, work: str, title: str, is_quick: bool, findings: Sequence[Finding]) -> Outcome:
        """Put together what a work has found, here and today."""
        return cls(
            work=work,
            title=title,
            is_quick=is_quick,
            made=datetime.datetime.now(datetime.UTC).date().isoformat(),
            machine=machine(),
            rows=tuple(found for found in findings if isinstance(found, Row)),
            targets=tuple(found for found in findings if isinstance(found, Target)),
            notes=tuple(dict.fromkeys(found.text for found in findings if isinstance(found, Note))),
        )

    @property
    def command(self) -> str:
        """What makes it anew."""
        return f"python -m benchmarks.run {self.work}" + (" --quick" if self.is_quick else "")


def machine() -> str:
    """The machine, as far as it matters to the numbers."""
    names = [line.partition(":")[2].strip() for line in _cpu_lines() if line.startswith("model name")]
    return f"{os.cpu_count()} cores of {names[0] if names else platform.machine()}, Python {platform.python_version()}"


def _cpu_lines() -> list[str]:
    """What Linux says of its processors; other systems don't have the file."""
    path = Path("/proc/cpuinfo")
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def save(outcome: Outcome, folder: Path) -> None:
    """Write an outcome as <work>.json, and for readers as <work>.md."""
    save_numbers(outcome, folder)
    (folder / f"{outcome.work}.md").write_text(markdown(outcome), encoding="utf-8")


def save_numbers(outcome: Outcome, folder: Path) -> None:
    """Write an outcome as <work>.json."""
    folder.mkdir(parents=True, exist_ok=True)
    content = asdict(outcome)
    for written, target in zip(content["targets"], outcome.targets, strict=True):
        written["holds"] = target.holds
    (folder / f"{outcome.work}.json").write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def load(path: Path) -> Outcome:
    """Read an outcome back."""
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return Outcome(
        **{name: content[name] for name in ("work", "title", "is_quick", "made", "machine")},
        rows=tuple(Row(row["at"], row["got"]) for row in content["rows"]),
        targets=tuple(Target(target["what"], target["reach"], target["got"]) for target in content["targets"]),
        notes=tuple(content["notes"]),
    )


def markdown(outcome: Outcome) -> str:
    """An outcome as Markdown: its notes, its targets and its measurements."""
    pieces = [f"# {outcome.work}", outcome.title, f"`{outcome.command}`, {outcome.made}, {outcome.machine}."]
    pieces += notes_of(outcome)
    if outcome.targets:
        pieces.append(table(("target", "reach", "got", "holds"), map(target_cells, outcome.targets)))
    pieces.append(rows_table(outcome.rows))
    return "\n\n".join(pieces) + "\n"


def notes_of(outcome: Outcome) -> list[str]:
    """The notes as a Markdown list, if there are any; of a quick run that its numbers prove nothing."""
    quick = ("This was a quick run on cut tables: its numbers only show that the benchmark works.",)
    notes = (*(quick if outcome.is_quick else ()), *outcome.notes)
    return ["\n".join(f"* {note}" for note in notes)] if notes else []


def target_cells(target: Target) -> tuple[str, str, str, str]:
    """A target as cells of a table."""
    got = "not measured" if target.got is None else f"{target.got:.4g}"
    holds = {None: "-", True: "yes", False: "**no**"}[target.holds]
    return target.what, f"<= {target.reach:g}", got, holds


def rows_table(rows: Sequence[Row]) -> str:
    """Measurements as a Markdown table; a column for each name that any row has."""
    at = list(dict.fromkeys(name for row in rows for name in row.at))
    got = list(dict.fromkeys(name for row in rows for name in row.got))
    head = [UNIT_OF.get(name, name) for name in (*at, *got)]
    cells = [
        [*(place(row.at.get(name)) for name in at), *(_number(name, row.got.get(name)) for name in got)] for row in rows
    ]
    return table(head, cells) if rows else "Nothing was measured."


def place(value: Value | None) -> str:
    """Where a measurement was taken, as a cell of a table."""
    if value is None or isinstance(value, str):
        return value or ""
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"


def _number(name: str, value: float | None) -> str:
    return "" if value is None else f"{value:.{DIGITS_OF.get(name, 4)}f}"


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table."""
    lines = ["| " + " | ".join(cell.replace("|", r"\|") for cell in row) + " |" for row in (list(head), *rows)]
    lines.insert(1, "|" + "---|" * (lines[0].count(" | ") + 1))
    return "\n".join(lines)
