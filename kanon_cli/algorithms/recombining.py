"""Clusters of several searches become one clustering: multipliers say what each row should pay for its cells."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from kanon_cli.algorithms.base import Terms
from kanon_cli.algorithms.grounds import ground_of, sorted_rows
from kanon_cli.algorithms.searching import Search
from kanon_cli.problem import Problem

if TYPE_CHECKING:
    from kanon_cli.kernels.candidates import Candidates, Kinds

IntArray = npt.NDArray[np.int64]

NAME = "recombining"  # of these kernels

MOST_KINDS = 64  # in all candidates together, for each row
LOOKS = 40  # at a row in a box take as long as one touch of a row
MOST_STEPS = 100  # by which what rows pay is changed
FIRST_STRIDE, STRIDE, SHORTENED = 64, 40, 5  # a step in parts of 64 of a whole one, shortened to so many eighths ...
PATIENCE = 10  # ... after so many steps in vain
HOPE = 25  # steps are as long as if the clustering could cost so many parts of 1000 less than the best
LOSING = 0.48  # times k: cells that a box may cost more than its rows pay
WEIGHTS = np.random.SeedSequence(0)  # of what tells boxes apart


class Recombination:
    """Boxes that were clusters in a search, and what each row pays."""

    def __init__(self, search: Search) -> None:
        from kanon_cli.kernels.candidates import Candidates, Kinds

        self.search, self.ground, self.order = search, search.ground, search.first_order
        self.bits = max(int(search.problem.costs.unit).bit_length() - 8, 0)  # of a step in which kinds are told apart
        rows = self.ground.coordinate[self.order]
        differs = np.append(True, (rows[1:] != rows[:-1]).any(axis=1))
        self.kind_at: IntArray = np.append(np.flatnonzero(differs), len(rows))
        self.kinds: Kinds = Kinds(rows[differs], np.diff(self.kind_at))
        self.lo, self.hi = [self.kinds.coordinate[:0]], [self.kinds.coordinate[:0]]  # of what is new
        no_rows, self.names = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.uint64)  # a number tells boxes apart
        self.known = Candidates(no_rows, np.zeros(1, dtype=np.int64), no_rows.astype(np.int32))
        self.pays: IntArray | None = None

    def remember(self) -> None:
        """Let the clusters that there are now be candidates."""
        self.lo.append(self.search.clustering.lo)
        self.hi.append(self.search.clustering.hi)

    def recombine(self, touches: int) -> npt.NDArray[np.int32] | None:
        """Give another grouping, or nothing if no candidates are worth it, for so much of the effort at most."""
        from kanon_cli.kernels.selecting import join_rest, take_boxes

        self._look_into_new_boxes()
        candidates, stride = self.known, STRIDE
        if self.pays is None:
            self.pays, stride = self._paid_now(), FIRST_STRIDE
        looks, touch = max(len(candidates.kind), 1), LOOKS * len(self.order)
        steps = min(touches * touch // looks, MOST_STEPS)
        self.pays = self._pay(candidates, self.pays, steps, stride)
        self.search.touches += min(steps * looks // touch + 1, touches)
        group_of = np.full(len(self.order), -1, dtype=np.int32)
        k = self.ground.k
        least = -int(LOSING * k * self.search.problem.costs.unit)
        groups = take_boxes(candidates, self.pays, self.kind_at, k, self.bits, least, group_of)
        if groups < 2:
            return None
        join_rest(self.ground, self.order, group_of, groups)
        result = np.empty_like(group_of)
        result[self.order] = group_of
        return result

    def _paid_now(self) -> IntArray:
        """What the rows of each kind pay in the clustering that there is, on average."""
        clustering, paid = self.search.clustering, np.empty(len(self.order), dtype=np.int64)
        by = np.argsort(clustering.first)
        paid[self.search.order] = np.repeat(clustering.price[by], clustering.size[by])
        total: IntArray = np.add.reduceat(paid[self.order], self.kind_at[:-1])
        return total // self.kinds.copies

    def _look_into_new_boxes(self) -> None:
        """Find the kinds within boxes that are new, and put all boxes in order, those that were found last first.

        Where there is no room for so many kinds, the last in this order go.
        """
        from kanon_cli.kernels.candidates import Candidates, find_kinds, widen_all

        lo, hi, most = np.concatenate(self.lo[::-1]), np.concatenate(self.hi[::-1]), MOST_KINDS * len(self.order)
        self.lo, self.hi = [lo[:0]], [hi[:0]]
        price, names = widen_all(lo, hi, self.ground), _names(lo, hi)
        new = np.sort(np.unique(names, return_index=True)[1])
        new = new[~np.isin(names[new], self.names)]
        first, kind = find_kinds(lo[new], hi[new], self.kinds, most)
        new, known = new[: len(first) - 1], self.known
        known = Candidates(
            np.append(price[new], known.price),
            np.append(first, first[-1] + known.first[1:]),
            np.append(kind, known.kind),
        )
        every, last = np.unique(np.append(names, self.names), return_index=True)
        self.names = np.append(names[new], self.names)
        by = np.argsort(last[np.searchsorted(every, self.names)])
        by = by[np.cumsum(np.diff(known.first)[by]) <= most]
        self.names, self.known = self.names[by], _chosen(known, by)

    def _pay(self, candidates: Candidates, pays: IntArray, steps: int, stride: int) -> IntArray:
        """Raise what kinds pay that no box takes, and lower it where several do; give what proves most.

        What all rows pay less what the boxes are worth is a lower bound for any clustering out of these boxes.
        """
        copies, cost = self.kinds.copies, self.search.cost
        hope, most, best, stalled = cost - cost * HOPE // 1000, -1 << 62, pays, 0
        for _ in range(steps):
            worth, taken = self._open(candidates, pays)
            bound = int((pays * copies).sum()) - worth
            most, best, stalled = (bound, pays, 0) if bound > most else (most, best, stalled + 1)
            if stalled >= PATIENCE:
                stride, stalled, pays = stride * SHORTENED // 8, 0, best
                continue
            lacking = copies - taken
            length = (stride * max(hope - bound, cost >> 10) << 8) // (64 * max(int((lacking * lacking).sum()), 1))
            pays = np.maximum(pays + (lacking * min(length, 1 << 40) >> 8), 0)
        return best

    def _open(self, candidates: Candidates, pays: IntArray) -> tuple[int, IntArray]:
        """What all boxes are worth that are worth anything, and how many rows of each kind they take."""
        from kanon_cli.kernels.multipliers import open_boxes

        worth, taken = list[int](), list[IntArray]()

        def work(first: int, last: int) -> None:
            own = np.zeros(len(pays), dtype=np.int64)
            worth.append(open_boxes(candidates, first, last, pays, self.kinds.copies, self.ground.k, self.bits, own))
            taken.append(own)

        self.search.share_out(len(candidates.price), work)
        return sum(map(int, worth)), np.sum(taken, axis=0)


def _names(lo: npt.NDArray[np.int32], hi: npt.NDArray[np.int32]) -> npt.NDArray[np.uint64]:
    """[box] a number that hardly any other box has; of two that share one, the later would be left out."""
    weights = np.random.default_rng(WEIGHTS).integers(0, 1 << 62, (2, lo.shape[1]), dtype=np.uint64) * 2 + 1
    names: npt.NDArray[np.uint64] = lo.astype(np.uint64) @ weights[0] + hi.astype(np.uint64) @ weights[1]
    return names


def _chosen(candidates: Candidates, by: IntArray) -> Candidates:
    """Some of the candidates, in another order."""
    from kanon_cli.kernels.candidates import Candidates

    kinds = np.diff(candidates.first)[by]
    first = np.append(0, np.cumsum(kinds))
    at = np.repeat(candidates.first[by] - first[:-1], kinds) + np.arange(first[-1])
    return Candidates(candidates.price[by], first, candidates.kind[at])


def use_all(problem: Problem) -> None:
    """Use every kernel that recombines, which compiles them."""
    with ThreadPoolExecutor(1) as pool:
        search = Search(problem, Terms(), pool, sorted_rows(problem), problem.rows)
        search.ground = ground_of(problem, 2)
        search.take((np.arange(problem.rows) // 2).astype(np.int32))
        found = Recombination(search)
        found.remember()
        found.recombine(1)
