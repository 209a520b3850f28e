"""(k,1)-anonymization by nearest neighbours."""

from __future__ import annotations

from typing import ClassVar

from kanon_cli.algorithms.base import Algorithm, Covering, Terms
from kanon_cli.algorithms.k1_expansion import TIGHTEN, start_only
from kanon_cli.problem import Problem


class K1Nearest(Algorithm):
    """Gives each row the closure of itself and the k - 1 rows that cost least together with it, each by itself.

    The rows are not put into groups: each is released with cells of its own, which cover at least k rows of the table.
    That alone is weak, since no other released row may look like a person's; see the notion `(k,1)`.

    Guarantee: every released row covers k rows, as it is the closure of that many; it costs at most k - 1 times what
    the best (k,1)-anonymization does (the paper's proposition 5.1). Promises about sensitive values as `k1-expansion`.
    Cost: O(r n^2) time at the worst, in plain loops; O(n k) memory.
    Choose: to compare with its paper, or where the proof of its loss matters; at small k `k1-expansion` loses a little
    less.
    Source: Gionis, Mazza and Tassa 2008, algorithm 3.
    Departs: rows that are equal everywhere count as one place, so that ties go to the place that occurs first; boxes
    shrink at the end (`tighten`), which the paper does not do.
    """

    name: ClassVar[str] = "k1-nearest"
    keeps: ClassVar[str] = "(k,1)"
    randomized: ClassVar[bool] = False
    shardable: ClassVar[bool] = False
    memory: ClassVar[str] = "O(nk)"

    tighten: bool = TIGHTEN

    def recode(self, problem: Problem, terms: Terms) -> Covering:
        """Close each row with its nearest."""
        return start_only(problem, terms, by_nearest=True, tightens=self.tighten)
