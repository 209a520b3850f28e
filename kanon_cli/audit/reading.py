"""A released quasi-identifier beside its original: which cells there are, what each covers, and where each stands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from kanon_cli.audit.cells import parse, parse_bounds, parse_midpoint
from kanon_cli.audit.covers import Cover, Listed
from kanon_cli.audit.gather import first_rows, group, pick, row_count
from kanon_cli.audit.guess import guess, guess_kind
from kanon_cli.audit.values import Ranks, Values, values_of
from kanon_cli.tables.columns import TextColumn
from kanon_cli.tables.kinds import Kind

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
Numeric = Literal["interval", "bounds", "midpoint"]
Table = Mapping[str, TextColumn]
Kinds = Mapping[str, Kind | None]


@dataclass(frozen=True)
class Reading:
    """The different cells of one column, what they cover, and the values they are held against."""

    cell_of: IntArray  # [row]
    covers: list[Cover | None]  # [cell]; None: not understood
    values: Values
    kind: Kind
    midpoint: bool = False  # the cells are midpoints, and do not say what they cover

    @cached_property
    def reach(self) -> list[Ranks]:
        """[cell] the ranks it covers."""
        return [self.values.reach(cover) for cover in self.covers]

    @cached_property
    def first(self) -> IntArray:
        """[cell] the first rank it covers; after `last` if it covers none."""
        return np.array([ranks[0] if len(ranks) else 0 for ranks in self.reach], dtype=np.int64)

    @cached_property
    def last(self) -> IntArray:
        """[cell] the last rank it covers."""
        return np.array([ranks[-1] if len(ranks) else -1 for ranks in self.reach], dtype=np.int64)

    @cached_property
    def scattered(self) -> BoolArray:
        """[cell] whether it leaves out ranks between its first and its last."""
        return np.array([not isinstance(ranks, range) for ranks in self.reach], dtype=np.bool_)

    def holds(self, rank_of: IntArray) -> BoolArray:
        """[row] whether the row's cell covers this rank."""
        return self.cells_hold(self.cell_of, rank_of)

    def cells_hold(self, cell_of: IntArray, rank_of: IntArray) -> BoolArray:
        """[pair] whether a cell covers a rank."""
        inside: BoolArray = (self.first[cell_of] <= rank_of) & (rank_of <= self.last[cell_of])
        if self.scattered.any():
            pairs = np.flatnonzero(self.scattered[cell_of])
            width = self.values.size + 1
            known = [
                cell * width + np.asarray(self.reach[cell], dtype=np.int64) for cell in np.flatnonzero(self.scattered)
            ]
            inside[pairs] &= np.isin(cell_of[pairs] * width + rank_of[pairs], np.concatenate(known))
        return inside

    @cached_property
    def not_understood(self) -> int:
        """How many rows have a cell that is not understood."""
        unknown = np.array([cover is None for cover in self.covers], dtype=np.bool_)
        return int(unknown[self.cell_of].sum())


def released_names(column: str, kind: Kind | None, numeric: Numeric) -> tuple[str, ...]:
    """Name the columns of a release that stand for this column of the original."""
    if kind is not None and kind.type == "numeric" and numeric == "bounds":
        return f"{column}_min", f"{column}_max"
    return (column,)


def read(released: Table, original: Table, kinds: Kinds, numeric: Numeric) -> dict[str, Reading]:
    """Every quasi-identifier of a release; a column without a kind is guessed at."""
    pick(released, [name for column, kind in kinds.items() for name in released_names(column, kind, numeric)])
    pick(original, kinds)
    return {column: _read(column, released, original[column], kind, numeric) for column, kind in kinds.items()}


def classes_of(released: Table, kinds: Kinds, numeric: Numeric) -> IntArray:
    """Find the classes of a release, as its reader does."""
    names = [name for column, kind in kinds.items() for name in released_names(column, kind, numeric)]
    return group([column.code_of for column in pick(released, names).values()], row_count(released))


def _read(column: str, released: Table, original: TextColumn, kind: Kind | None, numeric: Numeric) -> Reading:
    known = kind or guess_kind(original)
    values = values_of(column, original, known)
    if kind is None:
        cell_of, texts = _cells(released[column])
        return Reading(cell_of, [guess(text, known, values.code_of) for text in texts], values, known)
    if kind.type == "numeric" and numeric == "bounds":
        low, high = (released[name] for name in released_names(column, kind, numeric))
        cell_of, pairs = _cell_pairs(low, high)
        return Reading(cell_of, [parse_bounds(*pair) for pair in pairs], values, kind)
    cell_of, texts = _cells(released[column])
    if kind.type == "numeric" and numeric == "midpoint":
        return Reading(cell_of, [parse_midpoint(text) for text in texts], values, kind, midpoint=True)
    covers = (_only_known(parse(text, kind), values) for text in texts)
    return Reading(cell_of, list(covers), values, kind)


def _only_known(cover: Cover | None, values: Values) -> Cover | None:
    """Refuse a set that lists a value which the original doesn't have."""
    if isinstance(cover, Listed) and not all(text in values.code_of for text in cover.texts):
        return None
    return cover


def _cells(column: TextColumn) -> tuple[IntArray, list[str | None]]:
    cell_of = group([column.code_of], column.rows)
    return cell_of, _texts(column, first_rows(cell_of))


def _cell_pairs(low: TextColumn, high: TextColumn) -> tuple[IntArray, Iterable[tuple[str | None, str | None]]]:
    cell_of = group([low.code_of, high.code_of], low.rows)
    rows = first_rows(cell_of)
    return cell_of, zip(_texts(low, rows), _texts(high, rows), strict=True)


def _texts(column: TextColumn, rows: IntArray) -> list[str | None]:
    text_of = [*column.text.to_pylist(), None]  # the code -1 finds None
    return [text_of[code] for code in column.code_of[rows].tolist()]
