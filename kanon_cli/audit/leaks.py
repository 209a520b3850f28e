"""What a table gives away besides its classes: rules that look at columns, cells and the order of rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Literal

import numpy as np

from kanon_cli.audit.covers import Cover, Listed, Span
from kanon_cli.audit.guess import loose_interval
from kanon_cli.audit.inspection import Original, Subject
from kanon_cli.audit.notation import days, members
from kanon_cli.audit.order import is_sorted, keeps_order
from kanon_cli.audit.reading import Reading, read
from kanon_cli.tables.columns import TextColumn

Severity = Literal["error", "warning", "note"]

RULES = {
    "input-order": "The rows stand in the order of the input.",
    "index-like": "A column numbers the rows.",
    "near-unique": "A column has a value of its own in many rows, so that it works as a key.",
    "extreme-endpoint": "An interval ends at the value of the one record that is lowest or highest.",
    "set-label": "Cells list values of their group.",
}

ENOUGH_ROWS = 5  # in fewer rows all values may well differ
MOST, MANY = 0.5, 0.1  # shares of the rows whose value no other row has
DENSE = 0.5  # share of the numbers from the first to the last that occur


@dataclass(frozen=True)
class Leak:
    """Something that a table gives away: where, how bad, and what to do. It never holds a value of the data."""

    rule: str
    severity: Severity
    column: str | None
    what: str
    hint: str


def leaks(subject: Subject, original: Original | None = None, is_true: bool = True) -> list[Leak]:
    """Find what a table gives away; the original tells more than the table alone, if the table is true of it."""
    readings = read(subject.columns, original.columns, subject.kinds, subject.numeric) if original else {}
    found = [*_order(subject, original, is_true), *_keys(subject)]
    for name in subject.kinds:
        found += _cells(subject, name, readings.get(name))
    return found


def count_serious(found: Sequence[Leak]) -> int:
    """How many are more than a note."""
    return sum(leak.severity != "note" for leak in found)


def _order(subject: Subject, original: Original | None, is_true: bool) -> Iterator[Leak]:
    """Compare orders, unless the maker itself says which row is which: then it has chosen the order."""
    if (original and original.witness is not None) or is_sorted(subject.columns):
        return
    hint = "sort the rows by their cells, or shuffle them"
    if original is not None:
        plain = [name for name in original.plain if name in original.columns]
        if keeps_order(subject.columns, original.columns, subject.kinds, plain, subject.numeric):
            what = "the rows stand in the order of the original: who knows that order knows whose row is whose"
            yield Leak("input-order", "error", None, what, hint)
            return
    if original is None or not is_true:  # rows that fit nowhere would hide an order
        what = "the rows are not sorted by their cells, so their order may be that of the input"
        yield Leak("input-order", "note", None, what, hint)


def _keys(subject: Subject) -> Iterator[Leak]:
    """Look at the columns that are no quasi-identifiers."""
    for name, column in subject.columns.items():
        if name in subject.quasi_identifiers or column.rows < ENOUGH_ROWS:
            continue
        counts = np.bincount(column.code_of[column.code_of >= 0])
        alone = int((counts == 1).sum())
        if alone == column.rows and name not in subject.sensitive and _numbers_rows(column):
            what = f"its values number the {column.rows:,} rows"
            yield Leak("index-like", "error", name, what, "leave the column out")
        elif alone >= max(MANY * column.rows, ENOUGH_ROWS) or alone >= MOST * column.rows:
            yield from _near_unique(subject, name, alone)


def _near_unique(subject: Subject, name: str, alone: int) -> Iterator[Leak]:
    """Kept columns should tell nobody apart; sensitive ones are what a release is there for, unless they are keys."""
    rows = subject.columns[name].rows
    what = f"{alone:,} of {rows:,} rows have a value that no other row has"
    is_most = alone >= MOST * rows
    if name not in subject.sensitive:
        hint = "leave the column out, make it a quasi-identifier, or round its values"
        yield Leak("near-unique", "error" if is_most else "warning", name, what, hint)
    elif is_most:
        hint = "round the values, or sort them into bins: who knows one finds its row"
        yield Leak("near-unique", "warning", name, what, hint)


def _numbers_rows(column: TextColumn) -> bool:
    """Whether the values are whole numbers, most of those from the first to the last."""
    texts: list[str] = column.text.to_pylist()
    numbers = [int(text) for text in texts if len(text) < 19 and text.isascii() and text.isdigit()]
    return len(numbers) == len(texts) and len(texts) >= DENSE * (max(numbers) - min(numbers) + 1)


def _cells(subject: Subject, name: str, reading: Reading | None) -> Iterator[Leak]:
    """Look at the cells of a quasi-identifier; labels of a taxonomy and bins do not come from the data."""
    kind = subject.kinds[name]
    if kind is not None and (kind.intervals or kind.calendar or kind.taxonomy or kind.mask):
        return
    if reading is not None:
        covers = reading.covers
    elif name in subject.columns:
        covers = [_cover(text) for text in subject.columns[name].text.to_pylist()]
    else:
        return  # two columns of bounds, which only an original tells more about
    spans = [cover for cover in covers if isinstance(cover, Span) and not cover.exact]
    if spans:
        yield from _ends(name, spans, reading)
    sets = [cover for cover in covers if isinstance(cover, Listed)]
    if sets:
        yield _listed(name, sets, reading)


def _cover(text: str) -> Cover | None:
    """Read an interval or a set where nobody says what the column holds; other cells do not count here."""
    if texts := members(text, "|") or members(text, ","):
        return Listed(texts)
    return loose_interval(text) or (days(text) if text.startswith("[") else None)


def _ends(name: str, spans: Sequence[Span], reading: Reading | None) -> Iterator[Leak]:
    """Look whether the lowest and the highest end are the value of one record."""
    hint = "cut the column off at both ends beforehand, as in 90+, or use nested intervals"
    if reading is None:
        if _overlap(spans):
            what = "intervals overlap, so their ends come from the data: the outermost two belong to somebody"
            yield Leak("extreme-endpoint", "note", name, what, hint)
        return
    keys = reading.values.keys
    lowest = any(span.low == keys[0] and not span.above for span in spans)
    highest = any(span.high == keys[-1] and not span.half_open for span in spans)
    people = reading.values.rows.tolist()[:-1]  # the last are those without a value
    shown = ["lowest"] * (lowest and people[0] == 1) + ["highest"] * (highest and people[-1] == 1)
    if shown:
        what = f"intervals end at the {' and at the '.join(shown)} value of the original, which one record has"
        yield Leak("extreme-endpoint", "note", name, what, hint)


def _overlap(spans: Sequence[Span]) -> bool:
    """Whether two intervals share a part and neither holds the other, which bins chosen beforehand never do."""
    ends: list[tuple[Any, Any]] = [(span.low, span.high) for span in spans]
    around: list[Any] = []  # the ends of those that hold the present one
    falling = sorted(ends, key=itemgetter(1), reverse=True)
    for low, high in sorted(falling, key=itemgetter(0)):  # of those that begin alike the longest first
        while around and around[-1] <= low:
            around.pop()
        if around and around[-1] < high:
            return True
        around.append(high)
    return False


def _listed(name: str, sets: Sequence[Listed], reading: Reading | None) -> Leak:
    """Say that cells list values; it is worse if one of those belongs to a single record."""
    what = f"the values of groups are listed in so many different cells: {len(sets):,}"
    hint = "use a taxonomy, or put rare values together beforehand"
    if reading is not None:
        ranks = {int(rank) for cover in sets for rank in reading.values.reach(cover)}
        alone = sum(int(reading.values.rows[rank]) == 1 for rank in ranks)
        if alone:
            what += f"; so many of the listed values belong to one record only: {alone:,}"
            return Leak("set-label", "warning", name, what, hint)
    return Leak("set-label", "note", name, what, hint)
