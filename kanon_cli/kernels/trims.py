"""Clusters of a pool made narrower: the few rows that keep one wide go elsewhere, and others come for them."""

# Only where k is all that is promised: with l = 2 on the sample table, trims gained nothing for their time.

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kanon_cli.kernels.boxes import FORM, add_box, box_price, shift_box
from kanon_cli.kernels.costs import FLAT
from kanon_cli.kernels.draws import draw
from kanon_cli.kernels.jit import inner_kernel
from kanon_cli.kernels.pools import ABOVE, BELOW, FAR, Pool, add_drops, join, leave, padded, pool_cost, rest_of
from kanon_cli.kernels.rebuilding import LARGEST
from kanon_cli.kernels.relocating import relocate

SHARE_THAT_GOES = 2  # a cluster may lose up to k divided by this, and one more
PATIENCE = 3  # homes for those that go may cost so many times what is saved: those that come for them may save more


class Snapshot(NamedTuple):
    """Where the rows of a pool were, and what its clusters were like."""

    cluster: npt.NDArray[np.int32]  # [place]
    lo: npt.NDArray[np.int32]  # [cluster, column]
    hi: npt.NDArray[np.int32]  # [cluster, column]
    size: npt.NDArray[np.int64]  # [cluster]
    price: npt.NDArray[np.int64]  # [cluster]


def make_snapshot(pool: Pool) -> Snapshot:
    """Make room for what a pool is like."""
    return Snapshot(
        np.empty_like(pool.cluster),
        np.empty_like(pool.lo),
        np.empty_like(pool.hi),
        np.empty_like(pool.size),
        np.empty_like(pool.price),
    )


@inner_kernel
def remember(pool, rows, clusters, old):
    """Note what `undo` needs."""
    for place in range(rows):
        old.cluster[place] = pool.cluster[place]
    for c in range(clusters):
        old.size[c], old.price[c] = pool.size[c], pool.price[c]
        for column in range(pool.lo.shape[1]):
            old.lo[c, column], old.hi[c, column] = pool.lo[c, column], pool.hi[c, column]


@inner_kernel
def undo(pool, how, whole, mass, scale, rows, clusters, old):
    """Put the pool back to what it was, prices included."""
    for place in range(rows):
        pool.cluster[place] = old.cluster[place]
    for c in range(clusters):
        for column in range(how.shape[0]):
            reshape(pool, how, whole, mass, scale, rows, c, column, old.lo[c, column], old.hi[c, column])
        pool.size[c], pool.price[c] = old.size[c], old.price[c]


@inner_kernel
def price_unions(pool, how, whole, mass, scale, rows, clusters):
    """Write into pool.union what each row costs in each cluster that it joins."""
    places = padded(rows)
    for c in range(clusters):
        start = np.uint64(c * pool.room)
        for place in range(places):
            pool.union[start + place] = 0
        for column in range(how.shape[0]):
            lo, hi = pool.lo[c, column], pool.hi[c, column]
            add_box(how, whole, mass, scale, column, lo, hi, pool.coordinate, pool.room, places, pool.union, start)


@inner_kernel
def reshape(pool, how, whole, mass, scale, rows, c, column, lo, hi):
    """Give a cluster other bounds in a column, and rows their prices with it; pool.price is left to the caller."""
    low, high, start, places = pool.lo[c, column], pool.hi[c, column], np.uint64(c * pool.room), padded(rows)
    if low != lo or high != hi:
        at, room, union = pool.coordinate, pool.room, pool.union
        shift_box(how, whole, mass, scale, column, low, high, lo, hi, at, room, places, union, start)
        pool.lo[c, column], pool.hi[c, column] = lo, hi


@inner_kernel
def close_in(pool, how, whole, mass, scale, rows, c):
    """Shrink a cluster to its rows."""
    pool.price[c] = np.int64(0)
    for column in range(how.shape[0]):
        if pool.lo[c, column] < pool.hi[c, column]:
            lo, hi = rest_of(pool, rows, c, column, BELOW, ABOVE)
            reshape(pool, how, whole, mass, scale, rows, c, column, lo, hi)
            pool.price[c] += box_price(how, whole, mass, scale, column, lo, hi)


@inner_kernel
def narrower(pool, how, whole, mass, scale, rows, c, column, is_low, state):
    """Return the nearest bounds, from the low or the high end, between which a column costs a cluster less.

    Where a column costs all or nothing, any row may be the one whose value stays.
    """
    lo, hi = pool.lo[c, column], pool.hi[c, column]
    if how[column, FORM] == FLAT:
        place = draw(state, rows)
        while pool.cluster[place] != c:
            place = place + 1 if place + 1 < rows else np.int64(0)
        lo = hi = pool.coordinate[column * pool.room + place]
    full = box_price(how, whole, mass, scale, column, pool.lo[c, column], pool.hi[c, column])
    while lo < hi and box_price(how, whole, mass, scale, column, lo, hi) == full:
        least, most = rest_of(pool, rows, c, column, lo, hi)
        if is_low:
            lo = least
        else:
            hi = most
    return lo, hi


@inner_kernel
def expel(pool, rows, c, column, lo, hi, most):
    """Take the rows outside of lo..hi out of a cluster, unless they are too many; list them in pool.free."""
    start = np.uint64(column * pool.room)
    coordinate, cluster = pool.coordinate, pool.cluster
    own, count = np.int32(c), np.int32(0)
    for place in range(padded(rows)):
        at = coordinate[start + place]
        count = np.int32(count + np.int32((cluster[place] == own) & ((at < lo) | (at > hi))))
    if count > most:
        return np.int64(0)
    free, found, place = pool.free, np.uint64(0), np.uint64(0)
    while found < np.uint64(count):
        if cluster[place] == own:
            at = coordinate[start + place]
            if at < lo or at > hi:
                cluster[place] = -1
                free[found] = place
                found += np.uint64(1)
        place += np.uint64(1)
    pool.size[c] -= np.int64(count)
    return np.int64(count)


@inner_kernel
def cheapest_home(pool, clusters, c, place, k):
    """Return the cluster but c in which a row costs least, and what it costs; -1 if all are large."""
    best, best_cost = np.int64(-1), FAR
    for other in range(clusters):
        size = pool.size[other]
        cost = np.int64(pool.union[other * pool.room + place]) * (size + 1) - pool.price[other] * size
        if other != c and size < LARGEST * k and cost < best_cost:
            best, best_cost = np.int64(other), cost
    return best, best_cost


@inner_kernel
def find_homes(pool, how, whole, mass, scale, rows, clusters, c, count, k):
    """Give each row that has gone from cluster c to where it costs least; say whether all have found a home."""
    for number in range(count):
        home, _ = cheapest_home(pool, clusters, c, pool.free[number], k)
        if home < 0:
            return False
        join(pool, how, whole, mass, scale, rows, home, pool.free[number])
    return True


@inner_kernel
def best_comer(pool, rows, c, k):
    """Return the row, of a cluster larger than k, that comes to cluster c at the least cost, or -1.

    What its own cluster saves is in pool.total; all rows of c will pay for what it widens.
    """
    best, best_cost = np.int64(-1), FAR
    size, price, start = pool.size[c], pool.price[c], c * pool.room
    for place in range(rows):
        home = np.int64(pool.cluster[place])
        if home == c or pool.size[home] <= k:
            continue
        cost = (np.int64(pool.union[start + place]) - price) * max(k, size + 1) + price - pool.price[home]
        cost -= np.int64(pool.total[place]) * (pool.size[home] - 1)
        if cost < best_cost:
            best, best_cost = np.int64(place), cost
    return best


@inner_kernel
def fill_up(pool, how, whole, mass, scale, rows, clusters, c, k):
    """Let rows of larger clusters come to cluster c until it has k; say whether there were enough."""
    if pool.size[c] >= k:
        return True
    for place in range(padded(rows)):
        pool.total[place] = 0
    for other in range(clusters):
        if other != c and pool.size[other] > k:
            add_drops(pool, how, whole, mass, scale, rows, other)
    while pool.size[c] < k:
        place = best_comer(pool, rows, c, k)
        if place < 0:
            return False
        home = np.int64(pool.cluster[place])
        leave(pool, how, whole, mass, scale, rows, home, place)
        join(pool, how, whole, mass, scale, rows, c, place)
        for other in range(padded(rows)):
            pool.total[other] = np.int32(0) if pool.cluster[other] == home else pool.total[other]
        pool.total[place] = 0
        if pool.size[home] > k:
            add_drops(pool, how, whole, mass, scale, rows, home)
    return True


@inner_kernel
def may_pay(pool, how, whole, mass, scale, clusters, c, column, lo, hi, count, k):
    """Guess whether it pays that so many rows have gone, so that a column of cluster c will be lo..hi."""
    full = box_price(how, whole, mass, scale, column, pool.lo[c, column], pool.hi[c, column])
    price = pool.price[c] - full + box_price(how, whole, mass, scale, column, lo, hi)
    hope = PATIENCE * (pool.price[c] * (pool.size[c] + count) - price * max(k, pool.size[c]))
    for number in range(count):
        _, cost = cheapest_home(pool, clusters, c, pool.free[number], k)
        if cost > hope:
            return False
        hope -= cost
    return True


@inner_kernel
def trim(pool, how, whole, mass, scale, rows, clusters, c, column, is_low, k, old, heat, state):
    """Make a cluster narrower at one end of a column if that costs no more; `old` always says how the pool is.

    It may cost more by `heat` parts of 2 ** 20 of the cluster's cost.
    """
    lo, hi = narrower(pool, how, whole, mass, scale, rows, c, column, is_low, state)
    limit = pool_cost(pool, clusters) + (pool.price[c] * pool.size[c] * heat >> np.int64(20))
    count = expel(pool, rows, c, column, lo, hi, k // SHARE_THAT_GOES + 1)
    if count == 0:
        return
    works = may_pay(pool, how, whole, mass, scale, clusters, c, column, lo, hi, count, k)
    if works:
        close_in(pool, how, whole, mass, scale, rows, c)
        works = find_homes(pool, how, whole, mass, scale, rows, clusters, c, count, k)
    works = works and fill_up(pool, how, whole, mass, scale, rows, clusters, c, k)
    if works and pool_cost(pool, clusters) <= limit:
        remember(pool, rows, clusters, old)
    else:
        undo(pool, how, whole, mass, scale, rows, clusters, old)


@inner_kernel
def trim_pool(pool, how, whole, mass, scale, rows, clusters, k, values, cap, old, heat, state):
    """Move rows to where they cost less, and trim the clusters; count the tries."""
    price_unions(pool, how, whole, mass, scale, rows, clusters)
    relocate(pool, how, whole, mass, scale, rows, clusters, k, values, cap)
    return trim_clusters(pool, how, whole, mass, scale, rows, clusters, k, old, heat, state)


@inner_kernel
def trim_clusters(pool, how, whole, mass, scale, rows, clusters, k, old, heat, state):
    """Try to trim each cluster at both ends of each column, where prices of unions are known; count the tries."""
    remember(pool, rows, clusters, old)
    tries = np.int64(0)
    for c in range(clusters):
        for column in range(how.shape[0]):
            for end in range(2):
                if pool.lo[c, column] < pool.hi[c, column]:
                    trim(pool, how, whole, mass, scale, rows, clusters, c, column, end == 0, k, old, heat, state)
                    tries += 1
    return tries
