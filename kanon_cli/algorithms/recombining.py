"""Clusters that a search has met become another clustering: multipliers say what each row should pay for its cells."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt

from kanon_cli.algorithms.diving import dive, joined
from kanon_cli.algorithms.market import Bounds, Market, names_of, no_offers
from kanon_cli.algorithms.searching import Search, search_of
from kanon_cli.problem import Problem

IntArray = npt.NDArray[np.int64]

NAME, RESHAPING, JOINING = "recombining", "reshaping", "joining"  # of kernels, in parts that take about as long

MOST_STEPS = 100  # by which what rows pay is changed, before boxes are reshaped and after
MOST_RESHAPED = 3  # times as many boxes as there could be clusters are reshaped at a time
BATCH = 64  # boxes that are reshaped before it is asked whether there is time for more
RESHAPES = 8  # times that boxes are reshaped at the most, as long as that lowers the bound by one part of GAIN
GAIN = 1000
FIRST_STRIDE, STRIDE, SHORTENED = 64, 40, 5  # a step in parts of 64 of a whole one, shortened to so many eighths ...
PATIENCE = 10  # ... after so many steps in vain
HOPE = 25  # steps are as long as if the clustering could cost so many parts of 1000 less than the best
DEEP = 300  # of this effort, and of more, two thirds are spent on recombining; of less, a fifth is enough
DIVING = 3  # one part of so many of what recombining takes is for the dive
TELLING = 50  # steps that tell which boxes are worth opening: the dive leaves out the others


class Recombination:
    """Boxes that were clusters in a search, what they have become, and what each row pays."""

    def __init__(self, search: Search) -> None:
        self.search, self.market = search, Market(search)
        self.known = no_offers(len(search.problem.rank_of))
        self.found: list[tuple[Bounds, Bounds]] = []  # boxes that may be new, the last ones at the end
        self.pays: IntArray | None = None
        self.looks = 0  # at rows in boxes, since recombining began

    def remember(self) -> None:
        """Let the clusters that there are now be candidates."""
        self.found.append((self.search.clustering.lo, self.search.clustering.hi))

    def recombine(self, effort: int) -> npt.NDArray[np.int32] | None:
        """Give another grouping, or nothing if no boxes are worth it, for a part of so much effort."""
        self._look_into_boxes()
        touches = effort * 2 // 3 if effort >= DEEP else max(effort // 5, 1)
        most, self.looks = touches * self.market.touch, 0
        pays, opened = self._settle(most - most // DIVING)
        self.search.touches += touches
        return dive(self.market, self.known.chosen(np.flatnonzero(opened)), pays, max(most - self.looks, 0))

    def _settle(self, most: int) -> tuple[IntArray, IntArray]:
        """Find boxes that are worth more, for so many looks at the most; give what rows pay, and what was opened."""
        pays, stride, bound = self.pays, STRIDE, 0
        if pays is None:
            pays, stride = self.market.paid_now(), FIRST_STRIDE
        for _ in range(RESHAPES):
            steps = min((most - self.looks) // max(self.known.looks, 1), MOST_STEPS)
            before, (pays, bound, opened) = bound, self._pay(pays, steps, stride)
            enough = most - MOST_STEPS * self.known.looks
            if self.looks > enough or (before and bound > before - before // GAIN):
                break
            self.reshape(pays, opened, enough)
            stride = STRIDE
        self.pays = pays
        return pays, opened if steps >= TELLING else np.ones(len(self.known), dtype=np.int64)

    def _look_into_boxes(self) -> None:
        """Let all boxes that were found be known, those that were found last first.

        Where there is no room for so many kinds, the last in this order go.
        """
        if not self.found:
            return
        lo, hi = (np.concatenate(ends[::-1]) for ends in zip(*self.found, strict=True))
        self.found = []
        joined = self.known.joined(lo, hi, self.market, self.market.all)
        every, last = np.unique(np.append(names_of(lo, hi), joined.names), return_index=True)
        by = np.argsort(last[np.searchsorted(every, joined.names)], kind="stable")
        self.known = joined.chosen(by[np.cumsum(np.diff(joined.candidates.first)[by]) <= self.market.most_looks])

    def _pay(self, pays: IntArray, steps: int, stride: int) -> tuple[IntArray, int, IntArray]:
        """Raise what kinds pay that no box takes, and lower it where several do; give what proves most.

        What all rows pay less what the boxes are worth is a lower bound for any clustering out of these boxes. Gives
        that, too, and how often each box was worth something.
        """
        market, known = self.market, self.known
        copies, cost = market.all.kinds.copies, self.search.cost
        opened = np.zeros(len(known), dtype=np.int64)
        hope, most, best, stalled = cost - cost * HOPE // 1000, -1 << 62, pays, 0
        for _ in range(steps):
            worth, taken = market.open(known, pays, copies, opened)
            bound = int((pays * copies).sum()) - worth
            most, best, stalled = (bound, pays, 0) if bound > most else (most, best, stalled + 1)
            self.looks += known.looks
            if stalled >= PATIENCE:
                stride, stalled, pays = stride * SHORTENED // 8, 0, best
                continue
            lacking = copies - taken
            length = (stride * max(hope - bound, cost >> 10) << 8) // (64 * max(int((lacking * lacking).sum()), 1))
            pays = np.clip(pays + (lacking * min(length, 1 << 40) >> 8), 0, market.dearest)
        return best, most, opened

    def reshape(self, pays: IntArray, opened: IntArray, most: int) -> None:
        """Reshape the boxes that were opened most often, until there have been so many looks."""
        market = self.market
        by = np.argsort(-opened, kind="stable")[: MOST_RESHAPED * len(market.order) // market.ground.k]
        for begin in range(0, len(by), BATCH):
            if self.looks > most:
                break
            lo, hi = self.known.lo[by[begin : begin + BATCH]], self.known.hi[by[begin : begin + BATCH]]
            worth, looks = market.reshape(lo, hi, pays, market.all)
            self.looks += looks
            self.found.append((lo[worth > 0], hi[worth > 0]))
        self._look_into_boxes()


def use_reshaping(problem: Problem) -> None:
    """Use every kernel that reshapes boxes, which compiles them."""
    with ThreadPoolExecutor(1) as pool:
        market = Market(search_of(problem, pool))
        lo, hi = (market.all.kinds.coordinate[:1].copy() for _ in range(2))
        market.reshape(lo, hi, np.zeros(len(market.all.number), dtype=np.int64), market.all)


def use_joining(problem: Problem) -> None:
    """Use the kernel by which rows join groups, which compiles it."""
    with ThreadPoolExecutor(1) as pool:
        joined(Market(search_of(problem, pool)), np.zeros(problem.rows, dtype=np.int32), 1)


def use_all_else(problem: Problem) -> None:
    """Use every other kernel that recombines."""
    with ThreadPoolExecutor(1) as pool:
        search = search_of(problem, pool)
        search.take((np.arange(problem.rows) // 2).astype(np.int32))
        found = Recombination(search)
        found.remember()
        found._look_into_boxes()
        pays, _ = found._settle(1)
        dive(found.market, no_offers(len(problem.rank_of)), pays, 0)
