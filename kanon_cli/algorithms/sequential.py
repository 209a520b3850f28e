"""Sequential clustering."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from kanon_cli.algorithms.base import Algorithm, GroupArray, Grouping, Terms, renumber
from kanon_cli.problem import Problem

if TYPE_CHECKING:
    from kanon_cli.kernels.clusters import Clusters
    from kanon_cli.kernels.layers import Layers
    from kanon_cli.kernels.secrets import Tariffs
    from kanon_cli.kernels.splits import Draws, Rules

Tell = Callable[[float], None]

LEAST_GAIN = 1000  # a pass that lowers the cost by less than one part in this many has not improved it ...
PATIENCE = 3  # ... and so many in a row end the search
GONE = 8  # places of clusters are closed up as soon as one in so many is empty
VISITS = 1 << 25  # row-cluster visits between two looks at the outside world: some hundredths of a second


class Sequential(Algorithm):
    """Starts from random small groups and moves one record after the other to where it costs least.

    Pass after pass over a random partition into groups of alpha * k records, every record is moved to the group where
    it costs least, if that lowers the total cost, and groups that grow beyond omega * k are split in two at random.
    When passes gain nothing any more, groups that are below k are unified, the two nearest first, and a last one with
    its nearest.

    Details: groups may shrink below k on the way and vanish. With several starts, by `restarts` or `k0`, all of that is
    done for each, and the result that costs least is kept. With `pmi` and `wmi`, what a group costs is summed up over
    the sensitive values of its rows.
    Guarantee: every group has k rows, because the last steps unify all that have not. With caps on sensitive values
    the start spreads each value evenly, a record moves only where no group of k or more gets further from its
    promise, and groups that are short of it at the end are unified with the cheapest group that makes them whole.
    With `judged: all`, every group keeps its caps all the time, and so do unions of groups that do.
    Cost: O(r n^2 / k) time a pass, some 10 passes, for each start, and that for each sensitive value where the measure
    depends on it; O(r n) memory.
    Choose: for a good grouping in one go, in tables of up to some 100,000 rows; at large k it is at its fastest.
    Source: Goldberger and Tassa 2010, algorithms 1 to 3.
    Departs: a group is split as soon as it has grown too large, as section 6.3 says (line 9 of algorithm 1 waits for
    the end of the pass: `split: after-pass`), which is nearer to the paper's table 2: the mean lm on Adult at k = 10
    and 50 is 0.298 and 0.398, after the pass 0.311 and 0.398, in the paper 0.302 and 0.394. A record that is alone
    moves at any cost, so that passes can go round in circles: three in a row that gain less than a thousandth end the
    search (the paper: when no record moves, or improvements become small). With caps, values are dealt to the start
    groups in turn, which gives equal sizes as well as an even spread (algorithm 3 draws roundings at random); groups
    below k are not judged, as they will be unified (algorithm 2 judges them, so that the smallest can hardly change);
    what falls short is repaired at the end instead of giving up all detail (step 3 of algorithm 2). `judged: all`
    does these three as the paper does, rows with the same values in all sensitive columns being dealt together.
    """

    name: ClassVar[str] = "sequential"
    randomized: ClassVar[bool] = True
    shardable: ClassVar[bool] = True
    memory: ClassVar[str] = "O(r n)"
    counts_kept: ClassVar[bool] = True
    by_secret: ClassVar[bool] = True

    alpha: float = Field(default=0.5, gt=0, le=1, description="size of the start groups, as a share of k")
    omega: float = Field(default=1.5, gt=1, le=2, description="groups larger than omega * k are split")
    passes: int = Field(default=50, ge=1, description="passes over the table at the most")
    split: Literal["at-once", "after-pass"] = Field(
        default="at-once", description="when a group that has grown too large is split: at once, or after the pass"
    )
    restarts: int = Field(default=1, ge=1, description="random starts, of which the best result is kept")
    k0: tuple[Annotated[int, Field(ge=1)], ...] = Field(
        default=(),
        description="sizes of the start groups to try instead of alpha * k, each at most k; the best result is kept",
    )
    judged: Literal["grown", "all"] = Field(
        default="grown",
        description="which groups have to keep caps on sensitive values on the way: those grown to k rows, or all, as "
        "in the paper, which loses more at small k; then, if the start falls short, all rows become one group",
    )

    def partition(self, problem: Problem, terms: Terms) -> Grouping:
        """Run algorithm 1, or with caps algorithm 2, from every start and keep the cheapest result."""
        search = self._search(problem)
        rng = np.random.default_rng(terms.seed)
        k = problem.aim.k
        sizes = [min(size, k) for size in self.k0] or [max(int(self.alpha * k), 1)]
        starts = [size for size in sizes for _ in range(self.restarts)]
        best: _Found | None = None
        for at, size in enumerate(starts):

            def tell(done: float, at: int = at) -> None:
                terms.progress((at + done) / len(starts), f"start {at + 1} of {len(starts)}")

            found = search.run(size, rng, tell)
            if best is None or found.cost < best.cost:
                best = found
        if best is None:
            raise AssertionError("there is always a start")
        if best.facts.get("fell_back"):
            terms.warn("no start of sequential keeps the promise in every group: all rows are one (judged: all)")
        return Grouping(best.group_of, {**best.facts, "starts": len(starts)})

    def _search(self, problem: Problem) -> _Search:
        from kanon_cli.kernels.layers import EVERY_DEPTH, lay
        from kanon_cli.kernels.splits import Rules

        k, has_caps = problem.aim.k, len(problem.aim.values) > 0
        rules = Rules(
            judged_from=1 if self.judged == "all" else k,
            largest=int(self.omega * k),
            at_once=self.split == "at-once",
            rounded=self.judged == "all" and has_caps,
        )
        if problem.private is None:
            return _Search(problem, lay(problem.costs, problem.rank_of), rules, self.passes, problem.floor)
        layers = lay(problem.costs, problem.rank_of, EVERY_DEPTH)
        return _PrivateSearch(problem, layers, rules, self.passes, problem.floor, problem.private.tariffs)


@dataclass(frozen=True)
class _Found:
    """What a start has led to."""

    group_of: GroupArray
    cost: int
    facts: dict[str, int | float | bool]


@dataclass(frozen=True)
class _Search:
    """A problem and how to go about it."""

    problem: Problem
    layers: Layers
    rules: Rules
    passes: int
    floor: int

    def run(self, size: int, rng: np.random.Generator, tell: Tell) -> _Found:
        """Go from random groups of `size` rows to groups that keep the aim."""
        from kanon_cli.kernels.splits import split_large

        group_of = self._start(size, rng)
        if self.rules.rounded and self._falls_short(group_of):
            whole = np.zeros(self.problem.rows, dtype=np.int32)
            return _Found(whole, self._cost(self._gather(whole)), {"fell_back": True})
        facts = {"passes": 0, "moves": 0, "splits": 0}
        first_moves = calm = 0
        best = math.inf
        while True:
            draws = self._draw(rng)
            share = partial(self._share, facts["passes"], first_moves)
            clusters, count, moves, splits = self._pass(group_of, draws, share, tell)
            first_moves = first_moves or moves
            cost = self._cost(clusters)
            if not self.rules.at_once:
                splits = int(
                    split_large(clusters, self.layers, self.problem.costs, self.problem.aim, self.rules, draws, count)
                )
            facts = {"passes": facts["passes"] + 1, "moves": facts["moves"] + moves, "splits": facts["splits"] + splits}
            calm = 0 if LEAST_GAIN * cost < (LEAST_GAIN - 1) * best else calm + 1
            best = min(best, cost)
            if moves == 0 or calm == PATIENCE or facts["passes"] == self.passes:
                break
            group_of = renumber(clusters.group_of)
        unified = self._unify(clusters)
        return _Found(renumber(clusters.group_of), self._cost(clusters), {**facts, "unified": unified})

    def _pass(
        self, group_of: GroupArray, draws: Draws, share: Callable[[int, float], float], tell: Callable[[float], None]
    ) -> tuple[Clusters, int, int, int]:
        """Visit every row; give the clusters, how many places they take, moves and splits."""
        rows = self.problem.rows
        row = moves = splits = 0
        clusters, count = self._gather(group_of), int(group_of.max()) + 1
        while row < rows:
            end = min(row + max(VISITS // count, 1), rows)
            found = self._relocate(clusters, draws, row, end, count)
            row, count, moves, splits = found[0], found[1], moves + found[2], splits + found[3]
            gone = count - np.count_nonzero(clusters.closures.size)
            if row < end or (
                row < rows and gone * GONE > count
            ):  # there is no room for one more cluster, or much waste
                group_of = renumber(clusters.group_of)
                clusters, count = self._gather(group_of), int(group_of.max()) + 1
            tell(share(moves, row / rows))
        return clusters, count, moves, splits

    def _relocate(self, clusters: Clusters, draws: Draws, row: int, end: int, count: int) -> tuple[int, int, int, int]:
        """Visit rows; give the row to go on with, and the numbers of clusters, moves and splits."""
        from kanon_cli.kernels.moves import relocate

        problem = self.problem
        found: tuple[int, int, int, int] = relocate(
            clusters, self.layers, problem.costs, problem.aim, self.rules, draws, row, end, count
        )
        return found

    def _share(self, done: int, first_moves: int, moves: int, of_pass: float) -> float:
        """Guess how much is done: moves fall from pass to pass."""
        if done == 0:
            return 0.2 * of_pass
        return min(0.99, max(0.2 + 0.8 * (1 - moves / max(first_moves, 1)) * of_pass, (done + of_pass) / self.passes))

    def _start(self, size: int, rng: np.random.Generator) -> GroupArray:
        """Deal the rows in random order, equal sensitive values one after the other, to groups of so many rows."""
        groups = max(self.problem.rows // size, 1)
        order = self._order(rng)
        group_of = np.empty(self.problem.rows, dtype=np.int32)
        group_of[order] = np.arange(self.problem.rows) % groups
        if self.rules.rounded:  # algorithm 3: for each value anew it is drawn which groups get one row more
            values = self.problem.aim.secret_of[:, order]
            starts = np.flatnonzero(np.append(True, (values[:, 1:] != values[:, :-1]).any(axis=0)))
            for rows in np.split(order, starts[1:]):
                group_of[rows] = rng.permutation(groups)[np.arange(len(rows)) % groups]
        return renumber(group_of)

    def _order(self, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        """The rows in random order, equal sensitive values one after the other."""
        order = rng.permutation(self.problem.rows)
        secret_of = self.problem.aim.secret_of
        return order[np.lexsort(secret_of[::-1, order])] if len(secret_of) else order

    def _draw(self, rng: np.random.Generator) -> Draws:
        from kanon_cli.kernels.splits import Draws

        rows = self.problem.rows
        key_of = np.empty(rows, dtype=np.int64)
        key_of[self._order(rng)] = np.arange(rows)
        return Draws(key_of, rng.integers(0, 2, rows if self.rules.rounded else 0).astype(np.bool_))

    def _gather(self, group_of: GroupArray) -> Clusters:
        """The state of a grouping, with room for all splits of a pass."""
        from kanon_cli.kernels.clusters import gather

        room = int(group_of.max()) + 1 + self.problem.rows // (self.rules.largest + 1) + 1
        return gather(self.layers, self.problem.costs, self.problem.aim, group_of, room)

    def _falls_short(self, group_of: GroupArray) -> bool:
        """Whether a group does not keep its promises (step 3 of algorithm 2)."""
        from kanon_cli.kernels.clusters import shortfall_of

        clusters, aim = self._gather(group_of), self.problem.aim
        return any(shortfall_of(clusters, aim, c) > 0 for c in range(int(group_of.max()) + 1))

    def _unify(self, clusters: Clusters) -> int:
        """Unify what is below k or short of the promise."""
        from kanon_cli.kernels.unions import unify_small, unify_unfinished

        unified = unify_small(clusters, self.layers, self.problem.costs, self.problem.aim.k)
        return int(unified + unify_unfinished(clusters, self.layers, self.problem.costs, self.problem.aim))

    def _cost(self, clusters: Clusters) -> int:
        """What the rows of all clusters lose together."""
        return int((clusters.closures.price * clusters.closures.size).sum()) - self.floor


@dataclass(frozen=True)
class _PrivateSearch(_Search):
    """The same where rows cost by their sensitive values: each move's cost is summed up over these."""

    tariffs: Tariffs

    def _relocate(self, clusters: Clusters, draws: Draws, row: int, end: int, count: int) -> tuple[int, int, int, int]:
        from kanon_cli.kernels.secrets import relocate_by_secret

        problem = self.problem
        found: tuple[int, int, int, int] = relocate_by_secret(
            clusters, self.layers, self.tariffs, problem.costs, problem.aim, self.rules, draws, row, end, count
        )
        return found

    def _unify(self, clusters: Clusters) -> int:
        from kanon_cli.kernels.secrets import unify_small_by_secret, unify_unfinished_by_secret

        aim = self.problem.aim
        unified = unify_small_by_secret(clusters, self.layers, self.tariffs, aim.k)
        return int(unified + unify_unfinished_by_secret(clusters, self.layers, self.tariffs, aim))

    def _cost(self, clusters: Clusters) -> int:
        from kanon_cli.kernels.secrets import total_cost

        return int(total_cost(clusters, self.layers, self.tariffs)) - self.floor
