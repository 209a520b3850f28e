"""A slow, plain way to make a true release from given groups, for a column of every kind."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from decimal import Decimal

from kanon_cli.audit.reading import Numeric
from kanon_cli.tables.columns import TextColumn
from kanon_cli.tables.kinds import Kind
from kanon_cli.tables.taxonomy import grow
from tests.audit.tables import table

Cell = str | None
Columns = dict[str, list[Cell]]

DEGREE_OF = {"BA": "Higher", "MA": "Higher", "PhD": "Higher", "8th": "School", "9th": "School"}
DEGREES = grow(list(DEGREE_OF), {**DEGREE_OF, "Higher": "Any", "School": "Any"})

KINDS: dict[str, Kind] = {
    "age": Kind(type="numeric"),
    "income": Kind(type="numeric", intervals=(Decimal(10), Decimal(100))),
    "degree": Kind(taxonomy=DEGREES, weight=2.0),
    "zip": Kind(mask=3),
    "born": Kind(type="date"),
    "seen": Kind(type="date", calendar=True),
    "skill": Kind(as_set=True),
    "sex": Kind(),
}
CHOICES: dict[str, list[Cell]] = {
    "age": ["-5", "-1", "0", "1.5", "1.50", "2e1", "37", None],
    "income": ["-15", "-3", "0", "7", "12", "99", "250"],
    "degree": [*DEGREE_OF, None],
    "zip": ["479", "478", "471", "300", "3 0"],
    "born": ["0001-01-01", "1899-12-31", "1900-01-01", "2020-02-29", None],
    "seen": ["2020-01-31", "2020-02-29", "2020-03-01", "2020-12-31", "2021-05-05"],
    "skill": ["a", "b", "c", "NA", None],
    "sex": ["f", "m"],
    "illness": ["flu", "cold", None],
}


def release(original: Columns, groups: Sequence[int], numeric: Numeric) -> dict[str, TextColumn]:
    """Generalize each group, row by row in the order of the original; `illness` stays as it is."""
    cells: Columns = {}
    for name, kind in KINDS.items():
        column = original[name]
        members = [[value for value, other in zip(column, groups, strict=True) if other == group] for group in groups]
        if kind.type == "numeric" and numeric == "bounds":
            bounds = [_bounds(kind, values) for values in members]
            cells[f"{name}_min"] = [None if pair is None else str(pair[0]) for pair in bounds]
            cells[f"{name}_max"] = [None if pair is None else str(pair[1]) for pair in bounds]
        elif kind.type == "numeric" and numeric == "midpoint":
            bounds = [_bounds(kind, values) for values in members]
            cells[name] = [None if pair is None else str((pair[0] + pair[1]) / 2) for pair in bounds]
        else:
            cells[name] = [generalize(kind, values) for values in members]
    return table({**cells, "illness": original["illness"]})


def generalize(kind: Kind, values: Sequence[Cell]) -> Cell:
    """The smallest cell that covers these values."""
    present = [value for value in values if value is not None]
    if not present:
        return None
    if len(present) < len(values):
        return "*"
    if kind.type == "numeric":
        return _numbers(kind, present)
    if len(set(present)) == 1:
        return present[0]
    return _days(kind, present) if kind.type == "date" else _category(kind, present)


def _category(kind: Kind, present: list[str]) -> str:
    if kind.taxonomy is not None:
        parents = {DEGREE_OF[value] for value in present}
        return parents.pop() if len(parents) == 1 else "*"
    if kind.mask is not None:
        shown = next(n for n in (2, 1, 0) if len({value[:n] for value in present}) == 1)
        return present[0][:shown] + "*" * (3 - shown) if shown else "*"
    return "{" + "|".join(sorted(set(present))) + "}" if kind.as_set else "*"


def _numbers(kind: Kind, present: list[str]) -> str:
    numbers = [Decimal(value) for value in present]
    if min(numbers) == max(numbers):
        return format(numbers[0].normalize(), "f")
    pair = _bounds(kind, present)
    return "*" if pair is None else f"[{pair[0]}-{pair[1]}]"


def _bounds(kind: Kind, values: Sequence[Cell]) -> tuple[Decimal, Decimal] | None:
    if None in values:
        return None
    numbers = [Decimal(value) for value in values if value is not None]
    low, high = min(numbers), max(numbers)
    if not kind.intervals or low == high:
        return low, high
    for width in kind.intervals:
        start = (low / width).to_integral_value("ROUND_FLOOR") * width
        if high < start + width:
            return start, start + width - 1
    return None


def _days(kind: Kind, present: list[str]) -> str:
    low, high = min(present), max(present)
    if not kind.calendar:
        return f"[{low}/{high}]"
    first, last = date.fromisoformat(low), date.fromisoformat(high)
    if first.year != last.year:
        return "*"
    if first.month == last.month:
        return low[:7]
    quarters = {(day.month - 1) // 3 + 1 for day in (first, last)}
    return f"{low[:4]}-Q{quarters.pop()}" if len(quarters) == 1 else low[:4]
