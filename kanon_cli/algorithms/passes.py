"""Passes over all rows, each of which moves to where it costs least: the search of sequential clustering."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from kanon_cli.algorithms.base import GroupArray, renumber
from kanon_cli.problem import Problem

if TYPE_CHECKING:
    from kanon_cli.kernels.clusters import Clusters
    from kanon_cli.kernels.layers import Layers
    from kanon_cli.kernels.secrets import Tariffs
    from kanon_cli.kernels.splits import Draws, Rules

Tell = Callable[[float], None]

MOST_PASSES = 50  # unless an option says otherwise ...
OMEGA = 1.5  # ... and groups larger than this times k are split
LEAST_GAIN = 1000  # a pass that lowers the cost by less than one part in this many has not improved it ...
PATIENCE = 3  # ... and so many in a row end the search
GONE = 8  # places of clusters are closed up as soon as one in so many is empty
VISITS = 1 << 25  # row-cluster visits between two looks at the outside world: some hundredths of a second


def search_of(problem: Problem, rules: Rules, passes: int) -> Search:
    """Lay out a problem for passes by its costs, or by the exact ones if it has them."""
    from kanon_cli.kernels.layers import EVERY_DEPTH, lay

    if problem.exact is None:
        return Search(problem, lay(problem.costs, problem.rank_of), rules, passes, problem.floor)
    layers = lay(problem.exact.costs, problem.rank_of, EVERY_DEPTH)
    exact = Problem(problem.rank_of, problem.exact.costs, problem.aim, problem.label_of)
    return ExactSearch(exact, layers, rules, passes, problem.exact.floor, problem.exact.tariffs)


@dataclass(frozen=True)
class Found:
    """What a start has led to."""

    group_of: GroupArray
    cost: int
    facts: dict[str, int | float | bool]


@dataclass(frozen=True)
class Search:
    """A problem and how to go about it."""

    problem: Problem
    layers: Layers
    rules: Rules
    passes: int
    floor: int

    def run(self, group_of: GroupArray, rng: np.random.Generator, tell: Tell) -> Found:
        """Go from any groups to groups that keep the aim."""
        from kanon_cli.kernels.splits import split_large

        if self.rules.rounded and self._falls_short(group_of):
            whole = np.zeros(self.problem.rows, dtype=np.int32)
            return Found(whole, self.cost(self.gather(whole)), {"fell_back": True})
        facts = {"passes": 0, "moves": 0, "splits": 0}
        first_moves = calm = 0
        best = math.inf
        while True:
            draws = self._draw(rng)
            share = partial(self._share, facts["passes"], first_moves)
            clusters, count, moves, splits = self._pass(group_of, draws, share, tell)
            first_moves = first_moves or moves
            cost = self.cost(clusters)
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
        return Found(renumber(clusters.group_of), self.cost(clusters), {**facts, "unified": unified})

    def _pass(
        self, group_of: GroupArray, draws: Draws, share: Callable[[int, float], float], tell: Callable[[float], None]
    ) -> tuple[Clusters, int, int, int]:
        """Visit every row; give the clusters, how many places they take, moves and splits."""
        rows = self.problem.rows
        row = moves = splits = 0
        clusters, count = self.gather(group_of), int(group_of.max()) + 1
        while row < rows:
            end = min(row + max(VISITS // count, 1), rows)
            found = self._relocate(clusters, draws, row, end, count)
            row, count, moves, splits = found[0], found[1], moves + found[2], splits + found[3]
            gone = count - np.count_nonzero(clusters.closures.size)
            if row < end or (
                row < rows and gone * GONE > count
            ):  # there is no room for one more cluster, or much waste
                group_of = renumber(clusters.group_of)
                clusters, count = self.gather(group_of), int(group_of.max()) + 1
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

    def start(self, size: int, rng: np.random.Generator) -> GroupArray:
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

    def gather(self, group_of: GroupArray) -> Clusters:
        """The state of a grouping, with room for all splits of a pass."""
        from kanon_cli.kernels.clusters import gather

        room = int(group_of.max()) + 1 + self.problem.rows // (self.rules.largest + 1) + 1
        return gather(self.layers, self.problem.costs, self.problem.aim, group_of, room)

    def _falls_short(self, group_of: GroupArray) -> bool:
        """Whether a group does not keep its promises (step 3 of algorithm 2)."""
        from kanon_cli.kernels.clusters import shortfall_of

        clusters, aim = self.gather(group_of), self.problem.aim
        return any(shortfall_of(clusters, aim, c) > 0 for c in range(int(group_of.max()) + 1))

    def _unify(self, clusters: Clusters) -> int:
        """Unify what is below k or short of the promise."""
        from kanon_cli.kernels.unions import unify_small, unify_unfinished

        unified = unify_small(clusters, self.layers, self.problem.costs, self.problem.aim.k)
        return int(unified + unify_unfinished(clusters, self.layers, self.problem.costs, self.problem.aim))

    def cost(self, clusters: Clusters) -> int:
        """What the rows of all clusters lose together."""
        return int((clusters.closures.price * clusters.closures.size).sum()) - self.floor


@dataclass(frozen=True)
class ExactSearch(Search):
    """The same by exact costs: what a move costs is summed up over sensitive values."""

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

    def cost(self, clusters: Clusters) -> int:
        """What the rows of all clusters lose together."""
        from kanon_cli.kernels.secrets import total_cost

        return int(total_cost(clusters, self.layers, self.tariffs)) - self.floor
