"""Cells as numbers that can be learned from: an interval as its bounds, a node as the share of each leaf below it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kanon_cli.audit.covers import Span
from kanon_cli.audit.reading import Reading
from kanon_cli.audit.values import Ranks
from kanon_cli.tables.columns import TextColumn

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

MOST_VALUES = 60  # of a column that have a feature of their own: the most frequent ones; the others share one
BANDS = 4  # items of numbers and dates: ranges with about as many rows each
SUPPORT = 0.01  # an item has at least so many of the rows


@dataclass(frozen=True)
class View:
    """A column as its reader sees it, in a release or in the original: which values each cell may stand for."""

    reading: Reading  # for its values
    cell_of: IntArray  # [row]
    reach: Sequence[Ranks]  # [cell]
    bounds: FloatArray | None  # [cell, 2] of numbers and dates

    def shares(self) -> FloatArray:
        """[cell, rank] how likely each value is, all that a cell covers being as likely; the last is missing."""
        result = np.zeros((len(self.reach), self.reading.values.size + 1))
        for cell, ranks in enumerate(self.reach):
            known = ranks if len(ranks) else range(result.shape[1])
            result[cell, known] = 1 / len(known)
        return result


def of_release(reading: Reading) -> View:
    """What a reader of the release sees; a cell that is not understood may be anything."""
    bounds = None
    if reading.kind.metric and reading.values.size:
        ends = [_bounds(reading, cell) for cell in range(len(reading.covers))]
        bounds = np.array(ends, dtype=np.float64)
    return View(reading, reading.cell_of, reading.reach, bounds)


def of_original(reading: Reading, column: TextColumn) -> View:
    """What a reader of the original sees: each cell stands for one value."""
    values = reading.values
    reach = [range(rank, rank + 1) for rank in range(values.size + 1)]
    bounds = None
    if reading.kind.metric and values.size:
        keys = [*map(float, values.keys)]
        bounds = np.array([*((key, key) for key in keys), (keys[0], keys[-1])])
    return View(reading, values.rank_of[column.code_of], reach, bounds)


def _bounds(reading: Reading, cell: int) -> tuple[float, float]:
    """From where to where a cell goes."""
    cover, keys = reading.covers[cell], reading.values.keys
    if isinstance(cover, Span) and not isinstance(cover.low, str) and not isinstance(cover.high, str):
        return float(cover.low), float(cover.high)
    ranks = [rank for rank in reading.reach[cell] if rank < len(keys)]
    first, last = (ranks[0], ranks[-1]) if ranks else (0, len(keys) - 1)
    return float(keys[first]), float(keys[last])


def features(views: Mapping[str, View]) -> FloatArray:
    """[row, feature] what classifiers learn from; the same features for a release and for its original."""
    parts = []
    for view in views.values():
        shares = view.shares()
        if view.bounds is not None:
            by_cell = np.column_stack([view.bounds, shares[:, -1]])
        else:
            frequent = np.argsort(-view.reading.values.rows, kind="stable")
            own, rest = frequent[:MOST_VALUES], frequent[MOST_VALUES:]
            by_cell = np.column_stack([shares[:, own], shares[:, rest].sum(axis=1)])
        parts.append(by_cell[view.cell_of])
    return np.concatenate(parts, axis=1)


def items(views: Mapping[str, View]) -> tuple[FloatArray, IntArray]:
    """[row, item] how likely it is that a row has an item, and [item] the column it is of.

    An item is a value, or one of four ranges of numbers or dates, that enough rows of the original have.
    """
    parts, columns = [], []
    for at, view in enumerate(views.values()):
        rows = view.reading.values.rows
        shares = view.shares()
        if view.bounds is not None:
            before = np.concatenate([[0], np.cumsum(rows[:-1])[:-1]])
            band_of = np.minimum(BANDS * before // max(int(rows[:-1].sum()), 1), BANDS - 1)
            by_cell = np.stack([shares[:, :-1][:, band_of == band].sum(axis=1) for band in range(BANDS)], axis=1)
            kept = np.bincount(band_of, weights=rows[:-1], minlength=BANDS) >= SUPPORT * rows.sum()
        else:
            by_cell, kept = shares, rows >= SUPPORT * rows.sum()
        parts.append(by_cell[:, kept][view.cell_of])
        columns.append(np.full(int(kept.sum()), at))
    return np.concatenate(parts, axis=1), np.concatenate(columns)
