"""What algorithms are held against in the benchmarks: a plain loop over the same kernels."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import numpy.typing as npt

from kanon_cli.kernels.boxes import box_price, coordinates, tariff
from kanon_cli.kernels.jit import kernel
from kanon_cli.problem import Problem

RankArray = npt.NDArray[np.int32]

ROWS = 1000  # that are priced


def scan_seconds(problem: Problem) -> float:
    """CPU seconds of a plain loop that prices every row with every one of n / k groups, told from some of the rows."""
    k = problem.aim.k
    coordinate = coordinates(problem.costs, problem.rank_of)
    starts = np.arange(0, problem.rows // k * k, k)
    lo, hi = np.minimum.reduceat(coordinate, starts), np.maximum.reduceat(coordinate, starts)
    prices, some = tariff(problem.costs), coordinate[:ROWS]
    scan(*prices, some[:1], lo, hi)  # compiles it
    started = time.process_time()
    scan(*prices, some, lo, hi)
    return (time.process_time() - started) * problem.rows / len(some)


@kernel
def scan(how: Any, whole: Any, mass: Any, scale: Any, row_at: RankArray, lo: RankArray, hi: RankArray) -> Any:
    """Add up what rows cost in the groups where they cost least; row_at[row, column], lo and hi [group, column]."""
    spent = np.int64(0)
    for row in range(len(row_at)):
        least = np.int64(1) << 62
        for group in range(len(lo)):
            cost = np.int64(0)
            for column in range(row_at.shape[1]):
                place = row_at[row, column]
                low, high = min(lo[group, column], place), max(hi[group, column], place)
                cost += box_price(how, whole, mass, scale, column, low, high)
            least = min(least, cost)
        spent += least
    return spent
