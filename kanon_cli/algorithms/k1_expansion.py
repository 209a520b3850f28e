"""(k,1)-anonymization by expansion."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from kanon_cli.algorithms.base import Algorithm, Covering, Terms
from kanon_cli.problem import Problem

TIGHTEN = Field(default=True, description="let boxes shrink at the end as far as what is promised allows")


class K1Expansion(Algorithm):
    """Gives each row a box with k rows, taking the row that adds the least cost again and again.

    The rows are not put into groups: each is released with cells of its own, which cover at least k rows of the table.
    That alone is weak, since no other released row may look like a person's; see the notion `(k,1)`.

    Guarantee: every released row covers k rows, as it is the closure of that many. A promise about sensitive values is
    kept for the released rows that could be a person's: boxes grow over a record until those do.
    Cost: O(r n^2) time at the worst, in plain loops; O(n k) memory.
    Choose: where only the notion `(k,1)` is asked for, which is weak by itself: as no record has to be covered by
    others' boxes, less is lost than by any stronger notion. `kk` starts from it.
    Source: Gionis, Mazza and Tassa 2008, algorithm 4.
    Departs: rows that are equal everywhere count as one place, so that ties go to the place that occurs first; boxes
    shrink at the end (`tighten`), which the paper does not do.
    """

    name: ClassVar[str] = "k1-expansion"
    keeps: ClassVar[str] = "(k,1)"
    randomized: ClassVar[bool] = False
    shardable: ClassVar[bool] = False
    memory: ClassVar[str] = "O(nk)"

    tighten: bool = TIGHTEN

    def recode(self, problem: Problem, terms: Terms) -> Covering:
        """Expand each row's box."""
        return start_only(problem, terms, by_nearest=False, tightens=self.tighten)


def start_only(problem: Problem, terms: Terms, by_nearest: bool, tightens: bool) -> Covering:
    """Give each row a box with k rows, and make its neighbours keep the promise."""
    from kanon_cli.algorithms import recordwise

    bench = recordwise.lay_out(problem)
    boxes = recordwise.expand(bench, by_nearest, terms)
    grown = recordwise.diversify(bench, boxes)
    if grown is None:
        return recordwise.release_groups(problem, terms)
    shrunk = 0
    if tightens:
        boxes, shrunk = recordwise.tighten(bench, boxes, 0)
    return recordwise.release(boxes, records=bench.count, grown=grown, shrunk=shrunk)
