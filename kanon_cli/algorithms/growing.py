"""What k-member and threshold-greedy share: clusters grown from seeds, and the rows that are left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from kanon_cli.algorithms.base import GroupArray, Grouping, Terms, finish
from kanon_cli.problem import Problem

if TYPE_CHECKING:
    from kanon_cli.kernels.boxes import Tariff
    from kanon_cli.kernels.greedy import Rule

CodeArray = npt.NDArray[np.int32]
RowArray = npt.NDArray[np.int64]

VISITS = 1 << 25  # row-cluster visits between two looks at the outside world: some hundredths of a second


def sorted_rows(problem: Problem, label_of: CodeArray | None = None) -> tuple[RowArray, RowArray]:
    """The rows by quasi-identifiers, first column first, and where in that order rows differ from those before."""
    keys = [*problem.rank_of, *problem.aim.secret_of, *([] if label_of is None else [label_of])]
    order = np.lexsort(keys[::-1])
    is_new = np.zeros(problem.rows, dtype=np.bool_)
    is_new[0] = True
    for key in keys:
        is_new[1:] |= key[order[1:]] != key[order[:-1]]
    return order, np.flatnonzero(is_new)


def combine(problem: Problem) -> CodeArray:
    """[row] the number of its combination of sensitive values."""
    combined = np.zeros(problem.rows, dtype=np.int64)
    for codes in problem.aim.secret_of:
        combined = np.unique(combined * (int(codes.max()) + 1) + codes, return_inverse=True)[1]
    return combined.astype(np.int32)


@dataclass(frozen=True)
class Growing:
    """A problem with its rows sorted, and how clusters are to be grown."""

    problem: Problem
    rule: Rule
    label_of: CodeArray | None  # [row] the class label

    def run(self, rng: np.random.Generator, terms: Terms) -> Grouping:
        """Grow clusters, hand out the rows that are in none, repair what does not keep the aim."""
        from kanon_cli.kernels.boxes import coordinates, tariff
        from kanon_cli.kernels.greedy import NOT_YET

        problem = self.problem
        coordinate, prices = coordinates(problem.costs, problem.rank_of), tariff(problem.costs)
        secrets_of = combine(problem)
        group_of, clusters, dissolved = self._grow(coordinate, prices, secrets_of, rng, terms)
        left_over = rng.permutation(np.flatnonzero(group_of == NOT_YET))
        if clusters:
            hand_out(problem, coordinate, prices, secrets_of, left_over, group_of)
        else:
            group_of = np.arange(problem.rows, dtype=np.int32)  # there is nothing to join: unify from single rows
        group_of, unified = finish(problem, group_of)
        return Grouping(group_of, {"dissolved": dissolved, "left_over": len(left_over), "unified": unified})

    def _grow(
        self, coordinate: CodeArray, prices: Tariff, secrets_of: CodeArray, rng: np.random.Generator, terms: Terms
    ) -> tuple[GroupArray, int, int]:
        """Make clusters; give the group of each row, and how many clusters there are and were dissolved."""
        from kanon_cli.kernels import greedy

        problem, rows = self.problem, self.problem.rows
        order, starts = sorted_rows(problem, self.label_of)
        labels = None if self.label_of is None else self.label_of[order]
        stock = greedy.stock(coordinate[order], starts, secrets_of[order], labels)
        state, draws = greedy.start(stock, problem.aim), rng.random(rows)
        group_of = np.full(rows, greedy.NOT_YET, dtype=np.int32)
        while state.at[greedy.FREE] >= problem.aim.k:
            greedy.grow_clusters(stock, order, *prices, problem.aim, self.rule, draws, state, VISITS, group_of)
            terms.progress(1 - float(state.at[greedy.FREE]) / rows, f"{state.at[greedy.CLUSTERS]:,} clusters")
        return group_of, int(state.at[greedy.CLUSTERS]), int(state.at[greedy.DISSOLVED])


def hand_out(
    problem: Problem,
    coordinate: CodeArray,
    prices: Tariff,
    secrets_of: CodeArray,
    left_over: RowArray,
    group_of: GroupArray,
) -> None:
    """Write into group_of, for each of the rows that are left over, the cluster whose cost rises least."""
    from kanon_cli.kernels import handing

    clusters = int(group_of.max()) + 1
    step = max(VISITS // clusters, 1)
    for first in range(0, len(left_over), step):
        rows = left_over[first : first + step]
        handing.hand_out(rows, coordinate, *prices, problem.aim, secrets_of, clusters, group_of)
