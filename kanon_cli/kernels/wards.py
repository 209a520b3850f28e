"""Clusters that are worked on together, a few of them at a time in a pool."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kanon_cli.kernels.boxes import FORM, FULL, RANKS, START, box_price
from kanon_cli.kernels.clusterings import Ground
from kanon_cli.kernels.costs import FLAT, LINE, TABLE
from kanon_cli.kernels.draws import draw, shuffled_32
from kanon_cli.kernels.jit import inner_kernel
from kanon_cli.kernels.pools import TAKEN, least_place, padded

TRIMMED = 8  # clusters that are trimmed together with one, and never more are chosen
DRAWN = 6  # clusters are drawn, and the one that costs most is chosen
BLUR = 300  # nearness is blurred by up to 300 / 1024, so that the neighbours are not always the same


class Ward(NamedTuple):
    """The clusters that are worked on together, with numbers of their own; a cluster's members hang in a list."""

    coordinate: npt.NDArray[np.int32]  # [place, column]
    code: npt.NDArray[np.int32]  # [secret, place]
    row: npt.NDArray[np.int64]  # [place] the row's number in the table
    after: npt.NDArray[np.int64]  # [place] the next member, -1 at the end
    head: npt.NDArray[np.int64]  # [cluster] its first member
    size: npt.NDArray[np.int64]  # [cluster]
    price: npt.NDArray[np.int64]  # [cluster] of one row
    lo: npt.NDArray[np.int32]  # [column * room + cluster] any coordinates where no cluster has the number
    hi: npt.NDArray[np.int32]  # [column * room + cluster]
    room: int
    column: npt.NDArray[np.int64]  # [number] a column in which the rows differ
    near: npt.NDArray[np.int32]  # scratch: [cluster]
    noise: npt.NDArray[np.uint32]  # [cluster] a random state
    chosen: npt.NDArray[np.int64]  # scratch: [pick]


class Columns(NamedTuple):
    """The columns in which the rows of a pool differ: a third or half of all, mostly, and a pool has no others."""

    column: npt.NDArray[np.int64]  # [number] which column it is
    how: npt.NDArray[np.int64]  # [number, ...] these two: see Tariff
    scale: npt.NDArray[np.float64]  # [number]


def make_columns(ground: Ground) -> Columns:
    """Make room for all columns."""
    return Columns(np.zeros(len(ground.how), dtype=np.int64), np.zeros_like(ground.how), np.zeros_like(ground.scale))


def make_ward(rows: int, columns: int, secrets: int, k: int) -> Ward:
    """Make room for so many rows in clusters of at least k."""
    room = (rows // k + 1 + 31) // 32 * 32
    return Ward(
        np.empty((rows, columns), dtype=np.int32),
        np.empty((secrets, rows), dtype=np.int32),
        np.empty(rows, dtype=np.int64),
        np.empty(rows, dtype=np.int64),
        np.empty(room, dtype=np.int64),
        np.empty(room, dtype=np.int64),
        np.empty(room, dtype=np.int64),
        np.zeros(columns * room, dtype=np.int32),
        np.zeros(columns * room, dtype=np.int32),
        room,
        np.arange(columns, dtype=np.int64),
        np.empty(room, dtype=np.int32),
        np.empty(room, dtype=np.uint32),
        np.empty(room + TRIMMED + 1, dtype=np.int64),
    )


@inner_kernel
def open_ward(ward, clustering, by, start, end, here):
    """Gather the clusters by[start] to by[end - 1]; return how many rows they have."""
    columns, room = here.coordinate.shape[1], ward.room
    place = np.int64(0)
    for c in range(end - start):
        number = by[start + c]
        ward.size[c], ward.price[c], ward.head[c] = clustering.size[number], clustering.price[number], -1
        for column in range(columns):
            ward.lo[column * room + c] = clustering.lo[number, column]
            ward.hi[column * room + c] = clustering.hi[number, column]
        for position in range(clustering.first[number], clustering.first[number] + ward.size[c]):
            ward.row[place] = here.row[position]
            for column in range(columns):
                ward.coordinate[place, column] = here.coordinate[position, column]
            for secret in range(here.code.shape[0]):
                ward.code[secret, place] = here.code[secret, position]
            ward.after[place] = ward.head[c]
            ward.head[c] = place
            place += 1
    return place


@inner_kernel
def note_columns(ward, live, all_columns):
    """Note in which columns the rows differ; return how many these are."""
    columns = np.int64(0)
    for column in range(all_columns):
        start = np.uint64(column * ward.room)
        least, most = ward.lo[start], ward.hi[start]
        for c in range(np.uint64(live)):
            least, most = min(least, ward.lo[start + c]), max(most, ward.hi[start + c])
        ward.column[columns] = column
        columns += least < most
    return columns


@inner_kernel
def copy_ward(clustering, by, start, end, here, there, result, begin, slot):
    """Write clusters down as they are, from number `slot` on; return how many rows they have. See `open_ward`."""
    position, columns = begin, here.coordinate.shape[1]
    for c in range(end - start):
        number, to = by[start + c], slot + c
        size, first = clustering.size[number], clustering.first[number]
        result.first[to], result.size[to], result.price[to] = position, size, clustering.price[number]
        for column in range(columns):
            result.lo[to, column], result.hi[to, column] = clustering.lo[number, column], clustering.hi[number, column]
        for place in range(size):
            there.row[position + place] = here.row[first + place]
            for column in range(columns):
                there.coordinate[position + place, column] = here.coordinate[first + place, column]
        for secret in range(here.code.shape[0]):
            for place in range(size):
                there.code[secret, position + place] = here.code[secret, first + place]
        position += size
    return position - begin


@inner_kernel
def close_ward(ward, live, there, result, begin, slot):
    """Write the clusters of a ward down: rows from position `begin` on, clusters from number `slot` on."""
    position = begin
    for c in range(live):
        number = slot + c
        result.first[number], result.size[number], result.price[number] = position, ward.size[c], ward.price[c]
        for column in range(result.lo.shape[1]):
            result.lo[number, column] = ward.lo[column * ward.room + c]
            result.hi[number, column] = ward.hi[column * ward.room + c]
        member = ward.head[c]
        while member >= 0:
            there.row[position] = ward.row[member]
            for column in range(result.lo.shape[1]):
                there.coordinate[position, column] = ward.coordinate[member, column]
            for secret in range(there.code.shape[0]):
                there.code[secret, position] = ward.code[secret, member]
            position += 1
            member = ward.after[member]


@inner_kernel
def add_nearness(how, whole, mass, scale, column, first, clusters, lo, hi, room, near):
    """Add to near[c] what the column costs in the union of two clusters."""
    start = np.uint64(column * room)
    low, high = lo[column * room + first], hi[column * room + first]
    form, full = how[column, FORM], how[column, FULL]
    if form == FLAT:
        for c in range(clusters):
            near[c] += np.int32(full if (lo[start + c] != low) | (hi[start + c] != high) | (low != high) else 0)
    elif form == LINE:
        most = np.int32(full)
        for c in range(clusters):
            price = min(np.int32(max(high, hi[start + c]) - min(low, lo[start + c])), most)
            near[c] = np.int32(near[c] + price)
    elif form == TABLE:
        base, ranks = how[column, START], how[column, RANKS]
        for c in range(clusters):
            near[c] += whole[np.uint32(base + min(low, lo[start + c]) * ranks + max(high, hi[start + c]))]
    else:
        for c in range(np.int64(clusters)):
            least, most = min(low, lo[column * room + c]), max(high, hi[column * room + c])
            near[c] += np.int32(box_price(how, whole, mass, scale, column, least, most))


@inner_kernel
def blur(near, noise, clusters):
    """Add up to BLUR parts of 1024 to each number, of 2 ** 31 at the most."""
    for c in range(clusters):
        noise[c] = shuffled_32(noise[c])
        part = np.int32(np.int32(noise[c] >> np.uint32(22)) * np.int32(BLUR)) >> np.int32(10)
        near[c] += np.int32((near[c] >> np.int32(10)) * part)


@inner_kernel
def choose(ward, varying, how, whole, mass, scale, live, largest, neighbours, state):
    """Draw a cluster, rather a costly one, and so many that cost least in a union with it; return how many it is."""
    first = draw(state, live)
    for _ in range(DRAWN - 1):
        other = draw(state, live)
        if ward.price[other] > ward.price[first]:
            first = other
    near, clusters = ward.near, padded(live)
    for c in range(clusters):  # numbers that no cluster has count as taken, so that SIMD loops have no rest to do
        near[c] = np.int32(0) if c < np.uint64(live) else TAKEN
    for number in range(varying):
        column = ward.column[number]
        add_nearness(how, whole, mass, scale, column, first, clusters, ward.lo, ward.hi, ward.room, near)
    blur(near, ward.noise, clusters)
    near[first] = TAKEN
    ward.chosen[0] = first
    picks, rows = np.int64(1), ward.size[first]
    for _ in range(min(neighbours, live - 1)):
        c = np.int64(least_place(near, clusters))
        near[c] = TAKEN
        if rows + ward.size[c] <= largest:
            rows += ward.size[c]
            ward.chosen[picks] = c
            picks += 1
    return picks if rows <= largest else np.int64(0)


@inner_kernel
def select(ward, varying, picks, how, scale, some):
    """Note in which columns the rows of the chosen clusters differ, and what those cost; return how many these are."""
    columns, room, chosen = np.int64(0), ward.room, ward.chosen
    for number in range(varying):
        column = ward.column[number]
        lo, hi = ward.lo[column * room + chosen[0]], ward.hi[column * room + chosen[0]]
        for pick in range(1, picks):
            lo, hi = min(lo, ward.lo[column * room + chosen[pick]]), max(hi, ward.hi[column * room + chosen[pick]])
        some.column[columns] = column
        columns += lo < hi
    for column in range(columns):
        some.scale[column] = scale[some.column[column]]
        for aspect in range(how.shape[1]):
            some.how[column, aspect] = how[some.column[column], aspect]
    return columns


@inner_kernel
def dissolve(ward, picks, pool, some, columns):
    """Put the members of the chosen clusters into a pool; return how many there are."""
    rows = np.int64(0)
    coordinate, room, member = pool.coordinate, pool.room, pool.member
    for pick in range(picks):
        place = ward.head[ward.chosen[pick]]
        while place >= 0:
            member[rows] = place
            for secret in range(ward.code.shape[0]):
                pool.code[secret, rows] = ward.code[secret, place]
            rows += 1
            place = ward.after[place]
    for place in range(np.uint64(rows), padded(rows)):
        member[place] = 0  # so that prices of the padding, which nobody asks for, can be looked up
    for column in range(np.uint64(columns)):
        start, at = column * np.uint64(room), np.uint64(some.column[column])
        for place in range(padded(rows)):
            coordinate[start + place] = ward.coordinate[np.uint64(member[place]), at]
    return rows


@inner_kernel
def take_over(ward, picks, pool, rows, some, columns):
    """Make the chosen clusters, whose members are in a pool already, clusters of the pool as they are."""
    place = np.int64(0)
    for c in range(picks):
        number = ward.chosen[c]
        pool.size[c], pool.price[c] = ward.size[number], ward.price[number]
        for column in range(columns):
            pool.lo[c, column] = ward.lo[some.column[column] * ward.room + number]
            pool.hi[c, column] = ward.hi[some.column[column] * ward.room + number]
        for _ in range(pool.size[c]):
            pool.cluster[place] = c
            place += 1
    for rest in range(rows, np.int64(padded(rows))):
        pool.cluster[rest] = -1


@inner_kernel
def replace(ward, pool, rows, clusters, picks, live, some, columns):
    """Put the clusters of a pool where the chosen ones were, and close gaps in the numbers; return how many live.

    In columns that are not among the pool's all chosen clusters have the same value.
    """
    chosen, room, all_columns = ward.chosen, ward.room, len(some.column)
    for c in range(clusters):
        if c >= picks:
            chosen[c] = live
            live += 1
            for column in range(all_columns):
                ward.lo[column * room + chosen[c]] = ward.lo[column * room + chosen[0]]
                ward.hi[column * room + chosen[c]] = ward.hi[column * room + chosen[0]]
        number = chosen[c]
        for column in range(columns):
            ward.lo[some.column[column] * room + number] = pool.lo[c, column]
            ward.hi[some.column[column] * room + number] = pool.hi[c, column]
        ward.size[number], ward.price[number], ward.head[number] = pool.size[c], pool.price[c], -1
    for place in range(rows):
        number, member = chosen[pool.cluster[place]], pool.member[place]
        ward.after[member] = ward.head[number]
        ward.head[number] = member
    for _ in range(clusters, picks):  # the largest number first: the last cluster is never one that is gone
        at = clusters
        for other in range(clusters + 1, picks):
            if chosen[other] > chosen[at]:
                at = other
        gone = chosen[at]
        chosen[at] = -1
        live -= 1
        if gone != live:
            for column in range(all_columns):
                ward.lo[column * room + gone] = ward.lo[column * room + live]
                ward.hi[column * room + gone] = ward.hi[column * room + live]
            ward.size[gone], ward.price[gone], ward.head[gone] = ward.size[live], ward.price[live], ward.head[live]
    return live
