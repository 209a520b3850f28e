"""What k-member and threshold-greedy share: clusters grown from seeds, and the rows that are left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from kanon_cli.algorithms.base import BoolArray, GroupArray, Grouping, Terms, finish
from kanon_cli.algorithms.closest import VISITS, ground_of, sorted_rows, visit
from kanon_cli.algorithms.leaving import leave_out
from kanon_cli.problem import Problem

if TYPE_CHECKING:
    from kanon_cli.kernels.centers import Ground
    from kanon_cli.kernels.greedy import Rule

CodeArray = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Growing:
    """A problem with its rows sorted, and how clusters are to be grown."""

    problem: Problem
    rule: Rule
    label_of: CodeArray | None  # [row] the class label
    leaves_out: bool = False  # whether rows of dissolved clusters are left out, as far as the terms allow that

    def run(self, rng: np.random.Generator, terms: Terms) -> Grouping:
        """Grow clusters, hand out the rows that are in none, repair what does not keep the aim."""
        from kanon_cli.kernels.centers import INCREASE, gather

        problem = self.problem
        ground = ground_of(problem, INCREASE)
        group_of, clusters, dissolved = self._grow(ground, rng, terms)
        left_out = self._leave_out(group_of, dissolved, terms.most_left_out)
        left_over = rng.permutation(np.flatnonzero((group_of < 0) & ~left_out))
        if clusters:
            centers = gather(ground, group_of)
            visit(ground, centers, left_over, problem.rows, lambda _done: terms.progress(1.0, "the rest"))
            group_of = centers.group_of
        else:
            group_of = np.arange(problem.rows, dtype=np.int32)  # there is nothing to join: unify from single rows
        group_of, unified = finish(problem, group_of, left_out)
        facts: dict[str, int | float | bool] = {"dissolved": dissolved, "left_over": len(left_over), "unified": unified}
        if self.leaves_out:
            facts["left_out"] = int(left_out.sum())
        return Grouping(group_of, facts, left_out=left_out)

    def _leave_out(self, group_of: GroupArray, dissolved: int, most: int) -> BoolArray:
        """Say which rows are left out; those that have never been in a cluster are like one that came last."""
        if not self.leaves_out or most == 0:
            return np.zeros(len(group_of), dtype=np.bool_)
        from kanon_cli.kernels.greedy import NOT_YET

        small_of = np.where(group_of == NOT_YET, dissolved, NOT_YET - 1 - group_of)
        return leave_out(self.problem, small_of.astype(np.int32), most)

    def _grow(self, ground: Ground, rng: np.random.Generator, terms: Terms) -> tuple[GroupArray, int, int]:
        """Make clusters; give the group of each row, and how many clusters there are and were dissolved."""
        from kanon_cli.kernels import greedy

        problem, rows = self.problem, self.problem.rows
        order, starts = sorted_rows(problem, self.label_of)
        labels = None if self.label_of is None else self.label_of[order]
        stock = greedy.stock(ground.coordinate[order], starts, ground.secrets_of[order], labels)
        state, draws = greedy.start(stock, problem.aim), rng.random(rows)
        prices = (ground.how, ground.whole, ground.mass, ground.scale)
        group_of = np.full(rows, greedy.NOT_YET, dtype=np.int32)
        while state.at[greedy.FREE] >= problem.aim.k:
            greedy.grow_clusters(stock, order, *prices, problem.aim, self.rule, draws, state, VISITS, group_of)
            terms.progress(1 - float(state.at[greedy.FREE]) / rows, f"{state.at[greedy.CLUSTERS]:,} clusters")
        return group_of, int(state.at[greedy.CLUSTERS]), int(state.at[greedy.DISSOLVED])
