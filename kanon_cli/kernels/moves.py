"""Moving one record after the other to where it costs least."""

from __future__ import annotations

import numpy as np

from kanon_cli.kernels.clusters import close_without, link, shortfall_of, unlink
from kanon_cli.kernels.costs import add_union_prices, price_all
from kanon_cli.kernels.jit import kernel

FAR = np.iinfo(np.int64).max


@kernel
def keeps(clusters, aim, c, row, sign):
    """Say whether cluster c gets no further from its promise when a row joins (+1) or leaves (-1) it.

    A cluster below k is not judged: it will be unified with others, and they together will be.
    """
    if len(aim.values) == 0 or clusters.size[c] + sign < aim.k:
        return True
    after = shortfall_of(clusters, aim, c, -1, row, sign)
    return after == 0 or after <= shortfall_of(clusters, aim, c, -1, 0, 0)


@kernel
def best_home(clusters, rank_of, costs, aim, row, limit, total):
    """Return the cluster (lowest number first) that a row joins at the least cost below `limit`, or -1."""
    own = clusters.group_of[row]
    count = len(clusters.size)
    total[:] = 0
    for column in range(rank_of.shape[0]):
        add_union_prices(costs, column, rank_of[column, row], clusters.lo[column], clusters.hi[column], count, total)
    best, best_cost = np.int64(-1), limit
    for c in range(count):
        size = clusters.size[c]
        if size == 0 or c == own:
            continue
        cost = total[c] * (size + 1) - clusters.price[c] * size
        if cost < best_cost and keeps(clusters, aim, c, row, 1):
            best, best_cost = np.int64(c), cost
    return best


@kernel
def move(clusters, rank_of, costs, row, target, lo, hi):
    """Move a row to another cluster; lo and hi hold the closure of what it leaves behind."""
    own = clusters.group_of[row]
    unlink(clusters, row)
    if clusters.size[own] > 0:
        for column in range(rank_of.shape[0]):
            clusters.lo[column, own] = lo[column]
            clusters.hi[column, own] = hi[column]
        clusters.price[own] = price_all(costs, lo, hi)
    link(clusters, row, target)
    for column in range(rank_of.shape[0]):
        rank = rank_of[column, row]
        clusters.lo[column, target] = min(clusters.lo[column, target], rank)
        clusters.hi[column, target] = max(clusters.hi[column, target], rank)
    clusters.price[target] = price_all(costs, clusters.lo[:, target], clusters.hi[:, target])


@kernel
def relocate(clusters, rank_of, costs, aim, start, end):
    """Visit the rows start..end-1 in order; move each to where it costs least, if that lowers the cost; count moves.

    A row that is alone moves to its best cluster at any cost.
    """
    columns = rank_of.shape[0]
    lo = np.empty(columns, dtype=np.int64)
    hi = np.empty(columns, dtype=np.int64)
    total = np.empty(len(clusters.size), dtype=np.int64)
    moves = 0
    for row in range(start, end):
        own = clusters.group_of[row]
        size = clusters.size[own]
        saved = np.int64(FAR)
        if size > 1:
            close_without(clusters, rank_of, own, row, lo, hi)
            saved = clusters.price[own] * size - price_all(costs, lo, hi) * (size - 1)
            if not keeps(clusters, aim, own, row, -1):
                continue
        target = best_home(clusters, rank_of, costs, aim, row, saved, total)
        if target >= 0:
            move(clusters, rank_of, costs, row, target, lo, hi)
            moves += 1
    return moves
