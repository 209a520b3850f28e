"""Pictures of measurements, as SVG with text that stays text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter, StrMethodFormatter

from benchmarks.results import UNIT_OF, Row, Value
from benchmarks.shapes import Panel

# The same numbers give the same bytes; text is drawn by the reader's fonts.
STYLE: Any = {
    "svg.hashsalt": "kanon",
    "svg.fonttype": "none",
    "font.size": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
}
NO_TRACE: Any = {"Date": None, "Creator": None}
WIDTH, HEIGHT = 5.6, 4.0
MARKERS = "osD^vP*X"


def picture(rows: Sequence[Row], panels: Sequence[Panel], path: Path) -> None:
    """Draw the panels, two or three side by side; a work that has measured nothing to draw gets no picture."""
    drawn = [(panel, here) for panel in panels if (here := _rows_of(rows, panel))]
    if not drawn:
        return
    with mpl.rc_context(STYLE):
        across = min(len(drawn), 3 if len(drawn) % 2 else 2)
        down = -(-len(drawn) // across)
        figure = Figure(figsize=(WIDTH * across, HEIGHT * down), layout="constrained")
        for place, (panel, here) in enumerate(drawn):
            _draw(figure.add_subplot(down, across, place + 1), panel, here)
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, format="svg", metadata=NO_TRACE)


def _rows_of(rows: Sequence[Row], panel: Panel) -> list[Row]:
    """The rows that a panel shows."""
    return [
        row
        for row in rows
        if panel.x in {**row.at, **row.got}
        and panel.y in row.got
        and all(row.at.get(name) == value for name, value in panel.where.items())
    ]


def _draw(axes: Any, panel: Panel, rows: Sequence[Row]) -> None:
    """Draw one panel."""
    for at, name in enumerate(dict.fromkeys(row.at[panel.by] for row in rows)):
        own = [row for row in rows if row.at[panel.by] == name]
        points = sorted((_number(row, panel.x), row.got[panel.y]) for row in own)
        color = f"C{at % 10}"
        label = name if isinstance(name, str) else f"{panel.by} = {name}"
        line = "-" if len(points) > 1 else ""
        axes.plot(
            *zip(*points, strict=True), color=color, linestyle=line, marker=MARKERS[at % len(MARKERS)], label=label
        )
        for level, style in panel.levels.items():
            axes.axhline(own[0].got[level], color=color, linestyle=style, linewidth=1)
    for level, style in panel.levels.items():
        axes.plot([], [], color="gray", linestyle=style, linewidth=1, label=level)
    for curve, label in panel.curves.items():
        points = sorted({(_number(row, panel.x), row.got[curve]) for row in rows if curve in row.got})
        axes.plot(*zip(*points, strict=True), color="black", linestyle="--", marker=".", label=label)
    _dress(axes, panel, rows)


def _dress(axes: Any, panel: Panel, rows: Sequence[Row]) -> None:
    """Name the axes and say what they measure."""
    axes.set_title(panel.title, fontsize=12)
    axes.set_xlabel(UNIT_OF.get(panel.x, panel.x))
    axes.set_ylabel(UNIT_OF.get(panel.y, panel.y))
    if panel.is_log_x:
        axes.set_xscale("log")
        axes.xaxis.set_minor_formatter(NullFormatter())
    if all(panel.x in row.at for row in rows):
        places = sorted({_number(row, panel.x) for row in rows})
        axes.set_xticks(places)
        axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,g}"))
        axes.tick_params(axis="x", labelrotation=45 if max(places) > 1000 else 0)
    if panel.is_log_y:
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    elif panel.starts_at_0:
        axes.set_ylim(bottom=0)
    axes.grid(visible=True, color="0.9")
    axes.legend(frameon=False, fontsize=9)


def _number(row: Row, name: str) -> float:
    value: Value = {**row.at, **row.got}[name]
    return float(value)
