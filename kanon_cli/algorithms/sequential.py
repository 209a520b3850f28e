"""Sequential clustering."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt
from pydantic import Field

from kanon_cli.algorithms.base import Algorithm, Grouping, Progress
from kanon_cli.problem import Problem

if TYPE_CHECKING:
    from kanon_cli.kernels.clusters import Clusters

GroupArray = npt.NDArray[np.int32]

LEAST_GAIN = 0.001  # a pass that lowers the cost by a smaller share of it has not improved it ...
PATIENCE = 3  # ... and so many in a row end the search
VISITS = 1 << 24  # row-cluster visits between two looks at the outside world: a tenth of a second


class Sequential(Algorithm):
    """Starts from random small groups and moves one record after the other to where it costs least.

    The start is a random partition into groups of alpha * k records. Pass after pass every record is moved to the
    group where it costs least, if that lowers the total cost; groups may shrink below k on the way and vanish; those
    that grow beyond omega * k are split in two at random. When passes gain nothing any more, groups that are still
    below k are unified, the two nearest first, and a last one with its nearest.

    Guarantee: every group has k rows, because the last steps unify all that have not. With caps on sensitive values the
    start spreads each value evenly, a record moves only where no group of k or more gets further from its promise, and
    groups that are short of it at the end are unified with the cheapest group that makes them whole.
    Cost: O(r n^2 / k) time a pass, some 10 passes; O(n) memory.
    Source: Goldberger and Tassa 2010, algorithms 1 to 3.
    Departs: a record that is alone moves at any cost, so that passes can go round in circles: three in a row that gain
    less than a thousandth end the search (the paper: when no record moves, or improvements become small). With caps,
    values are dealt to the start groups in turn, which gives equal sizes as well as an even spread (algorithm 3 draws
    roundings at random); groups below k are not judged, as they will be unified (algorithm 2 judges them, and then
    hardly any can vanish); what falls short is repaired at the end instead of giving up all detail (step 3 of
    algorithm 2).
    """

    name: ClassVar[str] = "sequential"
    randomized: ClassVar[bool] = True
    shardable: ClassVar[bool] = True
    memory: ClassVar[str] = "O(n)"

    alpha: float = Field(default=0.5, gt=0, le=1, description="size of the start groups, as a share of k")
    omega: float = Field(default=1.5, gt=1, le=2, description="groups larger than omega * k are split")
    passes: int = Field(default=50, ge=1, description="passes over the table at the most")

    def partition(self, problem: Problem, seed: int, progress: Progress) -> Grouping:
        """Run algorithm 1."""
        from kanon_cli.kernels.moves import relocate

        rng = np.random.default_rng(seed)
        group_of = self._start(problem, rng)
        facts = {"passes": 0, "moves": 0, "splits": 0}
        first_moves = calm = 0
        best = math.inf
        for done in range(self.passes):
            clusters = _fill(problem, group_of)
            moves = 0
            step = max(VISITS // len(clusters.size), 1)
            for start in range(0, problem.rows, step):
                end = min(start + step, problem.rows)
                moves += int(relocate(clusters, problem.rank_of, problem.costs, problem.aim, start, end))
                progress(self._share(done, moves, first_moves, end / problem.rows), f"pass {done + 1}")
            first_moves = first_moves or moves
            facts["passes"] += 1
            facts["moves"] += moves
            group_of, splits = self._split(problem, _renumber(clusters.group_of), rng)
            facts["splits"] += splits
            cost = int((clusters.price * clusters.size).sum())
            calm = 0 if cost < (1 - LEAST_GAIN) * best else calm + 1
            best = min(best, cost)
            if moves == 0 or calm == PATIENCE:
                break
        group_of, unified = _finish(problem, group_of)
        return Grouping(group_of, {**facts, "unified": unified})

    def _share(self, done: int, moves: int, first_moves: int, of_pass: float) -> float:
        """Guess how much is done: moves fall from pass to pass."""
        if done == 0:
            return 0.2 * of_pass
        return min(0.99, max(0.2 + 0.8 * (1 - moves / max(first_moves, 1)) * of_pass, (done + of_pass) / self.passes))

    def _start(self, problem: Problem, rng: np.random.Generator) -> GroupArray:
        """Deal the rows in random order, equal sensitive values one after the other, to groups of alpha * k."""
        groups = max(problem.rows // max(int(self.alpha * problem.aim.k), 1), 1)
        order = rng.permutation(problem.rows)
        if len(problem.aim.values):
            order = order[np.lexsort(problem.aim.secret_of[::-1, order])]
        group_of = np.empty(problem.rows, dtype=np.int32)
        group_of[order] = np.arange(problem.rows) % groups
        return group_of

    def _split(self, problem: Problem, group_of: GroupArray, rng: np.random.Generator) -> tuple[GroupArray, int]:
        """Split the groups beyond omega * k into random halves, unless a half would break the promise."""
        from kanon_cli.kernels.clusters import shortfalls

        size = np.bincount(group_of)
        large = size > self.omega * problem.aim.k
        if not large.any():
            return group_of, 0
        order = np.lexsort((rng.permutation(problem.rows), *problem.aim.secret_of[::-1], group_of))
        place = np.empty(problem.rows, dtype=np.int64)
        place[order] = np.arange(problem.rows) - np.repeat(np.cumsum(size) - size, size)
        new_number = len(size) + np.cumsum(large) - 1  # [group] of its second half
        goes = large[group_of] & (place % 2 == 1)
        halves = np.where(goes, new_number[group_of], group_of).astype(np.int32)
        if len(problem.aim.values):
            short = (shortfalls(_fill(problem, halves), problem.aim) > 0) & (np.bincount(halves) >= problem.aim.k)
            broken = np.flatnonzero(large)[short[: len(size)][large] | short[len(size) :]]
            stays = np.isin(group_of, broken)
            halves[stays] = group_of[stays]
            large[broken] = False
        return _renumber(halves), int(large.sum())


def _fill(problem: Problem, group_of: GroupArray) -> Clusters:
    from kanon_cli.kernels.clusters import empty, fill

    codes = int(max(problem.aim.values, default=0))
    columns, rows = problem.rank_of.shape
    clusters = empty(columns, rows, int(group_of.max()) + 1, codes, group_of.copy())
    fill(clusters, problem.rank_of, problem.costs)
    return clusters


def _finish(problem: Problem, group_of: GroupArray) -> tuple[GroupArray, int]:
    """Unify what is below k or short of the promise."""
    from kanon_cli.kernels.unions import unify_small, unify_unfinished

    clusters = _fill(problem, group_of)
    unified = int(unify_small(clusters, problem.costs, problem.aim.k))
    unified += int(unify_unfinished(clusters, problem.costs, problem.aim))
    return _renumber(clusters.group_of), unified


def _renumber(group_of: GroupArray) -> GroupArray:
    """Close the gaps in the numbers of the groups, keeping their order."""
    used = np.bincount(group_of) > 0
    return (np.cumsum(used) - 1)[group_of].astype(np.int32)
