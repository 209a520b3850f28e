"""Mondrian."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from kanon_cli.algorithms.base import Algorithm, Grouping, Terms
from kanon_cli.problem import Problem

VISITS = 1 << 20  # rows between two looks at the outside world: a tenth of a second or so


class Mondrian(Algorithm):
    """Cuts the table in two, again and again, at the median of the quasi-identifier that costs most.

    A numeric column is cut at its median, a missing value being cut off first; a taxonomy is cut between two children
    of the node that covers the group, as near to the middle as the promise allows. A cut is made only where both sides
    keep the promise, so no group ever has to be repaired.

    Guarantee: every group has k rows and keeps its caps, because no cut is made that would break them.
    Cost: O(r n log^2 n) time, O(n) memory.
    Choose: when nothing should be left to chance and equal rows should stay together; and as the yardstick that most
    papers compare with, by `cut: widest`.
    Source: LeFevre, DeWitt and Ramakrishnan 2006.
    Departs: the column to cut is the one whose cells cost most by the spec's measure; where no median keeps the
    promise, the cut nearest to one that does is made; a taxonomy is cut in two, so that a node with one small child can
    still be cut. `cut: widest` takes the column with the widest range (a taxonomy's being the leaves from the first to
    the last), times its weight, and cuts it at its median or not at all, as the paper does. `cut: children` also cuts
    taxonomies into all children of a node at once. On Adult with eight quasi-identifiers and k = 10, il is 0.106,
    0.136 and 0.229.
    """

    name: ClassVar[str] = "mondrian"
    randomized: ClassVar[bool] = False
    shardable: ClassVar[bool] = True
    memory: ClassVar[str] = "O(n)"

    strict: bool = Field(default=True, description="equal values stay together; false: a cut may part them")
    cut: Literal["costliest", "widest", "children"] = Field(
        default="costliest",
        description="which column is cut, and how: the one whose cells cost most, near its median; the one with the "
        "widest range, at its median or not at all; or that one, and a taxonomy into all children of a node at once",
    )

    def partition(self, problem: Problem, terms: Terms) -> Grouping:
        """Cut until nothing can be cut."""
        from kanon_cli.kernels import cuts as kernels  # numba is loaded only when an algorithm runs

        way = {"costliest": kernels.COSTLIEST, "widest": kernels.WIDEST, "children": kernels.CHILDREN}[self.cut]
        cuts = kernels.start(problem.rows, problem.aim.k, way)
        while kernels.cut(cuts, problem.rank_of, problem.costs, problem.aim, self.strict, VISITS):
            terms.progress(float(cuts.counts[2]) / problem.rows, f"{cuts.counts[1]:,} groups")
        return Grouping(cuts.group_of, {"cuts": int(cuts.counts[1]) - 1})
