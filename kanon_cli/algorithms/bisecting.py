"""Bisecting clustering."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np
from pydantic import Field

from kanon_cli.algorithms.base import Algorithm, Grouping, Terms
from kanon_cli.algorithms.grounds import is_compared
from kanon_cli.problem import Problem

if TYPE_CHECKING:
    from kanon_cli.kernels.halves import Halves
    from kanon_cli.kernels.means import Ground

VISITS = 1 << 23  # looks at a row between two looks at the outside world: some tenths of a second


class Bisecting(Algorithm):
    """Halves the table by a clustering around two means, and then the halves, for as long as both sides have k rows.

    A group of 2k rows or more is parted around two of its records, drawn at random, and then, round after round, around
    the means of the two parts. The cheapest of all rounds is kept.

    Details: a row goes where it costs less, in equal cases to the smaller part, the rows coming in random order; a part
    with fewer than k rows takes from the other those that it costs least to move. With a promise about sensitive values
    only rounds that leave both parts whole are kept; a group without any is sorted by its sensitive values and dealt
    out in turn, into as many groups as keep the promise. With `t`, `beta` or `delta` it stays one group, to be parted
    as those of all algorithms are.
    Guarantee: every group has k rows, as both parts of a halving have; and every group keeps its promise about
    sensitive values, as halves and hands that do not are refused, and the whole table keeps it.
    Cost: O(r n log(n / k)) time for each round, if halves are even; O(r n) memory.
    Choose: to compare with its paper, or for a quick grouping that several starts can better. On Adult it loses about
    what `mondrian` loses, in three times the time. Not where `l` or `diversity` is tight: groups that are dealt out
    lose nearly all.
    Source: He et al. 2012, figures 4 and 5 (CB).
    Departs: the paper takes the mean of every attribute. Of numbers and dates that is done (of their ranks where the
    measure prices no widths), and is missing where most of the values are. Categories have no mean: a row costs there
    what it costs on average with each of the rows that the mean is made of. On Adult with eight quasi-identifiers and
    k = 10 that gives an il of 0.10; the middle one of the leaves gives 0.13, the most frequent value 0.15. Which rows a
    part that is too small takes, the paper does not say. Its figure 5 deals |T| / l groups; here |T| / k, and if that
    breaks the promise an eighth fewer, again and again. It knows neither `t` nor `beta` nor `delta`.
    """

    name: ClassVar[str] = "bisecting"
    randomized: ClassVar[bool] = True
    shardable: ClassVar[bool] = True
    memory: ClassVar[str] = "O(r n)"

    rounds: int = Field(default=15, ge=1, description="rounds for each halving, of which the cheapest is kept")
    restarts: int = Field(default=1, ge=1, description="random starts, of which the best result is kept")

    def partition(self, problem: Problem, terms: Terms) -> Grouping:
        """Halve the table from each start and keep the cheapest result."""
        from kanon_cli.kernels.halves import start  # numba is loaded only when an algorithm runs
        from kanon_cli.kernels.means import ground

        table = ground(problem.costs, problem.rank_of)
        rng = np.random.default_rng(terms.seed)
        found: list[Halves] = []
        for at in range(self.restarts):
            halves = start(problem.rows, problem.aim.k, int(rng.integers(1, 1 << 63)))
            self._halve(halves, table, problem, terms, at)
            found.append(halves)
        best = min(found, key=lambda halves: int(halves.counts[3]))
        return Grouping(best.group_of, {"starts": self.restarts, "dealt": int(best.counts[4])})

    def _halve(self, halves: Halves, table: Ground, problem: Problem, terms: Terms, at: int) -> None:
        """Go on until nothing is left to be halved."""
        from kanon_cli.kernels.halves import bisect

        deals = not is_compared(problem.aim)
        while bisect(halves, table, problem.aim, self.rounds, deals, VISITS):
            done = float(halves.counts[2]) / problem.rows
            terms.progress((at + done) / self.restarts, f"start {at + 1} of {self.restarts}")
