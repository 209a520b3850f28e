"""Limits of what it costs at least to join a row to each of many clusters, found faster than what it does cost."""

from __future__ import annotations

import numpy as np

from kanon_cli.kernels.jit import inner_kernel
from kanon_cli.kernels.scans import MIXED

# A row makes a cluster disagree in each layer in which the cluster has a label and the row another one. That costs at
# least the least rise, for the row and for all that are there. Equal labels are counted, 8 bits a cluster and layer.
# Limits have 16 bits; where that is too little room, a limit is lower than it could be, and never higher.

PARTS = 8  # units of the least rise
MOST = 16_000  # units that are told apart
LOOK = 64  # limits that are looked at together before they are looked at one by one
STRIDE = 256  # clusters that are sieved before those that pass are looked at: that may lower the limit
GONE = 32_000  # the limit of a cluster that is gone


@inner_kernel
def set_limit(top, step, unit, label, layers, size, price, c):
    """Write what a cluster's limits are told from: `step` less than `top` for each label that it shares with a row."""
    if size[c] == 0:
        top[c], step[c] = GONE, 0
        return
    kept = np.int64(0)
    for layer in range(layers):
        kept += label[c, layer] != MIXED
    step[c] = min(PARTS * (np.int64(size[c]) + 1), MOST // layers)
    top[c] = min(price[c] // unit, MOST) + kept * step[c]


@inner_kernel
def count_equal(narrow, labels, layers, start, end, equal):
    """Count for each cluster from start to end the layers in which it has these labels, from equal[0] on."""
    found = equal[: end - start]
    found[:] = 0
    at = 0
    while at + 4 <= layers:
        a, b, c, d = (
            narrow[at, start:end],
            narrow[at + 1, start:end],
            narrow[at + 2, start:end],
            narrow[at + 3, start:end],
        )
        label_a, label_b = np.int8(labels[at]), np.int8(labels[at + 1])
        label_c, label_d = np.int8(labels[at + 2]), np.int8(labels[at + 3])
        for i in range(len(found)):
            found[i] += (
                np.int8(a[i] == label_a)
                + np.int8(b[i] == label_b)
                + np.int8(c[i] == label_c)
                + np.int8(d[i] == label_d)
            )
        at += 4
    while at < layers:
        a, label_a = narrow[at, start:end], np.int8(labels[at])
        for i in range(len(found)):
            found[i] += np.int8(a[i] == label_a)
        at += 1


@inner_kernel
def least_limit(equal, top, step, place, start, count):
    """Return the least limit of the clusters from start on, of which equal[place] and the next count the equal labels.

    All numbers are unsigned, as each slice would take longer than what is done with it.
    """
    least = np.int16(GONE)
    for i in range(count):
        least = min(least, np.int16(top[start + i] - np.int16(equal[place + i]) * step[start + i]))
    return least


@inner_kernel
def pass_sieve(equal, top, step, block, start, end, limit, found):
    """Write the clusters from start to end with a limit of `limit` or less into found; return how many there are.

    The number of equal labels of cluster `block` is the first.
    """
    count = 0
    for first in range(start, end, LOOK):
        last = min(first + LOOK, end)
        least = least_limit(equal, top, step, np.uint64(first - block), np.uint64(first), np.uint64(last - first))
        if least <= limit:
            for c in range(first, last):
                found[count] = c
                count += top[c] - np.int64(equal[c - block]) * step[c] <= limit
    return count
