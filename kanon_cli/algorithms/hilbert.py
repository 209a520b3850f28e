"""Clustering along the Hilbert curve."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import numpy.typing as npt

from kanon_cli.algorithms.base import Algorithm, Grouping, Terms, finish
from kanon_cli.problem import Problem

WIDEST = 16  # groups grow up to so many times k where smaller ones cannot keep their promise


class Hilbert(Algorithm):
    """Puts the rows in line along a Hilbert curve through the table, and cuts the line in the cheapest way.

    All columns are stretched to the same range, so that none rules the curve. The cuts are found by dynamic
    programming: of all ways to cut the line into groups of k to 2k - 1 neighbours, the one that costs least.

    Details: with a promise about sensitive values, only groups that keep it are allowed, and where there are not enough
    of them the limit of 2k - 1 is doubled, up to 16k. What is still short then is unified with the cheapest group that
    makes it whole.
    Guarantee: every group has k rows, as others are not looked at; and every group keeps its promise about sensitive
    values, as others are unified until they do.
    Cost: O(r n (log n + k)) time; O(r n) memory.
    Choose: for very large tables and when time is short: it is the fastest of all, and with a few columns loses less
    than `mondrian`. With many columns the curve keeps little of what is near.
    Source: Ghinita et al. 2007, with the rescaling of Goldberger and Tassa 2010, section 6.2.3.
    Departs: the papers do not say where in its range a category is: here its place is its leaf's in the tree, from
    left to right. Numbers and dates have their rank, a missing value the last one. The range is that of the curve, 0 to
    2^t - 1 for the smallest t that has room for every rank, so that all columns have their middles where the curve has
    them. The paper's example takes the range of the widest column; with that, an il of 0.102 on Adult, with eight
    quasi-identifiers and k = 10, becomes 0.113.
    """

    name: ClassVar[str] = "hilbert"
    randomized: ClassVar[bool] = False
    shardable: ClassVar[bool] = True
    memory: ClassVar[str] = "O(r n)"

    def partition(self, problem: Problem, terms: Terms) -> Grouping:
        """Put the rows in line, cut it, and repair what no cut keeps whole."""
        from kanon_cli.kernels.boxes import coordinates, tariff  # numba is loaded only when an algorithm runs
        from kanon_cli.kernels.lines import cut_line

        costs, aim, rows = problem.costs, problem.aim, problem.rows
        order, level = curve_order(problem.rank_of, costs.ranks)
        terms.progress(0.3, "rows in line")
        coordinate, prices = coordinates(costs, problem.rank_of), tariff(costs)
        largest = 2 * aim.k - 1
        while True:
            starts, short = cut_line(order, coordinate, prices, aim, largest)
            if short == 0 or largest >= min(rows, WIDEST * aim.k - 1):
                break
            largest = 2 * largest + 1
        is_start = np.zeros(rows, dtype=np.int32)
        is_start[starts[1:]] = 1
        group_of = np.empty(rows, dtype=np.int32)
        group_of[order] = np.cumsum(is_start)
        unified = 0
        if len(aim.values) > 0:
            group_of, unified = finish(problem, group_of)
        return Grouping(group_of, {"curve_order": level, "largest": largest, "unified": unified})


def curve_order(rank_of: npt.NDArray[np.int32], ranks: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], int]:
    """Put the rows in the curve's order, equal ones in the table's; also give the curve's own order, t."""
    from kanon_cli.kernels.hilbert import hilbert_keys

    level = max(int(ranks.max() - 1).bit_length(), 1)
    last = np.maximum(ranks - 1, 1).reshape(-1, 1)
    stretched = (rank_of.astype(np.int64) * ((1 << level) - 1) + last // 2) // last
    keys = hilbert_keys(stretched.astype(np.int32), level)
    return np.lexsort(keys[::-1]), level
