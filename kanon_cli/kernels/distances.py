"""How near clusters are to each other, by the distances of Gionis, Mazza and Tassa 2008, in whole numbers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kanon_cli.kernels.jit import kernel, part_kernel

D1, D2, D3, D4, NC = range(5)

LOG_BITS = 24  # of the logarithms of d3, after the point
NEVER = np.int64((1 << 63) - 1)  # farther than any distance


class Metric(NamedTuple):
    """Which distance, and what it needs besides prices and sizes."""

    kind: int  # D1 .. NC
    epsilon: int  # of D4, as a price
    log_of: npt.NDArray[np.float64]  # D3: [rows] log2 in units of 2 ** -LOG_BITS, a whole number


@kernel
def logarithms(count):
    """Return log2 of 0 .. count - 1 in units of 2 ** -LOG_BITS, found by squaring: the same on every machine."""
    result = np.ones(count, dtype=np.float64)
    for rows in range(2, count):
        whole = 0
        while rows >> (whole + 1):
            whole += 1
        fraction, log = np.int64(rows << 30) >> whole, np.int64(whole)  # 1 <= fraction / 2 ** 30 < 2
        for _ in range(LOG_BITS):
            fraction = (fraction * fraction) >> 30
            log <<= 1
            if fraction >> 31:
                fraction >>= 1
                log += 1
        result[rows] = log
    return result


@part_kernel
def write_gaps(kind, epsilon, log_of, own_size, own_price, size, price, spent, start, end, total, gap, quotient):
    """Write the distances of a cluster to those from start to end, whose unions with it cost `total`, into gap.

    They are numbers that compare as the distances do. What is a quotient is rounded once, as every machine does it; the
    bits of a float that is not negative compare as it does, and those of a negative one are turned round. A cluster
    that is gone is at NEVER.
    """
    count = end - start
    unions, sizes, prices, before = total[:count], size[start:end], price[start:end], spent[start:end]
    gaps, quotients = gap[:count], quotient[:count]
    own, rows = np.int32(own_price), np.int32(own_size)
    if kind == D1:
        paid = np.int64(own_size) * np.int64(own_price)
        for i in range(count):
            distance = np.int64(unions[i]) * np.int64(sizes[i] + rows) - before[i] - paid
            gaps[i] = distance if sizes[i] > 0 else NEVER
    elif kind == D2:
        for i in range(count):
            gaps[i] = np.int64(unions[i]) - np.int64(own) - prices[i] if sizes[i] > 0 else NEVER
    elif kind == NC:
        for i in range(count):
            gaps[i] = np.int64(unions[i]) - max(np.int64(own), prices[i]) if sizes[i] > 0 else NEVER
    elif kind == D3:
        for i in range(count):
            quotients[i] = np.float64(np.int32(unions[i] - own - prices[i])) / log_of[sizes[i] + rows]
        for i in range(count):
            bits = gaps[i]
            gaps[i] = bits ^ ((bits >> 63) & NEVER) if sizes[i] > 0 else NEVER
    else:
        more = np.float64(epsilon)
        for i in range(count):
            quotients[i] = np.float64(unions[i]) / (np.float64(np.int32(own + prices[i])) + more)
        for i in range(count):
            gaps[i] = gaps[i] if sizes[i] > 0 else NEVER


@part_kernel
def least_gap(gap, count):
    """Return the least of the first gaps."""
    least = NEVER
    for i in range(count):
        least = min(least, gap[i])
    return least
