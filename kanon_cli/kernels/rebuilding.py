"""Rows of a pool that are clustered anew, greedily from random seeds."""

from __future__ import annotations

import numpy as np

from kanon_cli.kernels.boxes import FORM, FULL, add_seed, box_price, shift_box, shift_line
from kanon_cli.kernels.clusters import JOINS
from kanon_cli.kernels.costs import FLAT, LINE
from kanon_cli.kernels.draws import draw
from kanon_cli.kernels.jit import inner_kernel
from kanon_cli.kernels.pledges import BLOCKED, bar, block, keeps_with
from kanon_cli.kernels.pools import FAR, TAKEN, join, least_place, padded
from kanon_cli.kernels.promise import has_rules

LARGEST = 3  # a cluster gets no left-over row once it has so many times k, as long as there is another


@inner_kernel
def seed_place(pool, rows, state):
    """Draw one of the free rows."""
    place = draw(state, rows)
    while pool.taken[place] != 0:
        place = draw(state, rows)
    return place


@inner_kernel
def grow(  # noqa: PLR0912  a kernel for each part would take the arrays over again
    pool, how, whole, mass, scale, rows, c, seed, k, values, cap, limit
):
    """Make cluster c of the row at `seed` and, one after the other, those k - 1 that widen it least.

    One whose price rises above the limit is left unfinished.
    """
    places, room = padded(rows), pool.room
    coordinate, total, taken, cluster = pool.coordinate, pool.total, pool.taken, pool.cluster
    lo, hi = pool.lo[c], pool.hi[c]
    columns = np.uint64(how.shape[0])
    for place in range(places):
        total[place] = taken[place]
    for column in range(columns):
        lo[column] = hi[column] = coordinate[column * np.uint64(room) + np.uint64(seed)]
    add_seed(how, whole, mass, scale, seed, coordinate, room, places, total)
    for secret in range(pool.counts.shape[1]):
        for code in range(pool.counts.shape[2]):
            pool.counts[c, secret, code] = 0
    near, is_ruled = seed, has_rules(cap)
    for member in range(k):
        if member > 0:
            near = least_place(total, places)
            if total[near] > limit:
                pool.price[c] = FAR
                return
        taken[near] = TAKEN
        total[near] += TAKEN - BLOCKED * (total[near] >= BLOCKED)
        cluster[near] = c
        at = np.uint64(near)
        for place in range(columns):  # unsigned, as in boxes.py
            low, high, joining = lo[place], hi[place], coordinate[at]
            at += np.uint64(room)
            if joining < low or joining > high:
                new_lo, new_hi, column = min(low, joining), max(high, joining), np.int64(place)
                form, start = how[column, FORM], place * np.uint64(room)
                if form == LINE:  # most of all that widens: without a call
                    full = how[column, FULL]
                    shift_line(low, high, new_lo, new_hi, full, coordinate, start, places, total, np.uint64(0))
                elif form != FLAT or low == high:
                    shift_box(
                        how,
                        whole,
                        mass,
                        scale,
                        column,
                        low,
                        high,
                        new_lo,
                        new_hi,
                        coordinate,
                        room,
                        places,
                        total,
                        np.uint64(0),
                    )
                lo[place], hi[place] = new_lo, new_hi
        if len(values) > 0:
            for secret in range(len(values)):
                pool.counts[c, secret, pool.code[secret, near]] += 1
            if not is_ruled:
                block(pool, rows, c, k, values, cap)
            elif member + 1 < k:
                bar(pool, rows, c, np.int64(member + 1), k, values, cap)
    pool.size[c] = k
    pool.price[c] = np.int64(0)
    for column in range(how.shape[0]):
        pool.price[c] += box_price(how, whole, mass, scale, column, lo[column], hi[column])


@inner_kernel
def remember_unions(pool, rows, c):
    """Note what each row costs with the cluster that has been made."""
    start = np.uint64(c * pool.room)
    total, taken, union = pool.total, pool.taken, pool.union
    for place in range(padded(rows)):
        left = total[place] - taken[place]
        union[start + place] = left - BLOCKED if left >= BLOCKED else left


@inner_kernel
def hand_out(pool, how, whole, mass, scale, rows, clusters, k, values, cap):
    """Give every row that is still free to the cluster where it costs least, if one keeps its promise with it."""
    for place in range(rows):
        if pool.taken[place] != 0:
            continue
        best, best_cost, best_fits = np.int64(0), FAR, False
        for c in range(clusters):
            size = pool.size[c]
            cost = np.int64(pool.union[c * pool.room + place]) * (size + 1) - pool.price[c] * size
            fits = size < LARGEST * k and (len(values) == 0 or keeps_with(pool, c, place, JOINS, values, cap))
            if (fits and not best_fits) or (fits == best_fits and cost < best_cost):
                best, best_cost, best_fits = np.int64(c), cost, fits
        join(pool, how, whole, mass, scale, rows, best, place)


@inner_kernel
def set_aside(pool, rows, c):
    """Set the rows of cluster c free again, but note where they were: where cluster c + 1 will have its unions."""
    start = np.uint64((c + 1) * pool.room)
    cluster, taken, noted, own = pool.cluster, pool.taken, pool.union, np.int32(c)
    for place in range(padded(rows)):
        noted[start + place] = cluster[place]
        taken[place] = np.int32(0) if cluster[place] == own else taken[place]
        cluster[place] = np.int32(-1) if cluster[place] == own else cluster[place]


@inner_kernel
def take_back(pool, rows, c):
    """Forget cluster c + 1: the rows are where they were before cluster c was set aside."""
    start = np.uint64((c + 1) * pool.room)
    cluster, taken, noted, own = pool.cluster, pool.taken, pool.union, np.int32(c)
    above = np.int32(c + 1)
    for place in range(padded(rows)):
        taken[place] = np.int32(0) if cluster[place] == above else taken[place]
        cluster[place] = noted[start + place]
        taken[place] = TAKEN if cluster[place] == own else taken[place]


@inner_kernel
def move_up(pool, rows, c):
    """Make cluster c + 1 cluster c, whose rows are free."""
    cluster, own, above = pool.cluster, np.int32(c), np.int32(c + 1)
    for place in range(padded(rows)):
        cluster[place] = own if cluster[place] == above else cluster[place]
    pool.price[c] = pool.price[c + 1]
    for column in range(pool.lo.shape[1]):
        pool.lo[c, column], pool.hi[c, column] = pool.lo[c + 1, column], pool.hi[c + 1, column]
    remember_unions(pool, rows, c)


@inner_kernel
def cluster_pool(pool, how, whole, mass, scale, rows, clusters, k, values, cap, is_choosy, most, state):
    """Make so many clusters of k rows each from random seeds, and hand out the other rows; say whether that was done.

    It is given up once the clusters cost more than `most`. When choosy, every other cluster but the last grows from two
    seeds in turn, and the cheaper one is kept.
    """
    for place in range(padded(rows)):
        pool.taken[place], pool.cluster[place] = 0, -1
    for place in range(rows, np.int64(padded(rows))):
        pool.taken[place] = TAKEN
    for c in range(clusters):
        seed, limit = seed_place(pool, rows, state), most // k
        grow(pool, how, whole, mass, scale, rows, c, seed, k, values, cap, limit)
        if pool.price[c] > limit:
            return False
        remember_unions(pool, rows, c)
        if is_choosy and c + 1 < clusters and draw(state, 2) == 0:
            set_aside(pool, rows, c)
            seed, price = seed_place(pool, rows, state), pool.price[c]
            grow(pool, how, whole, mass, scale, rows, c + 1, seed, k, values, cap, price)
            if pool.price[c + 1] > price:
                take_back(pool, rows, c)
            else:
                move_up(pool, rows, c)
        most -= pool.price[c] * k
    hand_out(pool, how, whole, mass, scale, rows, clusters, k, values, cap)
    return True
