"""Taxonomies that follow from the values themselves: masks, nested intervals, the calendar."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from kanon_cli.tables.numbers import EXACT, floor_to, plain
from kanon_cli.tables.taxonomy import Taxonomy, grow

ROOT = "*"


@dataclass(frozen=True)
class Nest:
    """A taxonomy of numbers or dates with the bounds of each inner node, by label."""

    taxonomy: Taxonomy
    bounds: dict[str, tuple[Decimal, Decimal]]  # numbers, or days since year 1


def mask(texts: Sequence[str], length: int) -> Taxonomy:
    """Hide one character after the other, from the right: 47918, 4791*, 479**, ... and * for all."""
    parent_of: dict[str, str] = {}
    for text in texts:
        label = text
        for shown in range(length - 1, -1, -1):
            up = text[:shown] + "*" * (length - shown) if shown else ROOT
            if label in parent_of:
                break
            parent_of[label] = up
            label = up
    return grow(list(texts), parent_of)


def intervals(texts: Sequence[str], values: Sequence[Decimal], widths: Sequence[Decimal], whole: bool) -> Nest:
    """Nest numbers in intervals of these widths, each aligned to zero; `whole` numbers get closed intervals."""
    parent_of: dict[str, str] = {}
    bounds: dict[str, tuple[Decimal, Decimal]] = {}
    for text, value in zip(texts, values, strict=True):
        label = text
        for width in widths:
            low = floor_to(value, width)
            high = EXACT.add(low, width - 1 if whole else width)
            up = f"[{plain(low)}-{plain(high)}" + ("]" if whole else ")")
            bounds[up] = (low, high)
            if label in parent_of:
                break
            parent_of[label] = up
            label = up
        parent_of.setdefault(label, ROOT)
    return Nest(grow(list(texts), parent_of), bounds)


def calendar(texts: Sequence[str]) -> Nest:
    """Nest days in months, quarters and years."""
    parent_of: dict[str, str] = {}
    bounds: dict[str, tuple[Decimal, Decimal]] = {}
    for text in texts:
        day = datetime.date.fromisoformat(text)
        quarter = (day.month - 1) // 3
        year = f"{day.year:04d}"
        chain = (
            (text[:7], day.month, day.month),
            (f"{year}-Q{quarter + 1}", 3 * quarter + 1, 3 * quarter + 3),
            (year, 1, 12),
        )
        label = text
        for up, first_month, last_month in chain:
            bounds[up] = (
                Decimal(datetime.date(day.year, first_month, 1).toordinal()),
                Decimal(_last_day(day.year, last_month)),
            )
            parent_of.setdefault(label, up)
            label = up
        parent_of.setdefault(label, ROOT)
    return Nest(grow(list(texts), parent_of), bounds)


def _last_day(year: int, month: int) -> int:
    if month == 12:  # the year 9999 has no next one
        return datetime.date(year, 12, 31).toordinal()
    return datetime.date(year, month + 1, 1).toordinal() - 1
