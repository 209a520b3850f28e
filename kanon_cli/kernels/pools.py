"""A few rows, the clusters that they are in, and what each row costs in each of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kanon_cli.kernels.boxes import box_price, shift_box
from kanon_cli.kernels.jit import inner_kernel

FAR = np.int64(1) << np.int64(62)
TAKEN = np.int32(1 << 30)  # on top of any price: the row is in a cluster already
LANES = 16  # rows are padded to a multiple, so that SIMD loops have no rest to do one by one
PLACE_BITS = 20  # a pool has fewer places than 2 ** 20
ABOVE, BELOW = np.int32(2147483647), np.int32(-1)  # above and below all coordinates


class Pool(NamedTuple):
    """Rows and the clusters made of them. Flat arrays have a place's number in column c at c * room + place.

    Its columns are those in which its rows differ, the first of those that there is room for.
    """

    room: int  # places, padding included
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


def make_pool(columns: int, values: npt.NDArray[np.int64], rows: int, clusters: int) -> Pool:
    """Make an empty pool with room for so many rows and clusters; values[secret] counts the codes."""
    room = (rows + LANES - 1) // LANES * LANES
    codes = int(values.max(initial=0))
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
def rest_of(pool, rows, c, column, above, below):
    """Return the least coordinate above one, and the largest below another, among a cluster's rows."""
    start = np.uint64(column * pool.room)
    coordinate, cluster = pool.coordinate, pool.cluster
    least, most, number = ABOVE, BELOW, np.int32(c)
    for place in range(padded(rows)):
        own = coordinate[start + place]
        least = min(least, own if (cluster[place] == number) & (own > above) else ABOVE)
        most = max(most, own if (cluster[place] == number) & (own < below) else BELOW)
    return least, most


@inner_kernel
def only_place(pool, rows, c, column, own):
    """Return the place of the one row of a cluster with this coordinate, or -1 if there are several."""
    start = np.uint64(column * pool.room)
    coordinate, cluster = pool.coordinate, pool.cluster
    count = last = np.int32(0)  # half as many numbers of 64 bits go into a register
    number, wanted = np.int32(c), np.int32(own)
    for place in range(padded(rows)):
        is_here = (cluster[place] == number) & (coordinate[start + place] == wanted)
        count = np.int32(count + np.int32(is_here))
        last = max(last, np.int32(place) if is_here else np.int32(-1))
    return np.int64(last) if count == 1 else np.int64(-1)


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
def pool_cost(pool, clusters):
    """Return what all rows of the pool cost."""
    cost = np.int64(0)
    for c in range(clusters):
        cost += pool.price[c] * pool.size[c]
    return cost
