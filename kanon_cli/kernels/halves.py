"""Halving groups of rows by two means, and dealing out the rows of a group that cannot be halved."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kanon_cli.kernels.boxes import box_price
from kanon_cli.kernels.draws import draw
from kanon_cli.kernels.jit import inner_kernel, kernel, part_kernel
from kanon_cli.kernels.lines import make_counts
from kanon_cli.kernels.means import HIGHEST, LOWEST, NONE, compare, draw_centres, lay_out, settle
from kanon_cli.kernels.promise import shortfall_of_counts

PLACE_BITS = 32  # a sort key is value << 32 | place, so that equal values keep the rows' order
PLACES = (np.int64(1) << np.int64(PLACE_BITS)) - 1
FAR = np.int64(1) << np.int64(62)


class Halves(NamedTuple):
    """How far the halving has come; a kernel works on it for a while and can be called again."""

    order: npt.NDArray[np.int64]  # the rows, each pending or finished group a slice, its rows in the table's order
    pending: npt.NDArray[np.int64]  # [place, 2] start and end of groups that may still be halved, the next one last
    counts: npt.NDArray[np.int64]  # pending and finished groups, rows in finished groups, their cost, groups dealt out
    group_of: npt.NDArray[np.int32]  # [row] of finished groups
    state: npt.NDArray[np.uint64]  # [0] the random state


def start(rows: int, k: int, seed: int) -> Halves:
    """One group of all rows, to be halved; the seed is not 0."""
    pending = np.zeros((rows // k + 2, 2), dtype=np.int64)
    pending[0, 1] = rows
    return Halves(
        order=np.arange(rows, dtype=np.int64),
        pending=pending,
        counts=np.array([1, 0, 0, 0, 0], dtype=np.int64),
        group_of=np.zeros(rows, dtype=np.int32),
        state=np.array([seed], dtype=np.uint64),
    )


@inner_kernel
def shuffle(visit, rows, state):
    """Put the first `rows` numbers of visit into random order."""
    for last in range(rows - 1, 0, -1):
        other = draw(state, last + 1)
        visit[last], visit[other] = visit[other], visit[last]


@inner_kernel
def distribute(visit, total, side, rows):
    """Put each row on the side whose centre it costs less with, on the smaller side if equal; return how many are left.

    total[s * rows + place] is what the row at that place costs with the centre of side s.
    """
    left = np.int64(0)
    for at in range(rows):
        place = visit[at]
        first, second = total[place], total[rows + place]
        goes_right = second < first or (second == first and at - left < left)
        side[place] = goes_right
        left += not goes_right
    return left


@part_kernel
def borrow(total, side, rows, lacking, least):
    """Give a side that has too few rows those of the other side that it costs least to move."""
    keys = np.empty(rows, dtype=np.int64)
    count = 0
    for place in range(rows):
        if side[place] != lacking:
            dearer = np.int64(total[lacking * rows + place]) - total[(1 - lacking) * rows + place]
            keys[count] = (dearer << PLACE_BITS) | place
            count += 1
    keys[:count].sort()
    for at in range(least - (rows - count)):
        side[keys[at] & PLACES] = lacking


@part_kernel
def keep(order, start, end, side, aim, counts):
    """Say whether the rows on both sides keep the promise about sensitive values; counts[secret, code] is scratch."""
    for s in range(2 if len(counts) > 0 else 0):
        counts[:] = 0
        size = np.int64(0)
        for at in range(start, end):
            if side[at - start] == s:
                size += 1
                for secret in range(len(counts)):
                    counts[secret, aim.secret_of[secret, order[at]]] += 1
        if shortfall_of_counts(counts, size, aim) > 0:
            return False
    return True


@part_kernel
def halve(ground, order, start, end, aim, rounds, state, room, counts):
    """Cut order[start:end] in two by the best of some rounds; return where, or NONE if no round may be kept.

    room[rank] and counts[secret, code] are scratch, the first all NONE.
    """
    how, whole, mass, scale = ground.tariff
    climb_at, above, price, _ = ground.climbs
    is_tree, missing = ground.is_tree, ground.missing
    rows = end - start
    group = lay_out(ground, order, start, end, room)
    size, side, total = group.size, group.side, group.total
    visit, best_side = np.arange(rows), np.empty(rows, dtype=np.uint8)
    best_cost, best_left = FAR, np.int64(NONE)
    for turn in range(rounds):
        shuffle(visit, rows, state)
        if turn == 0:
            draw_centres(group, is_tree, visit, rows)
        compare(group, is_tree, how, whole, mass, scale, climb_at, above, price, rows)
        size[0] = distribute(visit, total, side, rows)
        if size[0] < aim.k:
            borrow(total, side, rows, 0, aim.k)
            size[0] = aim.k
        elif rows - size[0] < aim.k:
            borrow(total, side, rows, 1, aim.k)
            size[0] = rows - aim.k
        size[1] = rows - size[0]
        cost = settle(group, is_tree, missing, how, whole, mass, scale, rows)
        if cost < best_cost and keep(order, start, end, side, aim, counts):
            best_cost, best_left = cost, size[0]
            for place in range(rows):  # a slice would take two seconds to compile
                best_side[place] = side[place]
    if best_left >= 0:
        part(order, start, end, best_side, best_left)
        best_left += start
    return best_left


@part_kernel
def part(order, start, end, side, left):
    """Bring the rows of side 0 to the front, both sides keeping their order."""
    old = order[start:end].copy()
    at = [start, start + left]
    for place in range(end - start):
        order[at[side[place]]] = old[place]
        at[side[place]] += 1


@part_kernel
def deal(order, start, end, aim, counts):
    """Sort order[start:end] by sensitive values; return into how many groups it can be dealt in turn.

    counts[secret, code] is scratch.
    """
    keys = np.empty(end - start, dtype=np.int64)
    for secret in range(len(counts) - 1, -1, -1):
        rows = order[start:end].copy()
        for place in range(end - start):
            keys[place] = (np.int64(aim.secret_of[secret, rows[place]]) << PLACE_BITS) | place
        keys.sort()
        for place in range(end - start):
            order[start + place] = rows[keys[place] & PLACES]
    groups = (end - start) // aim.k
    while groups > 1 and not all_keep(order, start, end, groups, aim, counts):
        groups -= max(groups // 8, 1)
    return groups


@part_kernel
def all_keep(order, start, end, groups, aim, counts):
    """Say whether all groups keep their promise if order[start:end] is dealt to so many in turn."""
    for group in range(groups):
        counts[:] = 0
        size = np.int64(0)
        for at in range(start + group, end, groups):
            size += 1
            for secret in range(len(counts)):
                counts[secret, aim.secret_of[secret, order[at]]] += 1
        if shortfall_of_counts(counts, size, aim) > 0:
            return False
    return True


@part_kernel
def cost_of(ground, order, start, end, step):
    """Return what the rows order[start:end:step] cost as one group."""
    how, whole, mass, scale = ground.tariff
    cost = np.int64(0)
    for column in range(len(ground.missing)):
        low, high = HIGHEST, LOWEST
        for at in range(start, end, step):
            value = ground.coordinate[order[at], column]
            low, high = min(low, value), max(high, value)
        cost += box_price(how, whole, mass, scale, column, low, high)
    return cost * len(range(start, end, step))


@kernel
def bisect(halves, ground, aim, rounds, deals, visits):
    """Halve pending groups until none is left or `visits` rows have been looked at; say whether any is left.

    With `deals`, the rows of a group that cannot be halved are dealt out by their sensitive values.
    """
    order, pending, done, group_of = halves.order, halves.pending, halves.counts, halves.group_of
    counts = make_counts(aim.values)
    room = np.full(ground.ranks.max(), NONE, dtype=np.int64)
    while done[0] > 0 and visits > 0:
        done[0] -= 1
        start, end = pending[done[0]]
        at = np.int64(NONE)
        if end - start >= 2 * aim.k:
            visits -= (end - start) * rounds
            at = halve(ground, order, start, end, aim, rounds, halves.state, room, counts)
        if at >= 0:
            pending[done[0], 0], pending[done[0], 1] = at, end
            pending[done[0] + 1, 0], pending[done[0] + 1, 1] = start, at
            done[0] += 2
            continue
        groups = deal(order, start, end, aim, counts) if deals and len(counts) > 0 else np.int64(1)
        for first in range(start, start + groups):
            done[3] += cost_of(ground, order, first, end, groups)
            for at in range(first, end, groups):
                group_of[order[at]] = done[1]
            done[1] += 1
        done[2] += end - start
        done[4] += groups > 1
    return done[0] > 0
