"""The cheapest interval around each of the ranks on a line that holds k records."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kanon_cli.kernels.costs import price
from kanon_cli.kernels.jit import inner_kernel

NEVER = 1 << 40  # the price of what can't be had


class Line(NamedTuple):
    """The ranks that occur in one column of some records, in their order."""

    rank: npt.NDArray[np.int32]  # [place]
    before: npt.NDArray[np.int64]  # [place] records with lower ranks; one longer
    last: npt.NDArray[np.int32]  # [place] where the shortest interval ends that starts here and holds k records
    price: npt.NDArray[np.int64]  # [place] of that interval
    waiting: npt.NDArray[np.int32]  # places whose intervals may still be the cheapest of some place
    least: npt.NDArray[np.int64]  # [place] the result


def room_for(places: int) -> Line:
    """Room for so many ranks."""
    return Line(
        rank=np.empty(places, dtype=np.int32),
        before=np.zeros(places + 1, dtype=np.int64),
        last=np.empty(places, dtype=np.int32),
        price=np.empty(places, dtype=np.int64),
        waiting=np.empty(places, dtype=np.int32),
        least=np.empty(places, dtype=np.int64),
    )


@inner_kernel
def cheapest(line, places, costs, column, k):
    """Write into line.least the price of the cheapest interval around each place that holds k records.

    Prices never fall as intervals grow, so it starts at the place, ends there, or can't be made shorter at either end.
    All places together hold k records.
    """
    rank, before = line.rank, line.before
    end = 0
    for start in range(places):
        while end < places and before[end + 1] - before[start] < k:
            end += 1
        line.last[start] = end
        line.price[start] = NEVER if end == places else price(costs, column, np.int64(rank[start]), np.int64(rank[end]))
    first = count = start = 0
    for place in range(places):
        while count > first and line.price[line.waiting[count - 1]] >= line.price[place]:
            count -= 1
        line.waiting[count] = place
        count += 1
        while line.last[line.waiting[first]] < place:
            first += 1
        least = line.price[line.waiting[first]]
        if before[place + 1] >= k:
            while before[place + 1] - before[start + 1] >= k:
                start += 1
            least = min(least, price(costs, column, np.int64(rank[start]), np.int64(rank[place])))
        line.least[place] = least
