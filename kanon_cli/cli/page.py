"""Lines of a page for people, and how figures are written on it."""

from __future__ import annotations

import os
import sys
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.text import Text

from kanon_cli.audit.requiring import sign_of
from kanon_cli.cli.failures import one_line
from kanon_cli.cli.results import WIDEST
from kanon_cli.report.figures import count, duration, kept, number, percent

__all__ = [
    "Page",
    "asked",
    "bar",
    "can_draw",
    "classes_of",
    "count",
    "duration",
    "kept",
    "number",
    "percent",
    "place",
    "spark",
]

LABEL = 12  # cells that a label takes, with its margins
NAME = 24  # cells that the name of a column takes at the most
BAR = 24
EIGHTHS = " ▏▎▍▌▋▊▉"
SPARKS = "▁▂▃▄▅▆▇█"


class Page:
    """Labelled lines, one below the other."""

    def __init__(self) -> None:
        self.lines: list[Text] = []

    def blank(self) -> None:
        """Leave a line free."""
        self.lines.append(Text())

    def title(self, text: str) -> None:
        """Set a heading."""
        self.lines.append(Text(one_line(text), style="bold"))

    def mark(self, good: bool, word: str, rest: str) -> None:
        """Say whether something is well: a sign, a word in its colour, and what it is about."""
        sign = ("✓" if good else "✗") if can_draw() else ("+" if good else "x")
        colour = "bold green" if good else "bold red"
        self.lines.append(Text.assemble((f"{sign} {word}", colour), f"  {rest}" if rest else ""))

    def text(self, text: str) -> None:
        """Write words below a mark."""
        self.lines.append(Text(f"      {text}", style="dim"))

    def row(self, label: str, *parts: str | tuple[str, str]) -> None:
        """Write a label and what belongs to it."""
        self.lines.append(Text.assemble((f"  {label:<{LABEL - 4}}  ", "dim"), *parts))

    def words(self, label: str, text: str) -> None:
        """Write a label and a text, on as many lines as it needs."""
        for at, line in enumerate(textwrap.wrap(one_line(text), WIDEST - LABEL)):
            self.row("" if at else label, line)

    def items(self, label: str, items: Iterable[str]) -> None:
        """Write items one after the other, on as many lines as they need."""
        lines: list[str] = []
        for item in items:
            joined = f"{lines[-1]}   {item}" if lines else item
            if lines and LABEL + len(joined) <= WIDEST:
                lines[-1] = joined
            else:
                lines.append(item)
        for at, line in enumerate(lines):
            self.row("" if at else label, line)

    def losses(self, loss_of: Mapping[str, float | None]) -> None:
        """Draw the loss of each column; the longest bar is the largest loss."""
        width = min(NAME, max(Text(one_line(name)).cell_len for name in loss_of))
        largest = max((loss for loss in loss_of.values() if loss is not None), default=0.0)
        for name, loss in loss_of.items():
            label = Text(one_line(name))
            label.truncate(width, overflow="ellipsis" if can_draw() else "crop", pad=True)
            drawn = "" if loss is None or largest <= 0 else bar(loss / largest)
            self.lines.append(Text.assemble(" " * LABEL, label, f"  {number(loss):<8}", (drawn, "cyan")))
            self.lines[-1].rstrip()


def can_draw() -> bool:
    """Whether the output takes more signs than ASCII's."""
    return (sys.stdout.encoding or "").lower().startswith("utf")


def bar(share: float) -> str:
    """Draw a share of the longest bar, in steps of an eighth of a cell."""
    if not can_draw():
        return "#" * round(share * BAR)
    full, eighths = divmod(round(share * BAR * 8), 8)
    return "█" * full + EIGHTHS[eighths].strip()


def spark(values: Sequence[float]) -> str:
    """Draw numbers as a line of small columns, the lowest for the least; of many numbers a few, first and last too."""
    if len(values) > BAR:
        values = [values[round(at * (len(values) - 1) / (BAR - 1))] for at in range(BAR)]
    signs = SPARKS if can_draw() else "_.-=^"
    least, most = min(values), max(values)
    steps = len(signs) - 1
    return "".join(signs[round((value - least) / (most - least) * steps) if most > least else 0] for value in values)


def place(path: Path) -> str:
    """Write where a file is: from the current folder if it is inside, else in full."""
    full = Path(os.path.realpath(path.parent)) / path.name
    here = Path.cwd()
    return one_line(str(full.relative_to(here) if full.is_relative_to(here) else full))


def asked(figure: str, required: float) -> str:
    """Say what was required of a figure; where less is safer, with its sign."""
    sign = sign_of(figure)
    return f"{kept(required)} required" if sign == ">=" else f"{sign} {kept(required, at_most=True)} required"


def classes_of(block: Mapping[str, Any]) -> str:
    """Describe the classes of a report."""
    return f"{block['count']:,}, smallest {block['min']:,}, mean {block['mean']:,.1f}, largest {block['max']:,}"
