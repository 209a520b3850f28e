"""What boxes would cost less if they need not cover a record."""

from __future__ import annotations

import numpy as np

from kanon_cli.kernels.jit import kernel
from kanon_cli.kernels.records import rate


@kernel
def add_savings(own_of, start, points, rates, rank_of, saved):
    """Add to saved[point] what each box that is not its own would cost less without it, if others held enough people.

    Only a point that alone has a column's least or largest rank in a box narrows it. A box covers its own point,
    own_of[box], and points[start[box] : start[box + 1]].
    """
    prices = (rates.how, rates.whole, rates.mass, rates.scale)
    for box in range(len(own_of)):
        own = own_of[box]
        for column in range(rank_of.shape[1]):
            lo = hi = np.int64(rank_of[own, column])
            second, last, at_lo, at_hi = lo, hi, np.int64(-1), np.int64(-1)
            for link in range(start[box], start[box + 1]):
                point = points[link]
                rank = np.int64(rank_of[point, column])
                if rank < lo:
                    second, lo, at_lo = lo, rank, np.int64(point)
                elif rank == lo:
                    second = lo
                    at_lo = np.int64(-1)
                elif rank < second:
                    second = rank
                if rank > hi:
                    last, hi, at_hi = hi, rank, np.int64(point)
                elif rank == hi:
                    last = hi
                    at_hi = np.int64(-1)
                elif rank > last:
                    last = rank
            whole = rate(*prices, column, lo, hi)
            if at_lo >= 0:
                saved[at_lo] += whole - rate(*prices, column, second, hi)
            if at_hi >= 0:
                saved[at_hi] += whole - rate(*prices, column, lo, last)
