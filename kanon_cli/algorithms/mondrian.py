"""Mondrian."""

from __future__ import annotations

from typing import ClassVar

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
    Source: LeFevre, DeWitt and Ramakrishnan 2006.
    Departs: the column to cut is the one whose cells cost most by the spec's measure (the paper: the widest range);
    where no median keeps the promise, the cut nearest to one that does is made (the paper: none); a
    taxonomy is cut in two, not into all children at once, so that a node with one small child can still be cut.
    """

    name: ClassVar[str] = "mondrian"
    randomized: ClassVar[bool] = False
    shardable: ClassVar[bool] = True
    memory: ClassVar[str] = "O(n)"

    strict: bool = Field(default=True, description="equal values stay together; false: a cut may part them")

    def partition(self, problem: Problem, terms: Terms) -> Grouping:
        """Cut until nothing can be cut."""
        from kanon_cli.kernels.cuts import cut, start  # numba is loaded only when an algorithm runs

        cuts = start(problem.rows, problem.aim.k)
        while cut(cuts, problem.rank_of, problem.costs, problem.aim, self.strict, VISITS):
            terms.progress(float(cuts.counts[2]) / problem.rows, f"{cuts.counts[1]:,} groups")
        return Grouping(cuts.group_of, {"cuts": int(cuts.counts[1]) - 1})
