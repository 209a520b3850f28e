"""Ruin and recreate: a few neighbouring clusters are dissolved, made anew, and kept if that costs no more."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kanon_cli.kernels.boxes import FORM, FULL, RANKS, START, box_price
from kanon_cli.kernels.costs import FLAT, LINE, TABLE
from kanon_cli.kernels.jit import inlined_kernel, inner_kernel, kernel, part_kernel
from kanon_cli.kernels.pools import (
    ABOVE,
    BELOW,
    TAKEN,
    cluster_pool,
    draw,
    least_place,
    make_pool,
    mend,
    most_clusters,
    padded,
    pool_cost,
    pool_keeps,
    relocate,
    shuffled,
)
from kanon_cli.kernels.promise import has_rules
from kanon_cli.kernels.trims import make_snapshot, trim_pool

NEIGHBOURS = 2  # clusters that are dissolved together with one
TRIMMED = 8  # clusters that are trimmed together with one ...
TRIMS = 10  # ... once in so many times
BLUR = 300  # nearness is blurred by up to 300 / 1024, so that the neighbours are not always the same
FEWER = 24  # once in so many times there will be one cluster less than there could be ...
FEWER_FLAT = 3  # ... and this often where every column costs all or nothing: slack helps more there
LARGEST_POOL = 12  # clusters larger than so many times k (and some) are left alone
SPARE_ROOM = 64
UNIONS = 1 << 24  # prices of rows with clusters that a chunk has room for: one with more rows gets fewer clusters
LINE_STEPS = 1023  # a line's positions are sorted by so many steps
KEY_LIMIT = np.int64(1) << np.int64(62)


class Clustering(NamedTuple):
    """All clusters: each has its rows side by side in an order of all rows, from first[c] to first[c] + size[c]."""

    first: npt.NDArray[np.int64]  # [cluster]
    size: npt.NDArray[np.int64]  # [cluster]
    price: npt.NDArray[np.int64]  # [cluster] of one row
    lo: npt.NDArray[np.int32]  # [cluster, column] coordinates
    hi: npt.NDArray[np.int32]  # [cluster, column]


class Ground(NamedTuple):
    """What is the same all along: the rows, what boxes cost, and what a cluster has to keep."""

    coordinate: npt.NDArray[np.int32]  # [row, column]
    secret_of: npt.NDArray[np.int32]  # [secret, row]
    how: npt.NDArray[np.int64]  # these four: see Tariff
    whole: npt.NDArray[np.int32]
    mass: npt.NDArray[np.float64]
    scale: npt.NDArray[np.float64]
    k: int  # rows that any cluster has at least
    values: npt.NDArray[np.int64]  # these two: see Aim
    cap: npt.NDArray[np.int64]


class Ward(NamedTuple):
    """The clusters that are worked on together, with numbers of their own; a cluster's members hang in a list."""

    coordinate: npt.NDArray[np.int32]  # [place, column]
    code: npt.NDArray[np.int32]  # [secret, place]
    row: npt.NDArray[np.int64]  # [place] the row's number in the table
    after: npt.NDArray[np.int64]  # [place] the next member, -1 at the end
    head: npt.NDArray[np.int64]  # [cluster] its first member
    size: npt.NDArray[np.int64]  # [cluster]
    price: npt.NDArray[np.int64]  # [cluster] of one row
    lo: npt.NDArray[np.int32]  # [column * room + cluster]
    hi: npt.NDArray[np.int32]  # [column * room + cluster]
    room: np.int64
    near: npt.NDArray[np.int32]  # scratch: [cluster]
    chosen: npt.NDArray[np.int64]  # scratch: [pick]


@part_kernel
def open_ward(clustering, order, start, end, coordinate, secret_of, k):
    """Gather the clusters from start to end - 1."""
    columns = coordinate.shape[1]
    begin = clustering.first[start]
    rows = clustering.first[end - 1] + clustering.size[end - 1] - begin
    room = (rows // k + 1 + 31) // 32 * 32
    ward = Ward(
        np.empty((rows, columns), dtype=np.int32),
        np.empty((secret_of.shape[0], rows), dtype=np.int32),
        order[begin : begin + rows].copy(),
        np.full(rows, -1, dtype=np.int64),
        np.full(room, -1, dtype=np.int64),
        np.zeros(room, dtype=np.int64),
        np.zeros(room, dtype=np.int64),
        np.zeros(columns * room, dtype=np.int32),
        np.zeros(columns * room, dtype=np.int32),
        room,
        np.empty(room, dtype=np.int32),
        np.empty(room + TRIMMED + 1, dtype=np.int64),
    )
    place = np.int64(0)
    for c in range(end - start):
        ward.size[c], ward.price[c] = clustering.size[start + c], clustering.price[start + c]
        for column in range(columns):
            ward.lo[column * room + c] = clustering.lo[start + c, column]
            ward.hi[column * room + c] = clustering.hi[start + c, column]
        for _ in range(ward.size[c]):
            row = ward.row[place]
            for column in range(columns):
                ward.coordinate[place, column] = coordinate[row, column]
            for secret in range(secret_of.shape[0]):
                ward.code[secret, place] = secret_of[secret, row]
            ward.after[place] = ward.head[c]
            ward.head[c] = place
            place += 1
    return ward


@inner_kernel
def close_ward(ward, live, order, result, begin, slot):
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
            order[position] = ward.row[member]
            position += 1
            member = ward.after[member]


@inner_kernel
def add_nearness(how, whole, mass, scale, column, first, live, lo, hi, room, near):
    """Add to near[c] what the column costs in the union of two clusters."""
    start, clusters = np.uint64(column * room), np.uint64(live)
    low, high = lo[column * room + first], hi[column * room + first]
    form, full = how[column, FORM], how[column, FULL]
    if form == FLAT:
        for c in range(clusters):
            near[c] += np.int32(full if (lo[start + c] != low) | (hi[start + c] != high) | (low != high) else 0)
    elif form == LINE:
        for c in range(clusters):
            near[c] += np.int32(min(max(high, hi[start + c]) - min(low, lo[start + c]), full))
    elif form == TABLE:
        base, ranks = how[column, START], how[column, RANKS]
        for c in range(clusters):
            near[c] += whole[np.uint32(base + min(low, lo[start + c]) * ranks + max(high, hi[start + c]))]
    else:
        for c in range(live):
            least, most = min(low, lo[column * room + c]), max(high, hi[column * room + c])
            near[c] += np.int32(box_price(how, whole, mass, scale, column, least, most))


@inner_kernel
def choose(ward, how, whole, mass, scale, live, largest, neighbours, state):
    """Draw a cluster, rather a costly one, and so many that cost least in a union with it; return how many it is."""
    first, second = draw(state, live), draw(state, live)
    if ward.price[second] > ward.price[first]:
        first = second
    near = ward.near
    for c in range(live):
        near[c] = 0
    for column in range(how.shape[0]):
        add_nearness(how, whole, mass, scale, column, first, live, ward.lo, ward.hi, ward.room, near)
    noise = state[0]
    for c in range(live):
        noise = shuffled(noise)
        near[c] += np.int32((np.int64(near[c]) * np.int64(noise >> np.uint64(54)) * BLUR) >> np.int64(20))
    near[first] = TAKEN
    ward.chosen[0] = first
    picks, rows = np.int64(1), ward.size[first]
    for _ in range(min(neighbours, live - 1)):
        c = np.int64(least_place(near, np.uint64(live)))
        near[c] = TAKEN
        if rows + ward.size[c] <= largest:
            rows += ward.size[c]
            ward.chosen[picks] = c
            picks += 1
    return picks if rows <= largest else np.int64(0)


@inner_kernel
def dissolve(ward, picks, pool, columns):
    """Put the members of the chosen clusters into a pool; return how many there are."""
    rows = np.int64(0)
    coordinate, room, member = pool.coordinate, pool.room, pool.member
    for pick in range(picks):
        place = ward.head[ward.chosen[pick]]
        while place >= 0:
            member[rows] = place
            for column in range(columns):
                coordinate[column * room + rows] = ward.coordinate[place, column]
            for secret in range(ward.code.shape[0]):
                pool.code[secret, rows] = ward.code[secret, place]
            rows += 1
            place = ward.after[place]
    return rows


@inner_kernel
def take_over(ward, picks, pool, rows, columns):
    """Make the chosen clusters, whose members are in a pool already, clusters of the pool as they are."""
    place = np.int64(0)
    for c in range(picks):
        number = ward.chosen[c]
        pool.size[c], pool.price[c] = ward.size[number], ward.price[number]
        for column in range(columns):
            pool.lo[c, column] = ward.lo[column * ward.room + number]
            pool.hi[c, column] = ward.hi[column * ward.room + number]
        for _ in range(pool.size[c]):
            pool.cluster[place] = c
            place += 1
    for rest in range(rows, np.int64(padded(rows))):
        pool.cluster[rest] = -1


@inner_kernel
def replace(ward, pool, rows, clusters, picks, live, columns):
    """Put the clusters of a pool where the chosen ones were, and close gaps in the numbers; return how many live."""
    chosen, room = ward.chosen, ward.room
    for c in range(clusters):
        if c >= picks:
            chosen[c] = live
            live += 1
        number = chosen[c]
        for column in range(columns):
            ward.lo[column * room + number] = pool.lo[c, column]
            ward.hi[column * room + number] = pool.hi[c, column]
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
            for column in range(columns):
                ward.lo[column * room + gone] = ward.lo[column * room + live]
                ward.hi[column * room + gone] = ward.hi[column * room + live]
            ward.size[gone], ward.price[gone], ward.head[gone] = ward.size[live], ward.price[live], ward.head[live]
    return live


@inner_kernel
def trim_work(rows, clusters, tries):
    """Return to how much work it comes to trim clusters: prices of all rows in all of them, and the tries."""
    return (rows + rows * clusters // 8 + tries * rows // 32) // 2


@inner_kernel
def are_flat(how):
    """Say whether every column costs all or nothing."""
    for column in range(how.shape[0]):  # noqa: SIM110  numba has no all() of generators
        if how[column, FORM] != FLAT:
            return False
    return True


@inlined_kernel
def improve_ward(ward, pool, old, live, how, whole, mass, scale, k, values, cap, share, heat, work, state):
    """Dissolve and rebuild clusters until `work` rows have been in pools; return how many clusters there are then.

    What costs up to `heat` parts of 2 ** 20 more is kept, too: that leads out of dead ends. With a share below 1 it is
    the one cluster that the search starts from: it becomes so many of the clusters that there could be.
    """
    columns, room = how.shape[0], len(pool.size)
    largest = LARGEST_POOL * k + SPARE_ROOM
    is_start, is_ruled, trims = share < 1, has_rules(cap), False
    is_free = len(values) == 0 and not is_start  # k is all that is promised
    fewer = FEWER_FLAT if are_flat(how) else FEWER
    while work > 0:
        ward.chosen[0], picks = 0, np.int64(1)
        if not is_start:
            trims = is_free and draw(state, TRIMS) == 0
            picks = choose(ward, how, whole, mass, scale, live, largest, TRIMMED if trims else NEIGHBOURS, state)
        old_cost = np.int64(0)
        for pick in range(picks):
            old_cost += ward.price[ward.chosen[pick]] * ward.size[ward.chosen[pick]]
        if old_cost == 0 and not is_start:
            work -= k
            continue
        rows = dissolve(ward, picks, pool, columns)
        if trims:
            take_over(ward, picks, pool, rows, columns)
            tries = trim_pool(pool, how, whole, mass, scale, rows, picks, k, values, cap, old, state)
            work -= trim_work(rows, picks, tries)
            live = replace(ward, pool, rows, picks, picks, live, columns)
            continue
        work = np.int64(0) if is_start else work - rows * (rows + 256) // 512
        clusters = most_clusters(pool, rows, k, values, cap)
        if is_start:
            clusters = min(max(np.int64(share * clusters), np.int64(1)), room)
        else:
            if is_ruled:
                clusters -= draw(state, clusters // 2 + 1)  # the last ones get what rows are left, and may not keep it
            if clusters > 1 and draw(state, fewer) == 0:
                clusters -= 1
        cluster_pool(pool, how, whole, mass, scale, rows, clusters, k, values, cap, is_free, state)
        if not is_start:
            relocate(pool, how, whole, mass, scale, rows, clusters, k, values, cap)
        if is_start or is_ruled:
            clusters = mend(pool, how, whole, mass, scale, rows, clusters, values, cap)
        if is_start or (
            pool_cost(pool, clusters) <= old_cost + (old_cost * heat >> np.int64(20))
            and pool_keeps(pool, clusters, values, cap)
        ):
            live = replace(ward, pool, rows, clusters, picks, live, columns)
    return live


@kernel
def improve(clustering, order, result, cuts, start, end, ground, share, touches, heat, seed_of):
    """Work on the wards from start to end - 1; ward w has the clusters from cuts[w] to cuts[w + 1] - 1.

    With a share below 1 each ward is one cluster, from which the search starts: see `improve_ward`.

    A ward puts its rows where they were in the order, and its clusters into the result, from number `first position //
    k` on: no other ward can reach those, since each cluster has k rows. Numbers that are not used keep the size 0.
    """
    coordinate, secret_of, how, whole, mass, scale, k, values, cap = ground
    largest = LARGEST_POOL * k + SPARE_ROOM
    if share < 1:
        for c in range(cuts[start], cuts[end]):
            largest = max(largest, clustering.size[c])
    pool = make_pool(how.shape[0], values, largest, min(largest // k, max(UNIONS // largest, np.int64(1))))
    old = make_snapshot(pool)
    state = np.empty(1, dtype=np.uint64)
    for w in range(start, end):
        first, last = cuts[w], cuts[w + 1]
        begin = clustering.first[first]
        ward = open_ward(clustering, order, first, last, coordinate, secret_of, k)
        live = last - first
        if live > 1 or share < 1:
            state[0] = seed_of[w]
            work = touches * len(ward.row)
            live = improve_ward(
                ward, pool, old, live, how, whole, mass, scale, k, values, cap, share, heat, work, state
            )
        close_ward(ward, live, order, result, begin, begin // k)


@kernel
def describe(group_of, groups, ground):
    """Lay out the clusters of a grouping, and the order of all rows that belongs to it."""
    coordinate, how, whole, mass, scale = ground.coordinate, ground.how, ground.whole, ground.mass, ground.scale
    rows, columns = coordinate.shape
    clustering = no_clustering(groups, columns)
    for c in range(groups):
        for column in range(columns):
            clustering.lo[c, column], clustering.hi[c, column] = ABOVE, BELOW
    for row in range(rows):
        c = group_of[row]
        clustering.size[c] += 1
        for column in range(columns):
            clustering.lo[c, column] = min(clustering.lo[c, column], coordinate[row, column])
            clustering.hi[c, column] = max(clustering.hi[c, column], coordinate[row, column])
    position = np.zeros(groups, dtype=np.int64)
    for c in range(groups):
        clustering.first[c] = position[c] = 0 if c == 0 else clustering.first[c - 1] + clustering.size[c - 1]
        for column in range(columns):
            clustering.price[c] += box_price(
                how, whole, mass, scale, column, clustering.lo[c, column], clustering.hi[c, column]
            )
    order = np.empty(rows, dtype=np.int64)
    for row in range(rows):
        order[position[group_of[row]]] = row
        position[group_of[row]] += 1
    return clustering, order


@kernel
def no_clustering(clusters, columns):
    """Make the arrays for so many clusters, all of size 0."""
    return Clustering(
        np.zeros(clusters, dtype=np.int64),
        np.zeros(clusters, dtype=np.int64),
        np.zeros(clusters, dtype=np.int64),
        np.zeros((clusters, columns), dtype=np.int32),
        np.zeros((clusters, columns), dtype=np.int32),
    )


@kernel
def sort_keys(clustering, ground, columns):
    """Return a number for each cluster that sorts them by closure, in this order of columns.

    A column in which a cluster covers half of what there is says nothing of it, and a line counts in steps.
    """
    how, whole, mass, scale = ground.how, ground.whole, ground.mass, ground.scale
    keys = np.zeros(len(clustering.size), dtype=np.int64)
    reach = np.int64(1)
    for column in columns:
        form, full = how[column, FORM], how[column, FULL]
        steps = np.int64(2 * LINE_STEPS + 2) if form == LINE else how[column, RANKS] + 1
        if steps > KEY_LIMIT // reach:
            break
        reach *= steps
        for c in range(len(keys)):
            lo, hi = clustering.lo[c, column], clustering.hi[c, column]
            middle = (np.int64(lo) + np.int64(hi)) // 2
            if form == LINE:
                middle = middle * LINE_STEPS // max(full, np.int64(1))
            elif 2 * box_price(how, whole, mass, scale, column, lo, hi) >= full and lo != hi:
                middle = np.int64(-1)
            keys[c] = keys[c] * steps + middle + 1
    return keys


@kernel
def rearrange(clustering, order, by, result, new_order):
    """Copy the clusters in the order `by`, and their rows with them."""
    position = np.int64(0)
    for number in range(len(by)):
        c = by[number]
        first, size = clustering.first[c], clustering.size[c]
        result.first[number], result.size[number], result.price[number] = position, size, clustering.price[c]
        for column in range(result.lo.shape[1]):
            result.lo[number, column], result.hi[number, column] = clustering.lo[c, column], clustering.hi[c, column]
        for place in range(size):
            new_order[position + place] = order[first + place]
        position += size
