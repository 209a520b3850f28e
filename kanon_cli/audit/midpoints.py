"""Midpoints do not say what they cover: the original values of their class do."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

import numpy as np
import numpy.typing as npt

from kanon_cli.audit.covers import Cover, Everything, Span
from kanon_cli.audit.notation import BLANKS, EXACT
from kanon_cli.audit.reading import Reading
from kanon_cli.audit.values import Values

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Classes:
    """What the rows of each class had in a column of the original, beside the one cell they have now."""

    cell: IntArray  # [class]
    lowest: IntArray  # [class] rank of the smallest present value; the rank of missing if there is none
    highest: IntArray  # [class] rank of the largest present value; -1 if there is none
    missing: BoolArray  # [class] whether a value is missing


def gather_classes(reading: Reading, class_of: IntArray, rank_of: IntArray) -> Classes:
    """Find the extremes of each class; `rank_of` is the rank of each released row's original value."""
    count = int(class_of.max(initial=-1)) + 1
    size = reading.values.size
    cell = np.zeros(count, dtype=np.int64)
    cell[class_of] = reading.cell_of  # all rows of a class have the same cell
    lowest = np.full(count, size, dtype=np.int64)
    highest = np.full(count, -1, dtype=np.int64)
    present = rank_of < size
    np.minimum.at(lowest, class_of[present], rank_of[present])
    np.maximum.at(highest, class_of[present], rank_of[present])
    return Classes(cell, lowest, highest, np.bincount(class_of[~present], minlength=count) > 0)


def faithful(reading: Reading, classes: Classes) -> BoolArray:
    """[class] whether its cell is the midpoint of its values; a missing cell says nothing, so it is never wrong.

    A file that keeps numbers as doubles can't hold every midpoint: the nearest double is right, too.
    """
    keys, whole = reading.values.keys, _whole(reading.values, reading.kind.intervals)
    result = np.zeros(len(classes.cell), dtype=np.bool_)
    for number, (cell, lowest, highest, missing) in enumerate(_rows(classes)):
        cover = reading.covers[cell]
        if isinstance(cover, Everything):
            result[number] = True
        elif isinstance(cover, Span) and not missing:
            ends = [(keys[lowest], keys[highest]), *_nodes(keys[lowest], keys[highest], reading.kind.intervals, whole)]
            result[number] = any(_is_middle(Decimal(cover.low), low, high) for low, high in ends)
    return result


def possible(reading: Reading) -> BoolArray:
    """[cell] whether it can be a midpoint at all: it lies between the extremes of the column, or of their intervals."""
    keys = reading.values.keys
    if not keys:
        return np.array([isinstance(cover, Everything) for cover in reading.covers], dtype=np.bool_)
    ends = [(keys[0], keys[-1])]
    whole = _whole(reading.values, reading.kind.intervals)
    for key in (keys[0], keys[-1]):
        ends += _nodes(key, key, reading.kind.intervals, whole)
    least, most = min(low for low, _ in ends), max(high for _, high in ends)
    return np.array(
        [
            isinstance(cover, Everything) or (isinstance(cover, Span) and least <= Decimal(cover.low) <= most)
            for cover in reading.covers
        ],
        dtype=np.bool_,
    )


def covers_of(reading: Reading, classes: Classes) -> list[Cover]:
    """[class] the interval that its midpoint stands for; a reader can't tell a missing one from a suppressed one."""
    keys = reading.values.keys
    result: list[Cover] = []
    for cell, lowest, highest, missing in _rows(classes):
        cover = reading.covers[cell]
        known = isinstance(cover, Span) and not missing
        result.append(Span(keys[lowest], keys[highest]) if known else Everything())
    return result


def _rows(classes: Classes) -> zip[tuple[int, int, int, bool]]:
    columns = (classes.cell, classes.lowest, classes.highest, classes.missing)
    return zip(*(column.tolist() for column in columns), strict=True)


def _is_middle(number: Decimal, low: Decimal, high: Decimal) -> bool:
    middle = EXACT.multiply(EXACT.add(low, high), Decimal("0.5"))
    return number == middle or float(number) == float(middle)


def _whole(values: Values, widths: tuple[Decimal, ...]) -> bool:
    """Whether the column's intervals are closed: every number is written as a whole one, and so is every width."""
    return all(width % 1 == 0 for width in widths) and all(
        text.strip(BLANKS).lstrip("+-").isdigit() for text in values.texts
    )


def _nodes(low: Decimal, high: Decimal, widths: tuple[Decimal, ...], whole: bool) -> list[tuple[Decimal, Decimal]]:
    """Find the ends of the aligned intervals that hold both numbers; those of whole numbers end one before the next."""
    found = []
    for width in widths:
        steps = EXACT.divide_int(low, width)
        if low < 0 and EXACT.remainder(low, width) != 0:  # division cuts towards 0, alignment goes down
            steps = EXACT.subtract(steps, Decimal(1))
        start = EXACT.multiply(steps, width)
        end = EXACT.add(start, width)
        if high < end:
            found.append((start, EXACT.subtract(end, Decimal(1)) if whole else end))
    return found
