"""What a paper's table or figure is made of: what is measured, how it is shown, and what is to be said of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from benchmarks.results import DIGITS_OF, UNIT_OF, Finding, Row, Value, place, table
from benchmarks.setting import Setting
from benchmarks.shapes import Panel

PAPER = "paper"  # the figure of a row that is the paper's own


@dataclass(frozen=True)
class Grid:
    """A table of measurements: a line for each place, and a column for each figure of each kind `across`."""

    down: tuple[str, ...]
    figures: tuple[str, ...]
    across: str = ""
    digits: int = 3
    where: Mapping[str, Value] = field(default_factory=dict)  # only rows that were taken there
    caption: str = ""


@dataclass(frozen=True)
class Experiment:
    """A table or a figure of a paper, or several that come from the same runs."""

    name: str
    title: str
    measure: Callable[[Setting], Iterator[Finding]]
    grids: tuple[Grid, ...]
    remark: str  # how near it comes to the paper, and the likely reason where it does not
    panels: tuple[Panel, ...] = ()


@dataclass(frozen=True)
class Paper:
    """A paper and what is made again of it."""

    title: str
    setting: str  # on what, and with what that the paper leaves open
    experiments: tuple[Experiment, ...]


def spread_out(rows: Sequence[Row], grid: Grid) -> str:
    """The rows that belong into a grid as a Markdown table."""
    own = [
        row
        for row in rows
        if any(name in row.got for name in grid.figures)
        and all(row.at.get(name) == value for name, value in grid.where.items())
    ]
    heads: list[str] = []
    lines: dict[tuple[Value | None, ...], dict[str, str]] = {}
    for name in dict.fromkeys(str(row.at.get(grid.across, "")) for row in own):
        for figure in grid.figures:
            head = _head(name, figure, grid)
            for row in own:
                if str(row.at.get(grid.across, "")) == name and figure in row.got:
                    line = lines.setdefault(tuple(row.at.get(key) for key in grid.down), {})
                    line[head] = f"{row.got[figure]:,.{DIGITS_OF.get(figure, grid.digits)}f}"
                    if head not in heads:
                        heads.append(head)
    cells = [[*(place(value) for value in key), *(line.get(head, "") for head in heads)] for key, line in lines.items()]
    return table([*grid.down, *heads], cells)


def _head(name: str, figure: str, grid: Grid) -> str:
    """What a column is called: the kind of row, the figure, or both."""
    unit = UNIT_OF.get(figure, figure.replace("_", " "))
    if not name:
        return unit
    return name if figure == grid.figures[0] else f"{name}, {unit}"
