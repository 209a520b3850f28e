"""What rows pay: the more, the fewer of the boxes in which they would not pay too much take them."""

from __future__ import annotations

import numpy as np

from kanon_cli.kernels.jit import inner_kernel, kernel
from kanon_cli.kernels.pools import FAR

STEPS = 512  # rows that pay less than a box costs are told apart by so many steps
STEP_BITS = 7  # a step is 2 ** -7 of the price of a whole cell


@inner_kernel
def worth_of(box, candidates, pays, free, k, bits, short):
    """Return what rows pay beyond a box's price if it takes those that gain it most, and k at the least.

    Of those that pay too little, all up to a step are taken, and of that step what is still missing. They count as if
    they paid as much as the step allows, so that it is never less than the truth. short[step] is scratch.
    """
    price, first, kind = candidates.price[box], candidates.first, candidates.kind
    worth, missing = np.int64(0), np.int64(k)
    short[:] = 0
    for at in range(np.uint64(first[box]), np.uint64(first[box + 1])):  # unsigned, as in boxes.py
        own = np.uint32(kind[at])
        gain = pays[own] - price
        if gain > 0:
            worth += gain * free[own]
            missing -= free[own]
        else:
            short[np.uint64(min(-gain >> bits, STEPS - 1))] += free[own]
    return filled_up(worth, missing, bits, short)


@inner_kernel
def filled_up(worth, missing, bits, short):
    """Return the worth once the missing rows are there, the last step from which they come, and how many of that do.

    short[step] counts the rows that there are.
    """
    cut = np.int64(-1)
    while missing > 0:
        cut += 1
        if cut == STEPS:
            return -FAR, cut, missing
        if short[cut] >= missing:
            return worth - missing * (cut << bits), cut, missing
        worth -= short[cut] * (cut << bits)
        missing -= short[cut]
    return worth, cut, np.int64(0)


@inner_kernel
def taken_of(gain, free, cut, bits, missing):
    """Return how many rows of a kind a box takes, and how many of the last step are still missing then."""
    if gain > 0:
        return free, missing
    at = min(-gain >> bits, STEPS - 1)
    if at < cut:
        return free, missing
    taken = min(free, missing) if at == cut else np.int64(0)
    return taken, missing - taken


@kernel
def open_boxes(candidates, start, end, pays, free, k, bits, taken, opened):
    """Open the boxes from start to end - 1 that are worth something; return what they are worth together.

    Each adds to taken[kind] the rows that it takes of those that are free, and 1 to opened[box].
    """
    short = np.empty(STEPS, dtype=np.int64)
    total = np.int64(0)
    for box in range(start, end):
        worth, cut, missing = worth_of(box, candidates, pays, free, k, bits, short)
        if worth <= 0:
            continue
        total += worth
        opened[box] += 1
        for at in range(np.uint64(candidates.first[box]), np.uint64(candidates.first[box + 1])):
            kind = np.uint32(candidates.kind[at])
            rows, missing = taken_of(pays[kind] - candidates.price[box], free[kind], cut, bits, missing)
            taken[kind] += rows
    return total
