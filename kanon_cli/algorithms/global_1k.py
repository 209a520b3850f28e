"""Global (1,k)-anonymization."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from kanon_cli.algorithms.base import Algorithm, Covering, Terms
from kanon_cli.algorithms.k1_expansion import TIGHTEN
from kanon_cli.algorithms.kk import START, begin
from kanon_cli.problem import Problem


class Global1k(Algorithm):
    """Starts like `kk`, and lets boxes grow until each record has k matches: boxes that could be its own.

    A record that has too few matches lets its own box grow over the record of a neighbour, which then is one, the
    cheapest first. Loses less than k-anonymity, and leaves k possible rows even to somebody who knows who is in the
    table, but not to one who can do the run again; see the notion `global-(1,k)`.

    Details: the released row of somebody else is a match of a record if all released rows can be given to all records,
    each to one that it covers, and this one to that record. Matches are possible, not equally likely: whoever knows the
    quasi-identifiers of all people, and the spec, can do the run again and see which box is whose. A secret seed does
    not hide it: only `start: lns` depends on one.
    Guarantee: every record has k matches, every released row covers k rows: they are counted, and boxes grow until it
    holds. A promise about sensitive values is kept for the matches of each record; where that takes too much, the
    groups of `lns` are released, which keep it, too.
    Cost: O(r n^2) time at the worst, as `kk`, and O(r n k) for each round of steps; O(n k) memory.
    Choose: where others may know who is in the table, and single rows need not look alike: it lies between `kk` and
    groups in what it loses.
    Source: Gionis, Mazza and Tassa 2008, algorithm 6.
    Departs: a pair is part of a perfect matching if both ends are in one strongly connected component, which takes one
    pass over all pairs and not a matching for each; steps of different components are taken together, the
    cheapest of each component and not the next record's; boxes shrink before and at the end (`tighten`).
    """

    name: ClassVar[str] = "global-1k"
    keeps: ClassVar[str] = "global-(1,k)"
    randomized: ClassVar[bool] = True
    shardable: ClassVar[bool] = False
    memory: ClassVar[str] = "O(nk)"

    start: Literal["expansion", "nearest", "lns"] = Field(default="expansion", description=START)
    tighten: bool = TIGHTEN

    def recode(self, problem: Problem, terms: Terms) -> Covering:
        """Start, cover each record, give it matches, tighten."""
        from kanon_cli.algorithms import recordwise

        bench = recordwise.lay_out(problem)
        shrunk = 0
        boxes, grown = begin(bench, self.start, terms)
        if self.tighten:
            boxes, shrunk = recordwise.tighten(bench, boxes, problem.aim.k)
        upgraded = recordwise.upgrade(bench, boxes, terms)
        if upgraded is None:
            return recordwise.release_groups(problem, terms)
        component, more = upgraded
        if self.tighten:
            boxes, again = recordwise.tighten(bench, boxes, problem.aim.k, component)
            shrunk += again
        return recordwise.release(boxes, records=bench.count, grown=grown + more, shrunk=shrunk)
