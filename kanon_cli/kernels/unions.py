"""Unifying clusters that are too small or short of their promise."""

from __future__ import annotations

import numpy as np

from kanon_cli.kernels.clusters import NOBODY, UNCHANGED, recount, shortfall_of, shortfall_with
from kanon_cli.kernels.jit import kernel, part_kernel
from kanon_cli.kernels.scans import (
    BLOCK,
    FAR,
    Closures,
    add_slow,
    add_unions,
    ask,
    join,
    least_cost,
    no_question,
    remove,
)


@part_kernel
def unify(clusters, layers, a, b, union_price):
    """Put cluster b into cluster a."""
    join(clusters.closures, layers, a, b, union_price)
    last, row = -1, clusters.head[b]
    while row >= 0:
        clusters.group_of[row] = a
        last, row = row, clusters.after[row]
    head = clusters.head[a]
    clusters.after[last] = head
    clusters.before[head] = last
    clusters.head[a] = clusters.head[b]
    clusters.head[b] = -1


@part_kernel
def pick(closures, chosen):
    """Copy the closures of some clusters, so that scans need not step over the others."""
    return Closures(
        closures.label[chosen],
        np.ascontiguousarray(closures.narrow[:, chosen]),
        np.ascontiguousarray(closures.wide[:, chosen]),
        np.ascontiguousarray(closures.lo[:, chosen]),
        np.ascontiguousarray(closures.hi[:, chosen]),
        closures.size[chosen],
        closures.price[chosen],
        closures.spent[chosen],
    )


@kernel
def nearest(closures, layers, costs, c, start, end, question, total):
    """Return the cluster from start to end (c not among them) nearest to c, lowest number first, and its distance.

    The distance is what it costs to unify them: the cost of the union less the cost of both.
    """
    narrow_asked, asked, paid = ask(closures, layers, costs, c, question)
    narrow, wide, lo, hi = closures.narrow, closures.wide, closures.lo, closures.hi
    size, spent = closures.size, closures.spent
    best, best_cost = np.int64(-1), np.int64(FAR)
    for first in range(start, end, BLOCK):
        last = min(first + BLOCK, end)
        add_unions(
            *(narrow, wide, lo, hi, question, narrow_asked, asked),
            *(layers.lines, layers.quick, layers.full, layers.table, layers.table_at, layers.ranks),
            *(paid, first, last, total),
        )
        least = least_cost(
            total, size, spent, np.int64(size[c]), np.uint64(0), np.uint64(first), np.uint64(last - first)
        )
        if least >= best_cost:
            continue
        for other in range(first, last):
            union_price = np.int64(total[other - first])
            cost = union_price * (size[other] + size[c]) - spent[other]
            if cost < best_cost and layers.quick < len(layers.full):
                union_price = add_slow(closures, layers, costs, question, other, union_price)
                cost = union_price * (size[other] + size[c]) - spent[other]
            if cost < best_cost:
                best, best_cost = other, cost
    return best, np.int64(FAR) if best < 0 else best_cost - spent[c]


@kernel
def measure(closures, layers, costs, c, end, question, total, distance):
    """Write the distance of c to each of the first `end` clusters into distance; to one that is gone it is FAR."""
    narrow_asked, asked, paid = ask(closures, layers, costs, c, question)
    narrow, wide, lo, hi = closures.narrow, closures.wide, closures.lo, closures.hi
    size, spent = closures.size, closures.spent
    for first in range(0, end, BLOCK):
        last = min(first + BLOCK, end)
        add_unions(
            *(narrow, wide, lo, hi, question, narrow_asked, asked),
            *(layers.lines, layers.quick, layers.full, layers.table, layers.table_at, layers.ranks),
            *(paid, first, last, total),
        )
        for other in range(first, last):
            distance[other] = FAR
            if size[other] > 0:
                union_price = add_slow(closures, layers, costs, question, other, np.int64(total[other - first]))
                distance[other] = union_price * (size[other] + size[c]) - spent[other] - spent[c]


@kernel
def unify_small(clusters, layers, costs, k):
    """Unify the two nearest clusters below k until one such cluster at most is left; return how many were unified.

    Ties go to the lowest numbers. Each cluster remembers the nearest of those behind it, so that a union makes few of
    them look again.
    """
    small = np.flatnonzero((clusters.closures.size > 0) & (clusters.closures.size < k))
    pool, count = pick(clusters.closures, small), len(small)
    question, total = no_question(layers), np.empty(BLOCK, np.int32)
    near = np.full(count, -1, np.int64)
    gap = np.full(count, FAR, np.int64)
    to_a = np.empty(count, np.int64)
    for c in range(count):
        near[c], gap[c] = nearest(pool, layers, costs, c, c + 1, count, question, total)
    unified = 0
    while count > 1:
        a = np.argmin(gap)
        if gap[a] == FAR:
            break
        b = near[a]
        union_price = (gap[a] + pool.spent[a] + pool.spent[b]) // (pool.size[a] + pool.size[b])
        unify(clusters, layers, small[a], small[b], union_price)
        join(pool, layers, a, b, union_price)
        unified += 1
        gap[b] = FAR
        if pool.size[a] >= k:
            remove(pool, a)
            gap[a] = FAR
            to_a[:a] = FAR
        else:
            measure(pool, layers, costs, a, a, question, total, to_a)
            near[a], gap[a] = nearest(pool, layers, costs, a, a + 1, count, question, total)
        for c in range(b):
            if pool.size[c] == 0 or c == a:
                continue
            if c < a and to_a[c] < FAR and (to_a[c] < gap[c] or (to_a[c] == gap[c] and a <= near[c])):
                near[c], gap[c] = a, to_a[c]
            elif near[c] == a or near[c] == b:
                near[c], gap[c] = nearest(pool, layers, costs, c, c + 1, count, question, total)
    return unified


@kernel
def shortfalls(clusters, aim):
    """Count the secrets of every cluster anew; give by how much each falls short of its promise."""
    size = clusters.closures.size
    short = np.zeros(len(size), np.int64)
    for c in range(len(size)):
        if size[c] > 0:
            recount(clusters, aim, c)
            short[c] = shortfall_of(clusters, aim, c)
    return short


@part_kernel
def cheapest_finisher(clusters, aim, c, short, distance):
    """Return the cluster that leaves c the least shortfall, of several the nearest, -1 if none; and what it leaves."""
    size = clusters.closures.size
    best, best_short, best_distance = np.int64(-1), np.int64(FAR), np.int64(FAR)
    for other in range(len(size)):
        if other == c or size[other] == 0 or (best_short == 0 and distance[other] >= best_distance):
            continue
        rest = np.int64(0)
        if short[c] > 0 or short[other] > 0:
            rest = shortfall_with(clusters, aim, c, other, NOBODY, UNCHANGED)
        if rest < best_short or (rest == best_short and distance[other] < best_distance):
            best, best_short, best_distance = other, rest, distance[other]
    return best, best_short


@kernel
def unify_unfinished(clusters, layers, costs, aim):
    """Unify every cluster below k or short of its promise with the cheapest cluster that finishes it; return how many.

    Where no single cluster finishes it, the one that leaves the least shortfall is taken, and the search goes on.
    """
    size = clusters.closures.size
    question, total = no_question(layers), np.empty(BLOCK, np.int32)
    distance = np.empty(len(size), np.int64)
    short = shortfalls(clusters, aim)
    unified = 0
    c = np.int64(0)
    while c < len(size):
        if size[c] == 0 or (size[c] >= aim.k and short[c] == 0):
            c += 1
            continue
        measure(clusters.closures, layers, costs, c, len(size), question, total, distance)
        best, best_short = cheapest_finisher(clusters, aim, c, short, distance)
        if best < 0:
            break
        spent = clusters.closures.spent
        union_price = (distance[best] + spent[c] + spent[best]) // (size[c] + size[best])
        unify(clusters, layers, c, best, union_price)
        short[c] = best_short
        unified += 1
    return unified


@kernel
def unify_chosen(clusters, layers, costs, chosen):
    """Unify each of these clusters with its nearest, unless it has been unified already; return how many were."""
    size, spent = clusters.closures.size, clusters.closures.spent
    question, total = no_question(layers), np.empty(BLOCK, np.int32)
    distance = np.empty(len(size), np.int64)
    is_done = np.zeros(len(size), np.bool_)
    unified = 0
    for c in chosen:
        if is_done[c]:
            continue
        measure(clusters.closures, layers, costs, c, len(size), question, total, distance)
        distance[c] = FAR
        other = np.argmin(distance)
        if distance[other] == FAR:
            break
        a, b = min(c, other), max(c, other)
        union_price = (distance[other] + spent[a] + spent[b]) // (size[a] + size[b])
        unify(clusters, layers, a, b, union_price)
        is_done[a] = is_done[b] = True
        unified += 1
    return unified
