"""Rows that are clustered anew: greedily from random seeds, then row by row to where each costs least."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kanon_cli.kernels.boxes import FORM, FULL, add_seed, box_price, shift_box
from kanon_cli.kernels.clusters import JOINS, LEAVES
from kanon_cli.kernels.costs import LINE
from kanon_cli.kernels.jit import inner_kernel, part_kernel
from kanon_cli.kernels.promise import PRICE, RULES, SHARE, goal_shortfall, has_rules, rules_shortfall

FAR = np.int64(1) << np.int64(62)
TAKEN = np.int32(1 << 30)  # on top of any price: the row is in a cluster already
BLOCKED = np.int32(1 << 29)  # on top of any price: the cluster in the making has enough rows with this secret
PLACE_BITS = 20  # a pool has fewer places than 2 ** 20
LANES = 32  # rows are padded to a multiple, so that SIMD loops have no rest to do one by one
BARRED_CODES = 66  # a secret with more values is not looked at while a cluster grows: that would take too long
LARGEST = 3  # a cluster gets no left-over row once it has so many times k, as long as there is another
ABOVE, BELOW = np.int32(2147483647), np.int32(-1)  # above and below all coordinates


class Pool(NamedTuple):
    """Rows and the clusters made of them. Flat arrays have a place's number in column c at c * room + place."""

    room: np.int64  # places, padding included
    coordinate: npt.NDArray[np.int32]  # [column * room + place]
    code: npt.NDArray[np.int32]  # [secret, place]
    member: npt.NDArray[np.int64]  # [place] the row's number outside
    cluster: npt.NDArray[np.int32]  # [place] -1 in the padding
    union: npt.NDArray[np.int32]  # [cluster * room + place] price of the row in the cluster joined by it
    lo: npt.NDArray[np.int32]  # [cluster, column]
    hi: npt.NDArray[np.int32]  # [cluster, column]
    size: npt.NDArray[np.int64]  # [cluster]
    price: npt.NDArray[np.int64]  # [cluster] of one row
    counts: npt.NDArray[np.int64]  # [cluster, secret, code]
    barred: npt.NDArray[np.bool_]  # scratch: [secret, code] no more rows with this value
    total: npt.NDArray[np.int32]  # scratch: [place] price of the row with the cluster in the making
    taken: npt.NDArray[np.int32]  # scratch: [place] 0 or TAKEN
    free: npt.NDArray[np.int64]  # scratch: [place]


@part_kernel
def make_pool(columns, values, rows, clusters):
    """Make an empty pool with room for so many rows and clusters; values[secret] counts the codes."""
    room = (rows + LANES - 1) // LANES * LANES
    codes = np.int64(0)
    for secret in range(len(values)):
        codes = max(codes, values[secret])
    return Pool(
        room,
        np.zeros(columns * room, dtype=np.int32),
        np.zeros((len(values), room), dtype=np.int32),
        np.zeros(room, dtype=np.int64),
        np.zeros(room, dtype=np.int32),
        np.zeros(clusters * room, dtype=np.int32),
        np.zeros((clusters, columns), dtype=np.int32),
        np.zeros((clusters, columns), dtype=np.int32),
        np.zeros(clusters, dtype=np.int64),
        np.zeros(clusters, dtype=np.int64),
        np.zeros((clusters, len(values), codes), dtype=np.int64),
        np.zeros((len(values), codes), dtype=np.bool_),
        np.zeros(room, dtype=np.int32),
        np.zeros(room, dtype=np.int32),
        np.zeros(room, dtype=np.int64),
    )


@inner_kernel
def shuffled(state):
    """Return the random state that follows another (xorshift64: no products, of which numpy would warn uncompiled)."""
    state ^= state << np.uint64(13)
    state ^= state >> np.uint64(7)
    return state ^ (state << np.uint64(17))


@inner_kernel
def draw(state, limit):
    """Draw a number below `limit` from an explicit state."""
    state[0] = shuffled(state[0])
    return np.int64(((state[0] >> np.uint64(32)) * np.uint64(limit)) >> np.uint64(32))


@inner_kernel
def least_place(total, places):
    """Return the place with the least number, the first of several; numbers and places are compared as one."""
    best = FAR
    for place in range(places):
        best = min(best, (np.int64(total[place]) << np.int64(PLACE_BITS)) | np.int64(place))
    return best & ((np.int64(1) << np.int64(PLACE_BITS)) - 1)


@inner_kernel
def padded(rows):
    """Return rows rounded up to whole SIMD registers, as an unsigned number."""
    return np.uint64((rows + LANES - 1) // LANES * LANES)


@inner_kernel
def excess(pool, c, secret, values, cap):
    """Return by how much a cluster falls short of what is promised of a secret; missing ones count with any value."""
    most = np.int64(0)
    for code in range(values[secret] - 2):
        most = max(most, pool.counts[c, secret, code])
    missing = pool.counts[c, secret, values[secret] - 1]
    most += missing
    total = max(most * cap[secret, PRICE] - pool.size[c] * cap[secret, SHARE], np.int64(0))
    if cap[secret, RULES] > 0:
        total += rules_shortfall(pool.counts[c, secret], missing, pool.size[c], cap[secret])
    return total


@inner_kernel
def keeps_with(pool, c, place, sign, values, cap):
    """Say whether a cluster keeps its promise about secrets once the row at a place has joined (1) or left (-1) it."""
    pool.size[c] += sign
    keeps = True
    for secret in range(len(values)):
        pool.counts[c, secret, pool.code[secret, place]] += sign
        keeps = keeps and excess(pool, c, secret, values, cap) == 0
    for secret in range(len(values)):
        pool.counts[c, secret, pool.code[secret, place]] -= sign
    pool.size[c] -= sign
    return keeps


@inner_kernel
def block(pool, rows, c, k, values, cap):
    """Block the free rows whose secret would make a cluster of k rows break its promise.

    The last code of a secret is missing; the one before it stands for all values too rare to break any promise.
    """
    for secret in range(len(values)):
        missing = values[secret] - 1
        harmless = missing - 1
        allowed = k * cap[secret, 1] // cap[secret, 0] - pool.counts[c, secret, missing]
        most = np.int64(0)
        for code in range(harmless):
            most = max(most, pool.counts[c, secret, code])
        for place in range(rows):
            code = pool.code[secret, place]
            others = most + 1 if code == missing else pool.counts[c, secret, code] + 1
            if code != harmless and others > allowed and pool.total[place] < BLOCKED:
                pool.total[place] += BLOCKED


@inner_kernel
def bar(pool, rows, c, size, k, values, cap):
    """Block the free rows whose secret would keep a cluster of `size` rows from keeping its promise at k rows."""
    for secret in range(len(values)):
        missing = values[secret] - 1
        is_ruled = cap[secret, RULES] > 0 and values[secret] <= BARRED_CODES
        allowed = k * cap[secret, SHARE] // cap[secret, PRICE] - pool.counts[c, secret, missing]
        most = np.int64(0)
        for code in range(missing - 1):
            most = max(most, pool.counts[c, secret, code])
        for code in range(values[secret]):
            others = most if code == missing else pool.counts[c, secret, code]
            is_barred = code != missing - 1 and others + 1 > allowed
            if is_ruled and not is_barred:
                pool.counts[c, secret, code] += 1
                gone = pool.counts[c, secret, missing]
                is_barred = goal_shortfall(pool.counts[c, secret], gone, size + 1, k, cap[secret]) > 0
                pool.counts[c, secret, code] -= 1
            pool.barred[secret, code] = is_barred
    for place in range(rows):
        if pool.taken[place] == 0:
            is_barred = False
            for secret in range(len(values)):
                is_barred |= pool.barred[secret, pool.code[secret, place]]
            if is_barred and pool.total[place] < BLOCKED:
                pool.total[place] += BLOCKED
            elif not is_barred and pool.total[place] >= BLOCKED:
                pool.total[place] -= BLOCKED


@inner_kernel
def seed_place(pool, rows, free, state):
    """Draw one of the free rows."""
    left = draw(state, free)
    for place in range(rows):
        if pool.taken[place] == 0:
            if left == 0:
                return place
            left -= 1
    return np.int64(0)


@inner_kernel
def grow(  # noqa: PLR0912  a kernel for each part would take the arrays over again
    pool, how, whole, mass, scale, rows, c, seed, k, values, cap
):
    """Make cluster c of the row at `seed` and, one after the other, those k - 1 that widen it least."""
    places, room = padded(rows), pool.room
    coordinate, total, taken, cluster = pool.coordinate, pool.total, pool.taken, pool.cluster
    lo, hi = pool.lo, pool.hi
    columns = how.shape[0]
    for place in range(places):
        total[place] = taken[place]
    for column in range(columns):
        lo[c, column] = hi[c, column] = coordinate[column * room + seed]
    add_seed(how, whole, mass, scale, seed, coordinate, room, places, total)
    for secret in range(pool.counts.shape[1]):
        for code in range(pool.counts.shape[2]):
            pool.counts[c, secret, code] = 0
    near, is_ruled = seed, has_rules(cap)
    for member in range(k):
        if member > 0:
            near = least_place(total, places)
        taken[near] = TAKEN
        total[near] += TAKEN - BLOCKED * (total[near] >= BLOCKED)
        cluster[near] = c
        for column in range(columns):
            low, high, joining = lo[c, column], hi[c, column], coordinate[column * room + near]
            if joining < low or joining > high:
                new_lo, new_hi = min(low, joining), max(high, joining)
                if (
                    how[column, FORM] > LINE
                    or box_price(how, whole, mass, scale, column, low, high) < how[column, FULL]
                ):
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
                lo[c, column], hi[c, column] = new_lo, new_hi
        if len(values) > 0:
            for secret in range(len(values)):
                pool.counts[c, secret, pool.code[secret, near]] += 1
            if not is_ruled:
                block(pool, rows, c, k, values, cap)
            elif member + 1 < k:
                bar(pool, rows, c, np.int64(member + 1), k, values, cap)
    pool.size[c] = k
    pool.price[c] = np.int64(0)
    for column in range(columns):
        pool.price[c] += box_price(how, whole, mass, scale, column, lo[c, column], hi[c, column])


@inner_kernel
def remember_unions(pool, rows, c):
    """Note what each row costs with the cluster that has been made."""
    start = np.uint64(c * pool.room)
    total, taken, union = pool.total, pool.taken, pool.union
    for place in range(padded(rows)):
        left = total[place] - taken[place]
        union[start + place] = left - BLOCKED if left >= BLOCKED else left


@inner_kernel
def join(pool, how, whole, mass, scale, rows, c, place):
    """Put a row into a cluster and widen that."""
    room = pool.room
    pool.cluster[place] = c
    pool.size[c] += 1
    pool.price[c] = pool.union[c * room + place]
    for column in range(how.shape[0]):
        low, high, joining = pool.lo[c, column], pool.hi[c, column], pool.coordinate[column * room + place]
        if joining < low or joining > high:
            new_lo, new_hi = min(low, joining), max(high, joining)
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
                pool.coordinate,
                room,
                padded(rows),
                pool.union,
                np.uint64(c * room),
            )
            pool.lo[c, column], pool.hi[c, column] = new_lo, new_hi
    for secret in range(pool.code.shape[0]):
        pool.counts[c, secret, pool.code[secret, place]] += 1


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
def release(pool, rows, c):
    """Set the rows of a cluster free again."""
    for place in range(padded(rows)):
        is_member = pool.cluster[place] == c
        pool.taken[place] = np.int32(0) if is_member else pool.taken[place]
        pool.cluster[place] = np.int32(-1) if is_member else pool.cluster[place]


@inner_kernel
def cluster_pool(pool, how, whole, mass, scale, rows, clusters, k, values, cap, is_choosy, state):
    """Make so many clusters of k rows each from random seeds, and hand out the other rows.

    When choosy, every other cluster but the last grows from two seeds in turn, and the cheaper one is kept.
    """
    for place in range(padded(rows)):
        pool.taken[place], pool.cluster[place] = 0, -1
    for place in range(rows, np.int64(padded(rows))):
        pool.taken[place] = TAKEN
    for c in range(clusters):
        seed = seed_place(pool, rows, rows - c * k, state)
        grow(pool, how, whole, mass, scale, rows, c, seed, k, values, cap)
        if is_choosy and c + 1 < clusters and draw(state, 2) == 0:
            price = pool.price[c]
            release(pool, rows, c)
            other = seed_place(pool, rows, rows - c * k, state)
            grow(pool, how, whole, mass, scale, rows, c, other, k, values, cap)
            if pool.price[c] > price:
                release(pool, rows, c)
                grow(pool, how, whole, mass, scale, rows, c, seed, k, values, cap)
        remember_unions(pool, rows, c)
    hand_out(pool, how, whole, mass, scale, rows, clusters, k, values, cap)


@inner_kernel
def rest_of(pool, rows, c, column, above, below):
    """Return the least coordinate above one, and the largest below another, among a cluster's rows."""
    start = np.uint64(column * pool.room)
    coordinate, cluster = pool.coordinate, pool.cluster
    least, most = ABOVE, BELOW
    for place in range(padded(rows)):
        own = coordinate[start + place]
        least = min(least, own if (cluster[place] == c) & (own > above) else ABOVE)
        most = max(most, own if (cluster[place] == c) & (own < below) else BELOW)
    return least, most


@inner_kernel
def only_place(pool, rows, c, column, own):
    """Return the place of the one row of a cluster with this coordinate, or -1 if there are several."""
    start = np.uint64(column * pool.room)
    coordinate, cluster = pool.coordinate, pool.cluster
    count, last = 0, np.int64(0)
    for place in range(padded(rows)):
        here = np.int64((cluster[place] == c) & (coordinate[start + place] == own))
        count += here
        last += here * np.int64(place)
    return last if count == 1 else np.int64(-1)


@inner_kernel
def add_drops(pool, how, whole, mass, scale, rows, c):
    """Add to pool.total, which is 0 at a cluster's rows, by how much its price drops when each of them leaves."""
    for column in range(how.shape[0]):
        low, high = pool.lo[c, column], pool.hi[c, column]
        if low == high:
            continue
        at_low = only_place(pool, rows, c, column, low)
        at_high = only_place(pool, rows, c, column, high)
        if at_low < 0 and at_high < 0:
            continue
        second, last = rest_of(pool, rows, c, column, low, high)
        full = box_price(how, whole, mass, scale, column, low, high)
        if at_low >= 0:
            pool.total[at_low] += np.int32(full - box_price(how, whole, mass, scale, column, second, high))
        if at_high >= 0:
            pool.total[at_high] += np.int32(full - box_price(how, whole, mass, scale, column, low, last))


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
    staying = pool.size[c] - 1
    for other in range(clusters):
        if other == c:
            continue
        before = pool.price[c] + pool.price[other] * pool.size[other]
        size = pool.size[other] + 1
        start = np.uint64(other * pool.room)
        most = -FAR
        for place in range(padded(rows)):
            saving = before + np.int64(drop[place]) * staying - np.int64(union[start + place]) * size
            most = max(most, saving if cluster[place] == c else -FAR)
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
def leave(pool, how, whole, mass, scale, rows, c, place):
    """Take a row out of a cluster, whose drop is in pool.total, and narrow that."""
    room = pool.room
    pool.cluster[place] = -1
    pool.size[c] -= 1
    pool.price[c] -= pool.total[place]
    for column in range(how.shape[0]):
        low, high, own = pool.lo[c, column], pool.hi[c, column], pool.coordinate[column * room + place]
        if low < high and own in (low, high):
            new_lo, new_hi = rest_of(pool, rows, c, column, BELOW, ABOVE)
            if new_lo != low or new_hi != high:
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
                    pool.coordinate,
                    room,
                    padded(rows),
                    pool.union,
                    np.uint64(c * room),
                )
                pool.lo[c, column], pool.hi[c, column] = new_lo, new_hi
    for secret in range(pool.code.shape[0]):
        pool.counts[c, secret, pool.code[secret, place]] -= 1


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


@inner_kernel
def most_clusters(pool, rows, k, values, cap):
    """Return how many clusters of k rows can keep their promise about secrets at the most, and 1 at the least.

    Each takes as many rows as it needs beside those with the pool's most frequent secret.
    """
    most = rows // k
    for secret in range(len(values)):
        for code in range(values[secret]):
            pool.counts[0, secret, code] = 0
        for place in range(rows):
            pool.counts[0, secret, pool.code[secret, place]] += 1
        missing = pool.counts[0, secret, values[secret] - 1]
        needed = k - k * cap[secret, 1] // cap[secret, 0]
        for code in range(values[secret] - 2):
            if needed > 0:
                most = min(most, (rows - pool.counts[0, secret, code] - missing) // needed)
    return max(most, np.int64(1))


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


@inner_kernel
def pool_cost(pool, clusters):
    """Return what all rows of the pool cost."""
    cost = np.int64(0)
    for c in range(clusters):
        cost += pool.price[c] * pool.size[c]
    return cost


@inner_kernel
def pool_keeps(pool, clusters, values, cap):
    """Say whether all clusters of the pool keep their promise about secrets."""
    for c in range(clusters):
        for secret in range(len(values)):
            if excess(pool, c, secret, values, cap) > 0:
                return False
    return True
