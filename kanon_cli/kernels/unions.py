"""Unifying clusters that are too small or short of their promise."""

from __future__ import annotations

import numpy as np

from kanon_cli.kernels.clusters import link, shortfall_of, shortfalls, unlink
from kanon_cli.kernels.costs import price
from kanon_cli.kernels.jit import kernel

FAR = np.iinfo(np.int64).max


@kernel
def union_price(clusters, costs, a, b):
    """Return what a row costs in the union of two clusters."""
    total = np.int64(0)
    for column in range(clusters.lo.shape[0]):
        total += price(
            costs,
            column,
            min(clusters.lo[column, a], clusters.lo[column, b]),
            max(clusters.hi[column, a], clusters.hi[column, b]),
        )
    return total


@kernel
def distance(clusters, costs, a, b):
    """Return what it costs to unify two clusters: cost of the union less the cost of both."""
    size_a, size_b = clusters.size[a], clusters.size[b]
    return (
        union_price(clusters, costs, a, b) * (size_a + size_b) - clusters.price[a] * size_a - clusters.price[b] * size_b
    )


@kernel
def unify(clusters, costs, a, b):
    """Put cluster b into cluster a."""
    clusters.price[a] = union_price(clusters, costs, a, b)
    for column in range(clusters.lo.shape[0]):
        clusters.lo[column, a] = min(clusters.lo[column, a], clusters.lo[column, b])
        clusters.hi[column, a] = max(clusters.hi[column, a], clusters.hi[column, b])
    row = clusters.head[b]
    while row >= 0:
        after = clusters.after[row]
        unlink(clusters, row)
        link(clusters, row, a)
        row = after


@kernel
def nearest_small(clusters, costs, small, count, at):
    """Return the place in small[:count] of the cluster nearest to small[at] (lowest place first), and the distance."""
    best, best_distance = np.int64(-1), FAR
    for other in range(count):
        if other != at:
            d = distance(clusters, costs, small[at], small[other])
            if d < best_distance:
                best, best_distance = np.int64(other), d
    return best, best_distance


@kernel
def unify_small(clusters, costs, k):
    """Unify the two nearest clusters below k until one such cluster at most is left; return how many were unified."""
    small = np.flatnonzero((clusters.size > 0) & (clusters.size < k))
    count = len(small)
    nearest = np.full(count, -1, dtype=np.int64)
    gap = np.full(count, FAR, dtype=np.int64)
    if count > 1:
        for at in range(count):
            nearest[at], gap[at] = nearest_small(clusters, costs, small, count, at)
    unified = 0
    while count > 1:
        a = np.int64(np.argmin(gap[:count]))
        b = nearest[a]
        if b < a:
            a, b = b, a
        unify(clusters, costs, small[a], small[b])
        unified += 1
        drop_a = clusters.size[small[a]] >= k
        count = _drop(clusters, costs, small, nearest, gap, count, a, b, drop_a)
    return unified


@kernel
def _drop(clusters, costs, small, nearest, gap, count, a, b, drop_a):
    """Take place b (and a, if its cluster has grown to k) out of the list and repair the nearest neighbours."""
    kept = np.empty(count, dtype=np.int64)  # [old place] -> new place, -1 if gone
    new_count = 0
    for at in range(count):
        gone = at == b or (drop_a and at == a)
        kept[at] = -1 if gone else new_count
        if not gone:
            small[new_count], nearest[new_count], gap[new_count] = small[at], nearest[at], gap[at]
            new_count += 1
    changed = np.int64(-1) if drop_a else kept[a]
    for at in range(new_count):
        near = nearest[at]
        if at == changed or near in (a, b):
            nearest[at], gap[at] = nearest_small(clusters, costs, small, new_count, at)
            continue
        nearest[at] = kept[near]
        if changed >= 0:  # the grown cluster may be nearer now than the one that was nearest
            d = distance(clusters, costs, small[at], small[changed])
            if d < gap[at] or (d == gap[at] and changed < nearest[at]):
                nearest[at], gap[at] = changed, d
    return new_count


@kernel
def unify_unfinished(clusters, costs, aim):
    """Unify every cluster below k or short of its promise with the cheapest cluster that finishes it; return how many.

    Where no single cluster finishes it, the one that leaves the least shortfall is taken, and the search goes on.
    """
    short = shortfalls(clusters, aim)
    unified = 0
    c = 0
    while c < len(clusters.size):
        if clusters.size[c] == 0 or (clusters.size[c] >= aim.k and short[c] == 0):
            c += 1
            continue
        best, best_short, best_distance = np.int64(-1), FAR, FAR
        for other in range(len(clusters.size)):
            if other == c or clusters.size[other] == 0:
                continue
            d = distance(clusters, costs, c, other)
            if best_short == 0 and d >= best_distance:
                continue
            rest = np.int64(0)
            if short[c] > 0 or short[other] > 0:
                rest = shortfall_of(clusters, aim, c, other, 0, 0)
            if rest < best_short or (rest == best_short and d < best_distance):
                best, best_short, best_distance = np.int64(other), rest, d
        if best < 0:
            break
        unify(clusters, costs, c, best)
        short[c] = best_short
        unified += 1
    return unified
