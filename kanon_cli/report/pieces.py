"""Pieces that the sections of a page are put together from: figures, listings, histograms."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from kanon_cli.report.facts import Facts, as_number
from kanon_cli.report.figures import number, percent
from kanon_cli.report.shapes import Cell, Columns, Head, Table

WHAT = Head("", is_number=False)


def listing(caption: str, content: Mapping[str, Any]) -> Table:
    """A mapping as a table of two columns; keys of mappings within it are joined by dots."""
    rows = tuple((Cell(key), Cell(value)) for key, value in _flat(content, ""))
    return Table(caption, (WHAT, Head("", is_number=False)), rows)


def _flat(content: Mapping[str, Any], before: str) -> Iterable[tuple[str, str]]:
    for key, value in content.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{before}{key}.")
        else:
            yield f"{before}{key}", figure(value)


def figure(value: object) -> str:
    """Write any value of a report: a number, a text, numbers by column."""
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {figure(inner)}" for key, inner in value.items())
    if isinstance(value, list):
        return ", ".join(map(figure, value))
    if value is None or isinstance(value, bool):
        return {None: "unknown", True: "yes", False: "no"}[value]
    plain = as_number(value)
    if plain is None:
        return str(value)
    return f"{plain:,}" if isinstance(plain, int) else number(plain)


def whole(value: float | None) -> str:
    """Write a count; a dash if there is none."""
    return "-" if value is None else f"{value:,.0f}"


def part(value: float | None, total: float | None) -> str:
    """Write a count and its share."""
    if not value or not total:
        return whole(value)
    return f"{value:,.0f} ({percent(value / total)})"


def histogram(
    bins: Sequence[Facts], x: str, y: str, label: Callable[[Facts], str]
) -> tuple[tuple[Columns, ...], tuple[Table, ...]]:
    """Draw bins with their classes, and list them; a single one needs no picture."""
    labels = tuple(label(entry) for entry in bins)
    values = tuple(entry.number("classes") or 0.0 for entry in bins)
    if not any(values):
        return (), ()
    most = max(values)
    rows = tuple(
        (Cell(name), Cell(f"{value:,.0f}", share=value / most), Cell(whole(entry.number("rows"))))
        for name, value, entry in zip(labels, values, bins, strict=True)
        if value > 0
    )
    says = f"Histogram of {y} by {x}; most {y} have {labels[values.index(most)]}."
    pictures = (Columns(says, x, y, labels, values),) if len(bins) > 1 else ()
    return pictures, (Table(f"Classes by {x}", (Head(x), Head(y), Head("rows in them")), rows, is_detail=True),)


def size_span(entry: Facts) -> str:
    """Name a bin of sizes."""
    low, high = entry.number("from"), entry.number("to")
    return whole(low) if low == high else f"{whole(low)}-{whole(high)}"


def share_span(entry: Facts) -> str:
    """Name a bin of shares."""
    low, high = entry.number("from") or 0.0, entry.number("to") or 0.0
    return f"{100 * low:.0f}-{100 * high:.0f} %"


def share_cell(share: float | None) -> Cell:
    """A share, with a bar."""
    return Cell("-", tone="dim") if share is None else Cell(percent(share), share=min(max(share, 0.0), 1.0))
