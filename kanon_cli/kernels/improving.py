"""Ruin and recreate: a few neighbouring clusters are dissolved, made anew, and kept if that costs no more."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kanon_cli.kernels.boxes import FORM
from kanon_cli.kernels.clusterings import Ground
from kanon_cli.kernels.costs import FLAT
from kanon_cli.kernels.draws import draw, fill
from kanon_cli.kernels.jit import bare_kernel, inlined_kernel, inner_kernel
from kanon_cli.kernels.mending import mend
from kanon_cli.kernels.pledges import most_clusters, pool_keeps
from kanon_cli.kernels.pools import FAR, Pool, make_pool, pool_cost
from kanon_cli.kernels.promise import has_rules
from kanon_cli.kernels.rebuilding import cluster_pool
from kanon_cli.kernels.relocating import relocate
from kanon_cli.kernels.trims import Snapshot, make_snapshot, trim_clusters, trim_pool
from kanon_cli.kernels.wards import (
    TRIMMED,
    Columns,
    Ward,
    choose,
    close_ward,
    copy_ward,
    dissolve,
    make_columns,
    make_ward,
    note_columns,
    open_ward,
    replace,
    select,
    take_over,
)

NEIGHBOURS = 2  # clusters that are dissolved together with one
TRIMS = 10  # clusters are trimmed once in so many times
FEWER = 24  # once in so many times there will be one cluster less than there could be ...
FEWER_FLAT = 3  # ... and this often where every column costs all or nothing: slack helps more there
NEARLY = 10  # a pool that costs up to one part in so many more than before is trimmed: it may cost less then
LARGEST_POOL = 12  # clusters larger than so many times k (and some) are left alone
SPARE_ROOM = 64
UNIONS = 1 << 24  # prices of rows with clusters that a chunk has room for: one with more rows gets fewer clusters


@inner_kernel
def pool_work(rows, is_choosy):
    """Return to how much work it comes to rebuild a pool: a fifth more, where some of its clusters grow twice."""
    work = rows * (rows + 256) // 512
    return work + work // 5 if is_choosy else work


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
def improve_ward(  # noqa: PLR0912  a kernel for each part would take the arrays over again
    ward, pool, some, old, live, how, whole, mass, scale, k, values, cap, share, heat, work, state
):
    """Dissolve and rebuild clusters until `work` rows have been in pools; return how many clusters there are then.

    What costs up to `heat` parts of 2 ** 20 more is kept, too: that leads out of dead ends. With a share below 1 it is
    the one cluster that the search starts from: it becomes so many of the clusters that there could be.
    """
    room, varying = len(pool.size), note_columns(ward, live, how.shape[0])
    largest = LARGEST_POOL * k + SPARE_ROOM
    is_start, is_ruled, trims = share < 1, has_rules(cap), False
    is_free = len(values) == 0 and not is_start  # k is all that is promised
    is_flat = are_flat(how)
    fewer = FEWER_FLAT if is_flat else FEWER
    while work > 0:
        ward.chosen[0], picks = 0, np.int64(1)
        if not is_start:
            trims = is_free and draw(state, TRIMS) == 0
            picks = choose(
                ward, varying, how, whole, mass, scale, live, largest, TRIMMED if trims else NEIGHBOURS, state
            )
        old_cost = np.int64(0)
        for pick in range(picks):
            old_cost += ward.price[ward.chosen[pick]] * ward.size[ward.chosen[pick]]
        if old_cost == 0 and not is_start:
            work -= k
            continue
        columns = select(ward, varying, picks, how, scale, some)
        these, rates = some.how[:columns], some.scale
        rows = dissolve(ward, picks, pool, some, columns)
        if trims:
            take_over(ward, picks, pool, rows, some, columns)
            tries = trim_pool(pool, these, whole, mass, rates, rows, picks, k, values, cap, old, heat, state)
            work -= trim_work(rows, picks, tries)
            live = replace(ward, pool, rows, picks, picks, live, some, columns)
            continue
        work = np.int64(0) if is_start else work - pool_work(rows, is_free)
        limit = old_cost + (old_cost * heat >> np.int64(20))
        most = limit if is_free else FAR
        if is_free and not is_flat:
            most = max(limit, old_cost + old_cost // NEARLY)
        clusters = most_clusters(pool, rows, k, values, cap)
        if is_start:
            clusters = min(max(np.int64(share * clusters), np.int64(1)), room)
        else:
            if is_ruled:
                clusters -= draw(state, clusters // 2 + 1)  # the last ones get what rows are left, and may not keep it
            if clusters > 1 and draw(state, fewer) == 0:
                clusters -= 1
        if not cluster_pool(pool, these, whole, mass, rates, rows, clusters, k, values, cap, is_free, most, state):
            continue
        if not is_start:
            relocate(pool, these, whole, mass, rates, rows, clusters, k, values, cap)
        if is_free and limit < pool_cost(pool, clusters) <= most:
            tries = trim_clusters(pool, these, whole, mass, rates, rows, clusters, k, old, heat, state)
            work -= trim_work(rows, clusters, tries)
        if is_start or is_ruled:
            clusters = mend(pool, these, whole, mass, rates, rows, clusters, values, cap)
        if is_start or (pool_cost(pool, clusters) <= limit and pool_keeps(pool, clusters, values, cap)):
            live = replace(ward, pool, rows, clusters, picks, live, some, columns)
    return live


class Bench(NamedTuple):
    """Where wards are worked on one after the other, so that arrays need not be made for each."""

    ward: Ward
    pool: Pool
    some: Columns
    old: Snapshot
    state: npt.NDArray[np.uint64]  # scratch: [0] where random numbers are


def make_bench(most_rows: int, ground: Ground, is_start: bool) -> Bench:
    """Make room for a ward of so many rows."""
    columns, k, values = ground.coordinate.shape[1], ground.k, ground.values
    largest = LARGEST_POOL * k + SPARE_ROOM
    if is_start:
        largest = max(largest, most_rows)
    pool = make_pool(columns, values, largest, min(largest // k, max(UNIONS // largest, 1)))
    ward, some = make_ward(most_rows, columns, len(values), k), make_columns(ground)
    return Bench(ward, pool, some, make_snapshot(pool), np.empty(1, dtype=np.uint64))


@bare_kernel
def improve(clustering, by, cuts, here, there, result, begin, bench, ground, share, work_of, heat, seed_of):
    """Work on wards, work_of[w] rows each; ward w has the clusters by[cuts[w]] to by[cuts[w + 1] - 1].

    With a share below 1 each ward is one cluster, from which the search starts: see `improve_ward`.

    The first ward puts its rows `there` from position `begin` on, the others behind it, and each its clusters into the
    result, from number `first position // k` on: no other ward can reach those, since each cluster has k rows. Numbers
    that are not used keep the size 0.
    """
    _, _, how, whole, mass, scale, k, values, cap = ground
    ward, pool, some, old, state = bench
    for w in range(len(cuts) - 1):
        live, slot = cuts[w + 1] - cuts[w], begin // k
        if share == 1 and (live == 1 or work_of[w] == 0):
            begin += copy_ward(clustering, by, cuts[w], cuts[w + 1], here, there, result, begin, slot)
            continue
        rows = open_ward(ward, clustering, by, cuts[w], cuts[w + 1], here)
        state[0] = seed_of[w]
        fill(ward.noise, seed_of[w])
        live = improve_ward(
            ward, pool, some, old, live, how, whole, mass, scale, k, values, cap, share, heat, work_of[w], state
        )
        close_ward(ward, live, there, result, begin, slot)
        begin += rows
