"""(k,k)-anonymization."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from kanon_cli.algorithms.base import Algorithm, Covering, Terms
from kanon_cli.algorithms.k1_expansion import TIGHTEN
from kanon_cli.problem import Problem

if TYPE_CHECKING:
    from kanon_cli.algorithms.recordwise import Bench
    from kanon_cli.kernels.records import Boxes

START = "the boxes that it starts from: of k1-expansion, of k1-nearest, or the groups of lns"


class Kk(Algorithm):
    """Gives each row a box with k rows, and lets boxes grow until each row is covered by k of them.

    The rows are not put into groups: each is released with cells of its own, and a record that too few boxes cover
    makes those grow over it that cost least. Loses less than k-anonymity, and leaves k possible rows to somebody who
    does not know exactly who is in the table; see the notion `(k,k)`.

    Details: the k rows are possible, not equally likely: whoever knows the quasi-identifiers of all people in the
    table, and the spec, can do the run again and see which box is whose. A secret seed does not hide it: only
    `start: lns` depends on one.
    Guarantee: every released row covers k rows, and every row is covered by k released ones: both are counted, and
    boxes grow until they hold. A promise about sensitive values is kept for the released rows that could be a person's:
    boxes grow over a record until those do, the cheapest first that helps; where that takes too much, the groups of
    `lns` are released, which keep it, too.
    Cost: O(r n^2) time at the worst, in plain loops; O(n k) memory.
    Choose: where nobody can know for sure who is in the table, such as in a sample of a population: then less is lost
    than by groups.
    Source: Gionis, Mazza and Tassa 2008, algorithms 3 and 4, each with algorithm 5.
    Departs: rows that are equal everywhere count as one place, so that ties go to the place that occurs first; boxes
    shrink at the end (`tighten`); groups of `lns` as a start (`start: lns`) are kanon's own.
    """

    name: ClassVar[str] = "kk"
    keeps: ClassVar[str] = "(k,k)"
    randomized: ClassVar[bool] = True
    shardable: ClassVar[bool] = False
    memory: ClassVar[str] = "O(nk)"

    start: Literal["expansion", "nearest", "lns"] = Field(default="expansion", description=START)
    tighten: bool = TIGHTEN

    def recode(self, problem: Problem, terms: Terms) -> Covering:
        """Start, cover each record, make its neighbours differ, tighten."""
        from kanon_cli.algorithms import recordwise

        bench = recordwise.lay_out(problem)
        boxes, grown = begin(bench, self.start, terms)
        more = recordwise.diversify(bench, boxes)
        if more is None:
            return recordwise.release_groups(problem, terms)
        shrunk = 0
        if self.tighten:
            boxes, shrunk = recordwise.tighten(bench, boxes, problem.aim.k)
        return recordwise.release(boxes, records=bench.count, grown=grown + more, shrunk=shrunk)


def begin(bench: Bench, start: str, terms: Terms) -> tuple[Boxes, int]:
    """Give each row a box with k rows, and cover each row by k boxes; also gives how many boxes grew."""
    from kanon_cli.algorithms import recordwise

    if start == "lns":
        return recordwise.enclose_groups(bench, recordwise.group(bench.problem, terms)), 0
    boxes = recordwise.expand(bench, start == "nearest", terms)
    return boxes, recordwise.cover(bench, boxes, terms)
