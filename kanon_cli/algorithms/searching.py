"""A clustering of all rows that is improved round after round."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from kanon_cli.algorithms.base import Terms
from kanon_cli.algorithms.grounds import cut_into_chunks, ground_of, least_size, sizes_of, sorted_rows
from kanon_cli.problem import Problem

if TYPE_CHECKING:
    from kanon_cli.kernels.clusterings import Clustering, Ground, Layout
    from kanon_cli.kernels.improving import Bench

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

NAME = "starting"  # of the kernels of a search but that of its rounds

WARD = 96  # clusters that are worked on together
FEW_STEPS, MORE_STEPS = 2, 16  # tell clusters apart in a column whose values are near or far; more, where secrets count
FINER = 4  # times as many steps as there would have to be at the least if values were spread evenly
CHUNKS = (1500, 6000)  # rows that are clustered together at the start: 100 k, as long as that is between these ...
CHUNK_CLUSTERS = 15  # ... and so many times k at the least
SMALLER = 115  # a start with smaller clusters may cost so many hundredths of what the cheapest costs
SHARE = 0.75  # of the clusters that there could be are made at the start
LARGEST_K = 1 << 13  # beyond it clustering a pool takes too long, and the start is the result
HEAT = 200_000  # over the root of k: parts of 2 ** 20 by which a rebuilt pool may cost more where little is lost
EVEN = 8  # one part in so many of a round's work goes by the rows, the rest by what they cost
LEAST_WORK = 1024  # a ward is worked on for that long at the least, or waits for its turn ...
LEAST_PART = 64  # ... or, in a small table, for one part in so many of a round's work
TASKS = 4  # pieces of work for each thread: threads that end early take one more


class Search:
    """A clustering that is being improved."""

    def __init__(self, problem: Problem, terms: Terms, pool: Executor, order: IntArray, all_rows: int) -> None:
        self.problem = problem
        self.terms = terms
        self.pool = pool
        self.ground: Ground
        self.rng = np.random.default_rng(terms.seed)
        self.touches = 0  # work per record: a round takes 1
        self.rounds = 0
        self.waiting = 0  # work of wards since the last one had its turn
        self.losses: list[float] = []
        self.first_loss = 1.0  # of what would be lost if every cell told nothing
        self.first_order = order
        self.whole = int(problem.costs.unit) * len(problem.rank_of) * all_rows  # the price of a loss of 1
        self.clustering: Clustering
        self.layout: Layout
        self.spare: Layout | None = None  # where the next round puts the rows: they go to and fro between the two
        self.kept: tuple[int, IntArray, Clustering] | None = None  # the best so far, once it has been left
        self.benches: list[Bench] = []  # where nobody works at present

    @property
    def can_improve(self) -> bool:
        """Whether there is anything that could cost less."""
        return self.cost > 0 and len(self.clustering.size) > 1 and self.ground.k <= LARGEST_K

    def start(self) -> None:
        """Find a first clustering: one of several where promises leave open how large clusters should be.

        It is the one with the smallest clusters of those that cost little more than the cheapest: the search wins more
        where clusters may be small.
        """
        found = list[tuple[int, "Ground", IntArray, "Clustering"]]()

        def keep(begin: Callable[[], None], size: int) -> None:
            self.ground = ground_of(self.problem, size)
            begin()
            found.append((self.cost, self.ground, self.order, self.clustering))

        for size in sizes_of(self.problem.aim):
            keep(self._start_by_cuts if size > LARGEST_K else self._start_by_chunks, size)
            if len(found) > 1 and found[-1][0] > found[-2][0]:
                break  # still larger clusters would cost even more
        if all(len(clustering.size) == 1 for *_, clustering in found):  # as soon as any two do, it goes on by itself
            found.clear()
            keep(self._start_by_cuts, least_size(self.problem.aim))
        enough = min(start[0] for start in found) * SMALLER // 100
        _, self.ground, order, self.clustering = next(start for start in found if start[0] <= enough)
        self._lay(order)
        self.benches.clear()  # each is made for a ground
        most = int(self.problem.costs.full.sum()) * self.problem.rows
        self.first_loss = min(self.cost / max(most, 1), 1.0)
        self.note()

    def _start_by_chunks(self) -> None:
        """Cluster chunks of similar rows, each with its part of every secret."""
        from kanon_cli.kernels.clusterings import enclose, no_clustering

        ground = self.ground
        rows = min(max(CHUNKS[0], 100 * ground.k), CHUNKS[1])
        order, cuts = cut_into_chunks(self.problem, self.first_order, max(rows, CHUNK_CLUSTERS * ground.k))
        self._lay(order)
        chunks = no_clustering(len(cuts) - 1, ground.coordinate.shape[1])._replace(first=cuts[:-1], size=np.diff(cuts))
        enclose(chunks, order, ground)
        self.clustering = chunks
        self._improve(np.arange(len(chunks.size)), np.arange(len(cuts)), SHARE, 0)

    def _start_by_cuts(self) -> None:
        """Cut the table as mondrian does: groups of many rows are found faster from above."""
        from kanon_cli.kernels import cuts

        problem = self.problem
        state = cuts.start(problem.rows, problem.aim.k)
        while cuts.cut(state, problem.rank_of, problem.costs, problem.aim, False, problem.rows):
            pass
        self.take(state.group_of)

    @property
    def heat(self) -> int:
        """How much more a rebuilt pool may cost at first; sums over more rows vary less, so they need less.

        So they do where much is lost already: less of that is left to chance.
        """
        return int(HEAT * (1 - self.first_loss) / math.sqrt(self.ground.k))

    def round(self, heat: int) -> None:
        """Order the clusters by closure under a random order of columns, cut them into wards, improve every ward."""
        by = self._sorted()
        first = int(self.rng.integers(1, WARD + 1))
        cuts = np.array([0, *range(first, len(by), WARD), len(by)], dtype=np.int64)
        self._improve(by, cuts, 1.0, heat)
        self.touches += 1
        self.rounds += 1
        self.note()

    def _improve(self, by: IntArray, cuts: IntArray, share: float, heat: int) -> None:
        """Let the threads work on all wards: see the kernel of that name."""
        from kanon_cli.kernels.clusterings import Clustering, Layout
        from kanon_cli.kernels.improving import improve, make_bench

        clustering, ground, here, result = self.clustering, self.ground, self.layout, self._no_clustering()
        there = self.spare or Layout._make(np.empty_like(array) for array in here)
        seed_of, size = self._seeds(len(cuts) - 1), clustering.size[by]
        rows_of = np.add.reduceat(size, cuts[:-1])
        work_of, is_start = rows_of, share < 1
        if not is_start:
            work_of = self._dealt(_work_of(rows_of, np.add.reduceat(size * clustering.price[by], cuts[:-1])))
        begin = np.cumsum(rows_of) - rows_of

        def work(first: int, last: int) -> None:
            wards, amounts, seeds = cuts[first : last + 1], work_of[first:last], seed_of[first:last]
            most_rows = int(rows_of[first:last].max(initial=0))
            bench = make_bench(most_rows, ground, True) if is_start else self._bench(most_rows)
            position = int(begin[first]) if first < last else 0
            improve(clustering, by, wards, here, there, result, position, bench, ground, share, amounts, heat, seeds)
            if not is_start:
                self.benches.append(bench)

        self.share_out(work_of, work)
        alive = np.flatnonzero(result.size)
        self.clustering = Clustering._make(array.take(alive, axis=0) for array in result)
        self.layout, self.spare = there, here

    def _bench(self, rows: int) -> Bench:
        """A bench that has room for so many rows: one where nobody works, or a new one with some room to spare."""
        from kanon_cli.kernels.improving import make_bench

        try:
            bench = self.benches.pop()
        except IndexError:  # all are in use
            bench = None
        return bench if bench and len(bench.ward.row) >= rows else make_bench(rows + rows // 4, self.ground, False)

    def _dealt(self, work_of: IntArray) -> IntArray:
        """[ward] what of the work is done in this round.

        To move a ward's rows takes longer than to do little work on it, so those with little to do take turns: one gets
        the work of all that have waited since the last one had its turn.
        """
        least = max(min(LEAST_WORK, self.problem.rows // LEAST_PART), 1)
        waits = work_of < least
        little = np.where(waits, work_of, 0)
        turns = self.waiting + np.cumsum(little)
        self.waiting = (self.waiting + int(little.sum())) % least
        return np.where(waits, np.diff(turns // least, prepend=0) * least, work_of)

    def share_out(self, amount_of: IntArray, work: Callable[[int, int], None]) -> None:
        """Let the threads work on wards, or whatever takes the work amount_of[i], in pieces of about as much work."""
        count, pieces = len(amount_of), self.terms.threads * TASKS
        if self.terms.threads == 1 or count < 2:
            work(0, count)
            return
        done = np.cumsum(amount_of)
        ends = np.searchsorted(done, np.linspace(0, done[-1], pieces + 1)[1:-1])
        cuts = np.unique([0, *ends, count]).tolist()
        left = iter(list(itertools.pairwise(cuts)))  # all threads take pieces from it

        def take_pieces() -> None:
            for first, last in left:
                work(first, last)

        for thread in [self.pool.submit(take_pieces) for _ in range(self.terms.threads)]:
            thread.result()

    def _sorted(self) -> IntArray:
        """The clusters' numbers in the order of what they cover, under a random order of columns."""
        from kanon_cli.kernels.clusterings import sort_keys

        columns, steps = self._sorting(len(self.clustering.size) // WARD)
        return np.argsort(sort_keys(self.clustering, self.ground, columns, steps), kind="stable")

    def _sorting(self, wards: int) -> tuple[IntArray, IntArray]:
        """A random order of columns, and [column] by how many steps clusters are told apart in it, 0: by every value.

        Clusters that have a value in common belong together. Where values are near each other or far, few steps do,
        unless there are more wards than the other columns have values. Where k is all that is promised, columns of few
        values come first more often.
        """
        is_line, told, likely, least = self._ways
        steps = math.ceil(FINER * (wards / told) ** (1 / max(int(is_line.sum()), 1)))
        columns = self.rng.choice(len(likely), len(likely), replace=False, p=likely)
        return columns, np.where(is_line, max(steps, least), 0)

    @cached_property
    def _ways(self) -> tuple[BoolArray, float, FloatArray, int]:
        """[column] whether its values are near or far, what others tell apart, how likely it is early, least steps."""
        from kanon_cli.kernels.costs import FLAT

        costs, is_free = self.problem.costs, not len(self.problem.aim.values)
        is_line = ~costs.is_tree & (costs.form != FLAT)
        told = float(np.prod(costs.ranks[~is_line], dtype=np.float64))
        likely = 1 / np.sqrt(costs.ranks) if is_free else np.ones(len(costs.ranks))
        return is_line, told, likely / likely.sum(), FEW_STEPS if is_free else MORE_STEPS

    def _no_clustering(self) -> Clustering:
        """Make room for a clustering."""
        from kanon_cli.kernels.clusterings import no_clustering

        rows, columns = self.ground.coordinate.shape
        return no_clustering(rows // self.ground.k + 1, columns)

    def _seeds(self, count: int) -> npt.NDArray[np.uint64]:
        """[ward] where its random numbers start: each has its own, whatever thread works on it."""
        return self.rng.integers(1, 2**64, count, dtype=np.uint64)

    @property
    def order(self) -> IntArray:
        """The rows in the order of their clusters."""
        return self.layout.row

    @property
    def cost(self) -> int:
        """What all rows cost."""
        return int((self.clustering.price * self.clustering.size).sum())

    def keep_best(self) -> None:
        """Go on from the best clustering so far: this one, or what was kept."""
        if self.kept is None or self.cost < self.kept[0]:
            self.kept = self.cost, self.order.copy(), self.clustering
        else:
            _, order, self.clustering = self.kept
            self._lay(order)

    def take(self, group_of: npt.NDArray[np.int32]) -> None:
        """Go on from another clustering."""
        from kanon_cli.kernels.clusterings import describe

        self.clustering, order = describe(group_of, self.ground)
        self._lay(order)

    def _lay(self, order: IntArray) -> None:
        """Lay the rows out in an order."""
        from kanon_cli.kernels.clusterings import lay

        self.layout, self.spare = lay(order, self.ground), None

    def note(self) -> None:
        """Remember the least loss so far and tell how far the search is."""
        cost = self.cost if self.kept is None else min(self.cost, self.kept[0])
        self.losses.append(cost / self.whole)
        self.terms.progress(self.touches / max(self.terms.effort, 1), self.terms.say(self.losses[-1]))

    def group_of(self) -> npt.NDArray[np.int32]:
        """The group of each row."""
        result = np.empty(len(self.order), dtype=np.int32)
        by = np.argsort(self.clustering.first)
        result[self.order] = np.repeat(np.arange(len(by), dtype=np.int32), self.clustering.size[by])
        return result


def _work_of(rows: IntArray, cost: IntArray) -> IntArray:
    """[ward] how many rows to work on, as many as there are in all: much of the cost is often that of few wards."""
    if not cost.any():
        return rows
    return (rows + (EVEN - 1) * int(rows.sum()) * (cost / int(cost.sum()))).astype(np.int64) // EVEN


def search_of(problem: Problem, pool: Executor) -> Search:
    """A search whose clusters have two rows at least, to use kernels with."""
    search = Search(problem, Terms(), pool, sorted_rows(problem), problem.rows)
    search.ground = ground_of(problem, 2)
    search.clustering = search._no_clustering()
    search._lay(search.first_order)
    return search


def use_rounds(problem: Problem) -> None:
    """Improve no clusters, which compiles all that goes on in a round: that takes longer than everything else."""
    with ThreadPoolExecutor(1) as pool:
        nothing = np.zeros(0, dtype=np.int64)
        search_of(problem, pool)._improve(nothing, np.zeros(1, dtype=np.int64), 1.0, 0)


def use_all_else(problem: Problem) -> None:
    """Use every other kernel of a search, which compiles them."""
    with ThreadPoolExecutor(1) as pool:
        search = search_of(problem, pool)
        cut_into_chunks(problem, search.order, problem.rows)
        search._sorted()
        search.take(np.zeros(problem.rows, dtype=np.int32))
