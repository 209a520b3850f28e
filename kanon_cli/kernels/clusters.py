"""Clusters that records move between: their closures, their prices and who is in them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kanon_cli.kernels.costs import add_union_prices, price, price_all
from kanon_cli.kernels.jit import kernel
from kanon_cli.kernels.promise import shortfall

FAR = np.iinfo(np.int64).max


class Aim(NamedTuple):
    """What a finished cluster has to keep."""

    k: int
    secret_of: npt.NDArray[np.int32]  # [secret, row]
    values: npt.NDArray[np.int64]  # [secret] codes, missing included
    cap: npt.NDArray[np.int64]  # [secret, 2]


class Clusters(NamedTuple):
    """The state of a clustering; a cluster of size 0 is gone. Members hang in doubly linked lists."""

    group_of: npt.NDArray[np.int32]  # [row]
    lo: npt.NDArray[np.int32]  # [column, cluster]
    hi: npt.NDArray[np.int32]  # [column, cluster]
    size: npt.NDArray[np.int64]  # [cluster]
    price: npt.NDArray[np.int64]  # [cluster] of one row
    head: npt.NDArray[np.int64]  # [cluster] its first member, -1 if none
    after: npt.NDArray[np.int64]  # [row] the next member, -1 at the end
    before: npt.NDArray[np.int64]  # [row] the member before, -1 at the head
    counts: npt.NDArray[np.int64]  # scratch: [code]


def empty(columns: int, rows: int, clusters: int, codes: int, group_of: npt.NDArray[np.int32]) -> Clusters:
    """Make the arrays; `fill` puts the rows into them."""
    return Clusters(
        group_of=group_of,
        lo=np.zeros((columns, clusters), dtype=np.int32),  # valid ranks: empty clusters are priced too, and ignored
        hi=np.zeros((columns, clusters), dtype=np.int32),
        size=np.zeros(clusters, dtype=np.int64),
        price=np.zeros(clusters, dtype=np.int64),
        head=np.full(clusters, -1, dtype=np.int64),
        after=np.full(rows, -1, dtype=np.int64),
        before=np.full(rows, -1, dtype=np.int64),
        counts=np.zeros(codes, dtype=np.int64),
    )


@kernel
def link(clusters, row, c):
    """Hang a row into a cluster's list and widen its closure; its price is left to the caller."""
    head = clusters.head[c]
    clusters.after[row] = head
    clusters.before[row] = -1
    if head >= 0:
        clusters.before[head] = row
    clusters.head[c] = row
    clusters.group_of[row] = c
    clusters.size[c] += 1


@kernel
def unlink(clusters, row):
    """Take a row out of its cluster's list; closure and price are left to the caller."""
    c = clusters.group_of[row]
    before, after = clusters.before[row], clusters.after[row]
    if before >= 0:
        clusters.after[before] = after
    else:
        clusters.head[c] = after
    if after >= 0:
        clusters.before[after] = before
    clusters.size[c] -= 1


@kernel
def close_without(clusters, rank_of, c, left_out, lo, hi):
    """Write the closure of a cluster without one of its rows (-1: of all of it) into lo and hi."""
    for column in range(rank_of.shape[0]):
        low, high = clusters.lo[column, c], clusters.hi[column, c]
        rank = rank_of[column, left_out] if left_out >= 0 else low
        if left_out >= 0 and low < rank < high:
            lo[column], hi[column] = low, high
            continue
        new_lo, new_hi = np.int32(2147483647), np.int32(-1)
        row = clusters.head[c]
        while row >= 0:
            if row != left_out:
                rank = rank_of[column, row]
                new_lo = min(new_lo, rank)
                new_hi = max(new_hi, rank)
            row = clusters.after[row]
        lo[column], hi[column] = new_lo, new_hi


@kernel
def fill(clusters, rank_of, costs):
    """Build lists, closures and prices from group_of."""
    columns, rows = rank_of.shape
    lo = np.empty(columns, dtype=np.int64)
    hi = np.empty(columns, dtype=np.int64)
    for row in range(rows - 1, -1, -1):
        link(clusters, row, clusters.group_of[row])
    for c in range(len(clusters.size)):
        if clusters.size[c] > 0:
            close_without(clusters, rank_of, c, -1, lo, hi)
            for column in range(columns):
                clusters.lo[column, c] = lo[column]
                clusters.hi[column, c] = hi[column]
            clusters.price[c] = price_all(costs, lo, hi)


@kernel
def shortfall_of(clusters, aim, c, other, row, sign):
    """Return the shortfall of cluster c with cluster `other` (-1: none) and a row added (sign 1) or taken (-1)."""
    total = np.int64(0)
    counts = clusters.counts
    for secret in range(len(aim.values)):
        counts[: aim.values[secret]] = 0
        size = np.int64(sign)
        if sign != 0:
            counts[aim.secret_of[secret, row]] += sign
        for part in range(2):
            cluster = c if part == 0 else other
            member = clusters.head[cluster] if cluster >= 0 else np.int64(-1)
            while member >= 0:
                counts[aim.secret_of[secret, member]] += 1
                size += 1
                member = clusters.after[member]
        total += shortfall(counts, aim.values[secret], size, aim.cap[secret])
    return total


@kernel
def keeps(clusters, aim, c, row, sign):
    """Say whether cluster c gets no further from its promise when a row joins (+1) or leaves (-1) it."""
    if len(aim.values) == 0:
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


@kernel
def shortfalls(clusters, aim):
    """Return the shortfall of every cluster."""
    result = np.zeros(len(clusters.size), dtype=np.int64)
    if len(aim.values) > 0:
        for c in range(len(clusters.size)):
            if clusters.size[c] > 0:
                result[c] = shortfall_of(clusters, aim, c, -1, 0, 0)
    return result


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
