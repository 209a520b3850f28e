"""Rows of a pool that move from clusters with rows to spare to where they cost less."""

from __future__ import annotations

import numpy as np

from kanon_cli.kernels.clusters import JOINS, LEAVES
from kanon_cli.kernels.jit import inner_kernel
from kanon_cli.kernels.pledges import keeps_with
from kanon_cli.kernels.pools import FAR, TAKEN, add_drops, join, leave, padded


@inner_kernel
def drops(pool, how, whole, mass, scale, rows, c):
    """Write into pool.total by how much the price of a cluster drops when the row at each place leaves it."""
    for place in range(padded(rows)):
        pool.total[place] = 0
    add_drops(pool, how, whole, mass, scale, rows, c)


@inner_kernel
def best_leaver(pool, rows, clusters, c):
    """Return the row of a cluster, by the drops in pool.total, that saves most by moving, and where to; -1 if none."""
    drop, cluster, union = pool.total, pool.cluster, pool.union
    best, target, best_saving = np.int64(-1), np.int64(-1), np.int64(0)
    staying = np.int64(np.int32(pool.size[c] - 1))  # a product of 32 by 32 bits takes less time than one of 64 by 64
    for other in range(clusters):
        if other == c:
            continue
        before = pool.price[c] + pool.price[other] * pool.size[other]
        size = np.int64(np.int32(pool.size[other] + 1))
        start = np.uint64(other * pool.room)
        most, number = -FAR, np.int32(c)
        for place in range(padded(rows)):
            saving = before + np.int64(drop[place]) * staying - np.int64(union[start + place]) * size
            most = max(most, saving if cluster[place] == number else -FAR)
        if most > best_saving:
            best_saving, target = most, np.int64(other)
    if target >= 0:
        before = pool.price[c] + pool.price[target] * pool.size[target]
        for place in range(rows):
            saving = before + np.int64(drop[place]) * staying
            saving -= np.int64(union[target * pool.room + place]) * (pool.size[target] + 1)
            if cluster[place] == c and saving == best_saving:
                best = np.int64(place)
                break
    return best, target


@inner_kernel
def relocate(pool, how, whole, mass, scale, rows, clusters, k, values, cap):
    """Move rows out of clusters larger than k while that saves something, the best move of a cluster first."""
    for c in range(clusters):
        while pool.size[c] > k and pool.price[c] > 0:
            drops(pool, how, whole, mass, scale, rows, c)
            place, target = best_leaver(pool, rows, clusters, c)
            while place >= 0 and len(values) > 0:  # not one that breaks a promise about secrets
                if keeps_with(pool, c, place, LEAVES, values, cap) and keeps_with(
                    pool, target, place, JOINS, values, cap
                ):
                    break
                pool.total[place] = -TAKEN
                place, target = best_leaver(pool, rows, clusters, c)
            if place < 0:
                break
            leave(pool, how, whole, mass, scale, rows, c, place)
            join(pool, how, whole, mass, scale, rows, target, place)
