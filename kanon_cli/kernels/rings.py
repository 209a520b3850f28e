"""Records of a block in a ring, each with the box of a window of neighbours."""

from __future__ import annotations

import numpy as np

from kanon_cli.kernels.jit import kernel
from kanon_cli.kernels.records import rate


@kernel
def chain(order, starts, rank_of, rates):
    """Order the rows of each block order[starts[b] : starts[b + 1]] so that each is followed by the nearest one left.

    The first row stays; the nearest is the one that costs least together with it, the lowest of equal ones.
    """
    how, whole, mass, scale = rates.how, rates.whole, rates.mass, rates.scale
    for block in range(len(starts) - 1):
        end = starts[block + 1]
        for at in range(starts[block], end - 1):
            nearest, least = at + 1, np.int64(1 << 40)
            for other in range(at + 1, end):
                total = np.int64(0)
                for column in range(rank_of.shape[0]):
                    one, two = np.int64(rank_of[column, order[at]]), np.int64(rank_of[column, order[other]])
                    total += rate(how, whole, mass, scale, column, min(one, two), max(one, two))
                if total < least or (total == least and order[other] < order[nearest]):
                    nearest, least = other, total
            order[at + 1], order[nearest] = order[nearest], order[at + 1]


@kernel
def turn_rings(order, starts, shift, rank_of, k, lo, hi):
    """Give each row of a block the closure of a window of k rows of its ring, into lo[column, row] and hi.

    Row i of a ring gets the window that begins shift[block] rows before it, and that is less than k.
    """
    for block in range(len(starts) - 1):
        first, size = starts[block], starts[block + 1] - starts[block]
        for at in range(size):
            row = order[first + (at + shift[block]) % size]
            for column in range(rank_of.shape[0]):
                least = most = rank_of[column, row]
                for step in range(k):
                    rank = rank_of[column, order[first + (at + step) % size]]
                    least, most = min(least, rank), max(most, rank)
                lo[column, row], hi[column, row] = least, most
