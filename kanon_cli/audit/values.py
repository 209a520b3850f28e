"""The different values of an original column, in the order of its kind."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from kanon_cli.audit.covers import Cover, Everything, Listed, Missing, Node, Prefix, Span
from kanon_cli.audit.notation import day, number
from kanon_cli.errors import DataError, Mistake
from kanon_cli.tables.columns import TextColumn
from kanon_cli.tables.kinds import Kind
from kanon_cli.tables.taxonomy import Taxonomy

IntArray = npt.NDArray[np.int64]
Ranks = range | IntArray


@dataclass(frozen=True)
class Values:
    """Ranks 0 .. size - 1 are the present values, rank `size` is missing: so a suppressed cell covers one range.

    Numbers that are written in several ways are one value.
    """

    keys: list[Any]  # [rank] ascending: Decimals, day numbers, leaf ranks or texts, all alike
    rank_of: IntArray  # [code]; one longer, so that the code -1 finds the rank of missing
    rows: IntArray  # [rank] rows of the original; the last is missing
    texts: list[str]  # [code]

    @property
    def size(self) -> int:
        """How many different present values there are."""
        return len(self.keys)

    @cached_property
    def code_of(self) -> dict[str, int]:
        """The code of each text."""
        return {text: code for code, text in enumerate(self.texts)}

    def reach(self, cover: Cover | None) -> Ranks:
        """Find the ranks that a cell covers, ascending; a cell that is not understood covers none."""
        ranks: Ranks = range(0)
        match cover:
            case Everything():
                ranks = range(self.size + 1)
            case Missing():
                ranks = range(self.size, self.size + 1)
            case Span(low, high, half_open, above):
                start = bisect_right if above else bisect_left
                end = bisect_left if half_open else bisect_right
                ranks = range(start(self.keys, low), end(self.keys, high))
            case Node(first, last):
                ranks = range(bisect_left(self.keys, first), bisect_right(self.keys, last))
            case Prefix(start, length):
                ranks = self._starting(start, length)
            case Listed(texts):
                ranks = self._ranks([self.code_of[text] for text in texts if text in self.code_of])
        return ranks

    @cached_property
    def _by_text(self) -> tuple[list[str], list[int]]:
        codes = sorted(range(len(self.texts)), key=self.texts.__getitem__)
        return [self.texts[code] for code in codes], codes

    def _starting(self, start: str, length: int) -> Ranks:
        texts, codes = self._by_text
        first = bisect_left(texts, start)
        end = bisect_right(texts, start, key=lambda text: text[: len(start)])
        return self._ranks([codes[i] for i in range(first, end) if len(texts[i]) == length])

    def _ranks(self, codes: list[int]) -> Ranks:
        ranks = np.unique(self.rank_of[codes])
        if len(ranks) == 0 or ranks[-1] - ranks[0] + 1 == len(ranks):
            return range(ranks[0], ranks[-1] + 1) if len(ranks) else range(0)
        return ranks


def values_of(name: str, column: TextColumn, kind: Kind) -> Values:
    """Rank the values of an original column; those that are not of its kind are an error."""
    texts: list[str] = column.text.to_pylist()
    key, expected = _key(kind)
    key_of = [key(text) for text in texts]
    _refuse_strangers(name, column, [code for code, found in enumerate(key_of) if found is None], expected)
    keys = sorted(set(key_of))
    rank_of_key = {found: rank for rank, found in enumerate(keys)}
    rank_of = np.array([*(rank_of_key[found] for found in key_of), len(keys)], dtype=np.int64)
    rows = np.bincount(rank_of[column.code_of], minlength=len(keys) + 1).astype(np.int64)
    return Values(keys, rank_of, rows, texts)


def _key(kind: Kind) -> tuple[Callable[[str], Any], str]:
    if kind.type == "numeric":
        return number, "a number"
    if kind.type == "date":
        return day, "a date, YYYY-MM-DD"
    if kind.taxonomy is not None:
        return _leaf_rank(kind.taxonomy), "a leaf of the taxonomy"
    if kind.mask is not None:
        length = kind.mask
        return (lambda text: text if len(text) == length else None), f"{length} characters"
    return (lambda text: text), "a text"


def _leaf_rank(taxonomy: Taxonomy) -> Callable[[str], int | None]:
    rank_of = {taxonomy.label[node]: rank for rank, node in enumerate(taxonomy.leaf.tolist())}
    return rank_of.get


def _refuse_strangers(name: str, column: TextColumn, codes: list[int], expected: str) -> None:
    if codes:
        rows = np.flatnonzero(np.isin(column.code_of, codes))
        what = f"{len(rows)} values of the original are not of the column's kind, the first in row {rows[0] + 1}"
        raise DataError(Mistake(what, path=name, expected=expected))
