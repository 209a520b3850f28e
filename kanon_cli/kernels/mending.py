"""Clusters of a pool that do not keep their promise are united until they do."""

from __future__ import annotations

import numpy as np

from kanon_cli.kernels.boxes import box_price
from kanon_cli.kernels.jit import inner_kernel
from kanon_cli.kernels.pledges import excess
from kanon_cli.kernels.pools import FAR


@inner_kernel
def excess_of_union(pool, a, b, values, cap):
    """Return by how much two clusters together, or a alone if it is b, fall short of what is promised of secrets."""
    total = np.int64(0)
    if a != b:
        pool.size[a] += pool.size[b]
    for secret in range(len(values)):
        if a != b:
            for code in range(values[secret]):
                pool.counts[a, secret, code] += pool.counts[b, secret, code]
        total += excess(pool, a, secret, values, cap)
        if a != b:
            for code in range(values[secret]):
                pool.counts[a, secret, code] -= pool.counts[b, secret, code]
    if a != b:
        pool.size[a] -= pool.size[b]
    return total


@inner_kernel
def unite(pool, how, whole, mass, scale, rows, a, b, last):
    """Put cluster b into cluster a, and give the last cluster the number of b."""
    pool.price[a] = np.int64(0)
    for column in range(how.shape[0]):
        pool.lo[a, column] = min(pool.lo[a, column], pool.lo[b, column])
        pool.hi[a, column] = max(pool.hi[a, column], pool.hi[b, column])
        pool.price[a] += box_price(how, whole, mass, scale, column, pool.lo[a, column], pool.hi[a, column])
        pool.lo[b, column], pool.hi[b, column] = pool.lo[last, column], pool.hi[last, column]
    pool.size[a] += pool.size[b]
    pool.size[b], pool.price[b] = pool.size[last], pool.price[last]
    for secret in range(pool.counts.shape[1]):
        for code in range(pool.counts.shape[2]):
            pool.counts[a, secret, code] += pool.counts[b, secret, code]
            pool.counts[b, secret, code] = pool.counts[last, secret, code]
    for place in range(rows):
        if pool.cluster[place] == b:
            pool.cluster[place] = a
        if pool.cluster[place] == last:
            pool.cluster[place] = b


@inner_kernel
def mend(pool, how, whole, mass, scale, rows, clusters, values, cap):
    """Unite each cluster that exceeds a share with the cheapest that makes it whole; return how many clusters are left.

    Where no single one does, the one that leaves least is taken, and the search goes on. `union` is not kept up.
    """
    c = np.int64(0)
    while c < clusters and clusters > 1:
        if excess_of_union(pool, c, c, values, cap) == 0:
            c += 1
            continue
        best, best_excess, best_cost = np.int64(-1), FAR, FAR
        for other in range(clusters):
            if other == c:
                continue
            rest = excess_of_union(pool, c, other, values, cap)
            if rest > best_excess:
                continue
            cost = np.int64(0)
            for column in range(how.shape[0]):
                lo = min(pool.lo[c, column], pool.lo[other, column])
                hi = max(pool.hi[c, column], pool.hi[other, column])
                cost += box_price(how, whole, mass, scale, column, lo, hi)
            cost = cost * (pool.size[c] + pool.size[other]) - pool.price[other] * pool.size[other]
            if rest < best_excess or cost < best_cost:
                best, best_excess, best_cost = np.int64(other), rest, cost
        unite(pool, how, whole, mass, scale, rows, min(c, best), max(c, best), clusters - 1)
        clusters -= 1
        c = min(c, best)
    return clusters
