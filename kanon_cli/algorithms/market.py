"""Rows that pay for their cells, and boxes that could be clusters and are worth something to them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from kanon_cli.algorithms.searching import Search

if TYPE_CHECKING:
    from kanon_cli.kernels.candidates import Candidates, Kinds
    from kanon_cli.kernels.clusterings import Ground
    from kanon_cli.kernels.reshaping import Shelf

IntArray = npt.NDArray[np.int64]
Bounds = npt.NDArray[np.int32]  # [box, column]

LOOKS = 50  # at a row in a box take as long as one touch of a row ...
CHEAPER = 2  # ... and where the box is reshaped, so many times more
MOST_KINDS = 64  # in all boxes together, for each row
WEIGHTS = np.random.SeedSequence(0)  # of what tells boxes apart


class Stock(NamedTuple):
    """The kinds of rows that are left."""

    number: IntArray  # [kind] its number among all kinds
    kinds: Kinds


class Market:
    """The rows of a search by kinds."""

    def __init__(self, search: Search) -> None:
        from kanon_cli.kernels.candidates import Kinds

        self.search, self.order = search, search.first_order
        self.ground: Ground = search.ground
        self.bits = max(int(search.problem.costs.unit).bit_length() - 8, 0)  # of a step in which kinds are told apart
        rows = self.ground.coordinate[self.order]
        differs = np.append(True, (rows[1:] != rows[:-1]).any(axis=1))
        self.kind_at: IntArray = np.append(np.flatnonzero(differs), len(rows))
        kinds = Kinds(rows[differs], np.diff(self.kind_at))
        self.all = Stock(np.arange(len(kinds.copies)), kinds)
        self.dearest = int(search.problem.costs.full.sum()) * self.ground.k  # what no row has to pay more than
        self.touch = LOOKS * len(rows)  # so many looks take as long as one touch of every row
        self.most_looks = MOST_KINDS * len(rows)  # at all rows in all boxes

    def left(self, free: IntArray) -> Stock:
        """The kinds of which so many rows are free, but for those that have none."""
        from kanon_cli.kernels.candidates import Kinds

        number = np.flatnonzero(free)
        return Stock(number, Kinds(self.all.kinds.coordinate[number], free[number]))

    @cached_property
    def shelf(self) -> Shelf:
        """All kinds, laid out for boxes to be reshaped: often there is no time for that."""
        from kanon_cli.kernels.reshaping import shelf_of

        return shelf_of(self.all.kinds)

    def paid_now(self) -> IntArray:
        """What the rows of each kind pay in the clustering that there is, on average."""
        clustering, paid = self.search.clustering, np.empty(len(self.order), dtype=np.int64)
        by = np.argsort(clustering.first)
        paid[self.search.order] = np.repeat(clustering.price[by], clustering.size[by])
        total: IntArray = np.add.reduceat(paid[self.order], self.kind_at[:-1])
        return total // self.all.kinds.copies

    def open(self, offers: Offers, pays: IntArray, free: IntArray, opened: IntArray) -> tuple[int, IntArray]:
        """What all boxes are worth that are worth anything, and how many free rows of each kind they take.

        Each of them adds 1 to opened[box].
        """
        from kanon_cli.kernels.multipliers import open_boxes

        worth, taken = list[int](), [np.zeros(len(pays), dtype=np.int64)]

        def work(first: int, last: int) -> None:
            own = np.zeros(len(pays), dtype=np.int64)
            worth.append(open_boxes(offers.candidates, first, last, pays, free, self.ground.k, self.bits, own, opened))
            taken.append(own)

        self.search.share_out(np.ones(len(opened), dtype=np.int64), work)
        return sum(map(int, worth)), np.sum(taken, axis=0)

    def reshape(self, lo: Bounds, hi: Bounds, pays: IntArray, stock: Stock) -> tuple[IntArray, int]:
        """Reshape boxes where they stand; give what they are worth then, and to how many looks that comes."""
        from kanon_cli.kernels.reshaping import reshape_boxes

        worth, looks = np.empty(len(lo), dtype=np.int64), list[int]()
        own, free = pays[stock.number], stock.kinds.copies
        shelf = self.shelf
        if len(stock.number) < len(self.all.number):
            shelf = shelf._replace(coordinate=np.ascontiguousarray(shelf.coordinate[:, stock.number]))

        def work(first: int, last: int) -> None:
            looks.append(reshape_boxes(lo, hi, first, last, shelf, own, free, self.ground, self.bits, worth))

        self.search.share_out(np.ones(len(lo), dtype=np.int64), work)
        return worth, sum(looks) // CHEAPER


class Offers:
    """Boxes, and the kinds of rows within each."""

    def __init__(self, lo: Bounds, hi: Bounds, names: npt.NDArray[np.uint64], candidates: Candidates) -> None:
        self.lo, self.hi, self.names, self.candidates = lo, hi, names, candidates

    def __len__(self) -> int:
        return len(self.names)

    @property
    def looks(self) -> int:
        """How many looks it takes to look at all rows in all boxes."""
        return len(self.candidates.kind)

    def chosen(self, by: IntArray) -> Offers:
        """Some of the boxes, in another order."""
        from kanon_cli.kernels.candidates import Candidates

        price, first, kind = self.candidates
        kinds = np.diff(first)[by]
        start = np.append(0, np.cumsum(kinds))
        at = np.repeat(first[by] - start[:-1], kinds) + np.arange(start[-1])
        return Offers(self.lo[by], self.hi[by], self.names[by], Candidates(price[by], start, kind[at]))

    def narrowed(self, free: IntArray, k: int) -> tuple[Offers, IntArray]:
        """The boxes in which k rows are free, with the kinds that are, and the numbers that they had."""
        from kanon_cli.kernels.selecting import narrow

        candidates, by = narrow(self.candidates, free, k)
        return Offers(self.lo[by], self.hi[by], self.names[by], candidates), by

    def joined(self, lo: Bounds, hi: Bounds, market: Market, stock: Stock) -> Offers:
        """These boxes, and before them those of others that are new, as many as there is room for.

        The others are widened where they stand to all that costs the same.
        """
        from kanon_cli.kernels.candidates import Candidates, find_kinds, widen_all

        price = widen_all(lo, hi, market.ground)
        names = names_of(lo, hi)
        new = np.sort(np.unique(names, return_index=True)[1])
        new = new[~np.isin(names[new], self.names)]
        first, kind = find_kinds(lo[new], hi[new], stock.kinds, market.most_looks)
        new = new[: len(first) - 1]
        candidates = Candidates(
            np.append(price[new], self.candidates.price),
            np.append(first, first[-1] + self.candidates.first[1:]),
            np.append(stock.number[kind].astype(np.int32), self.candidates.kind),
        )
        both = np.concatenate((lo[new], self.lo)), np.concatenate((hi[new], self.hi))
        return Offers(*both, np.append(names[new], self.names), candidates)


def no_offers(columns: int) -> Offers:
    """No boxes."""
    from kanon_cli.kernels.candidates import Candidates

    none, no_rows = np.zeros((0, columns), dtype=np.int32), np.zeros(0, dtype=np.int64)
    candidates = Candidates(no_rows, np.zeros(1, dtype=np.int64), no_rows.astype(np.int32))
    return Offers(none, none, no_rows.astype(np.uint64), candidates)


def names_of(lo: Bounds, hi: Bounds) -> npt.NDArray[np.uint64]:
    """[box] a number that hardly any other box has; of two that share one, the later would be left out."""
    weights = np.random.default_rng(WEIGHTS).integers(0, 1 << 62, (2, lo.shape[1]), dtype=np.uint64) * 2 + 1
    names: npt.NDArray[np.uint64] = lo.astype(np.uint64) @ weights[0] + hi.astype(np.uint64) @ weights[1]
    return names
