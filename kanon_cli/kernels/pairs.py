"""What a record pays at least to look like its nearest others."""

from __future__ import annotations

import numpy as np

from kanon_cli.kernels.costs import price
from kanon_cli.kernels.jit import kernel, part_kernel

DIGIT = 10  # bits
DIGITS = 3  # enough for the price of a row


@part_kernel
def nearest(record, rank_of, weight, k, costs, column_of, distance, price_of):
    """Return the k-th smallest price of a box that covers a record and one row; equal rows and its own cost nothing."""
    columns, records = rank_of.shape
    for other in range(records):
        distance[other] = 0
    for column in range(columns):
        number, own = column_of[column], np.int64(rank_of[column, record])
        for rank in range(costs.ranks[number]):
            price_of[rank] = price(costs, number, min(own, rank), max(own, rank))
        for other in range(records):
            distance[other] += price_of[rank_of[column, other]]
    missing, prefix = k, np.int64(0)
    count = np.zeros(1 << DIGIT, dtype=np.int64)
    for digit in range(DIGITS - 1, -1, -1):  # those that begin like the k-th are counted by their next digit
        shift = digit * DIGIT
        for at in range(len(count)):
            count[at] = 0
        for other in range(records):
            if distance[other] >> (shift + DIGIT) == prefix:
                count[(distance[other] >> shift) & (len(count) - 1)] += weight[other]
        at = 0
        while count[at] < missing:
            missing -= count[at]
            at += 1
        prefix = (prefix << DIGIT) | at
    return prefix


@kernel
def nearest_of(asked, rank_of, weight, k, costs, column_of, result):
    """Write for each of the records that are asked for what it pays at least."""
    distance = np.empty(rank_of.shape[1], dtype=np.int64)
    price_of = np.empty(max(costs.ranks), dtype=np.int64)
    for at in range(len(asked)):
        result[at] = nearest(asked[at], rank_of, weight, k, costs, column_of, distance, price_of)
