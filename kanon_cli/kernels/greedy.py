"""Clusters that are grown one after the other from seeds, each time by the row that widens them least."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kanon_cli.kernels.boxes import add_seed, shift_box
from kanon_cli.kernels.clusters import Aim
from kanon_cli.kernels.jit import inner_kernel, kernel
from kanon_cli.kernels.promise import shortfall_of_counts

LANES = 32  # places are padded to a multiple, so that SIMD loops have no rest to do one by one
BLOCK = 1024  # places whose least number is found at a time
TAKEN = np.int32(1 << 30)  # on top of any price: nothing is left at this place
BLOCKED = np.int32(1 << 29)  # on top of any price: the cluster would get further from its promise with these rows
WASTE = 8  # places are closed up as soon as one in so many is empty
NO_LIMIT = 1 << 40  # beyond any price
NOT_YET = np.int32(-1)  # the group of a row that is in no cluster, and has not been; from one dissolved it has less

PLACES, EMPTY, FREE, CLUSTERS, DISSOLVED, DRAWN, HAS_PAIR = range(7)  # numbers of a state

RANDOM, FURTHEST, FURTHEST_FROM_LAST = range(3)  # the next seed: any row, or that furthest from the last seed or row


class Stock(NamedTuple):
    """The rows that are in no cluster; equal ones share a place, and places are in the order of the sorted rows."""

    room: int  # places, padding included
    coordinate: npt.NDArray[np.int32]  # [column * room + place]
    left: npt.NDArray[np.int64]  # [place] rows that are left there
    first: npt.NDArray[np.int64]  # [place] where in the order of all rows the first of those is
    secrets: npt.NDArray[np.int32]  # [place] the number of its combination of sensitive values
    label: npt.NDArray[np.int32]  # [place] the class label


class State(NamedTuple):
    """How far the work is; all but the last is scratch, or kept from one cluster to the next."""

    total: npt.NDArray[np.int32]  # [place] the price of its rows with the cluster in the making
    pair: npt.NDArray[np.int32]  # [place] the price of its rows with the last seed or row
    taken: npt.NDArray[np.int32]  # [place] 0 or TAKEN
    counts: npt.NDArray[np.int64]  # [secret, code] of the cluster in the making
    members: npt.NDArray[np.int64]  # the rows of the cluster in the making
    label_count: npt.NDArray[np.int64]  # [label] of the cluster in the making
    at: npt.NDArray[np.int64]  # [PLACES .. HAS_PAIR]


class Rule(NamedTuple):
    """How clusters are grown."""

    start: int  # RANDOM, FURTHEST or FURTHEST_FROM_LAST
    most: int  # a cluster that keeps its promise grows no further than so many rows ...
    limit: int  # ... and none beyond this price of a row
    penalty: int  # what it costs to take a row whose class label is not the cluster's most frequent one


def stock(
    coordinate: npt.NDArray[np.int32],
    starts: npt.NDArray[np.int64],
    secrets: npt.NDArray[np.int32],
    label: npt.NDArray[np.int32] | None,
) -> Stock:
    """Lay out sorted rows, coordinate[row, column], that are equal from each start to the next."""
    rows, columns = coordinate.shape
    places = len(starts)
    room = (places + LANES - 1) // LANES * LANES
    laid = np.zeros((columns, room), dtype=np.int32)
    laid[:, :places] = coordinate[starts].T
    left = np.zeros(room, dtype=np.int64)
    left[:places] = np.diff(starts, append=rows)
    first = np.zeros(room, dtype=np.int64)
    first[:places] = starts
    secrets_at, label_at = np.zeros((2, room), dtype=np.int32)
    secrets_at[:places] = secrets[starts]
    if label is not None:
        label_at[:places] = label[starts]
    return Stock(room, laid.ravel(), left, first, secrets_at, label_at)


def start(rows_left: Stock, aim: Aim) -> State:
    """The state before the first cluster."""
    places, rows = np.count_nonzero(rows_left.left), int(rows_left.left.sum())
    taken = np.where(rows_left.left > 0, 0, TAKEN).astype(np.int32)
    return State(
        total=np.zeros(rows_left.room, dtype=np.int32),
        pair=np.zeros(rows_left.room, dtype=np.int32),
        taken=taken,
        counts=np.zeros((len(aim.values), int(aim.values.max(initial=1))), dtype=np.int64),
        members=np.zeros(rows, dtype=np.int64),
        label_count=np.zeros(int(rows_left.label.max()) + 1, dtype=np.int64),
        at=np.array([places, 0, rows, 0, 0, 0, 0], dtype=np.int64),
    )


@inner_kernel
def padded(places):
    """Return places rounded up to whole SIMD registers, as an unsigned number."""
    return np.uint64((places + LANES - 1) // LANES * LANES)


@inner_kernel
def first_least(total, places):
    """Return the place with the least number, the first of several."""
    best, found = np.int32(2147483647), np.uint64(0)
    for start in range(np.uint64(0), places, np.uint64(BLOCK)):
        end = min(start + np.uint64(BLOCK), places)
        least = np.int32(2147483647)
        for place in range(start, end):
            least = min(least, total[place])
        if least < best:
            best, found = least, start
    while total[found] != best:
        found += np.uint64(1)
    return np.int64(found)


@inner_kernel
def first_least_labelled(total, label, places, rows, majority, penalty):
    """Return the first place with the least cost of a cluster of so many rows, the penalty for labels included."""
    best, found = np.int64(1) << np.int64(62), np.int64(0)
    for place in range(np.int64(places)):
        cost = np.int64(total[place]) * rows + (penalty if label[place] != majority else np.int64(0))
        if cost < best and total[place] < BLOCKED:
            best, found = cost, place
    return found


@inner_kernel
def first_furthest(pair, taken, places):
    """Return the place with the largest number where rows are left, the first of several."""
    best, found = np.int32(-1), np.uint64(0)
    for start in range(np.uint64(0), places, np.uint64(BLOCK)):
        end = min(start + np.uint64(BLOCK), places)
        most = np.int32(-1)
        for place in range(start, end):
            most = max(most, pair[place] if taken[place] == 0 else np.int32(-1))
        if most > best:
            best, found = most, start
    while taken[found] != 0 or pair[found] != best:
        found += np.uint64(1)
    return np.int64(found)


@inner_kernel
def drawn_place(left, places, draw, rows):
    """Return the place of the row that a number from 0 to 1 draws among those that are left."""
    nth = np.int64(draw * rows)
    for place in range(places):
        nth -= left[place]
        if nth < 0:
            return place
    return np.int64(0)


@inner_kernel
def close_up(coordinate, room, columns, left, first, secrets, label, taken, places):
    """Move the places where rows are left together, in their order; return how many there are."""
    kept = np.int64(0)
    for place in range(places):
        if left[place] > 0:
            for column in range(columns):
                coordinate[column * room + kept] = coordinate[column * room + place]
            left[kept], first[kept] = left[place], first[place]
            secrets[kept], label[kept] = secrets[place], label[place]
            taken[kept] = 0
            kept += 1
    for place in range(kept, np.int64(padded(places))):
        left[place], taken[place] = 0, TAKEN
    return kept


@inner_kernel
def widen(how, whole, mass, scale, coordinate, room, place, places, lo, hi, total):
    """Let a box cover a place, and the totals follow; say whether it has become wider."""
    wider = False
    for column in range(how.shape[0]):
        low, high, joining = lo[column], hi[column], coordinate[column * room + place]
        if joining < low or joining > high:
            new_lo, new_hi = min(low, joining), max(high, joining)
            shift_box(
                *(how, whole, mass, scale, column, low, high, new_lo, new_hi),
                *(coordinate, room, places, total, np.uint64(0)),
            )
            lo[column], hi[column] = new_lo, new_hi
            wider = True
    return wider


@inner_kernel
def block(total, secrets, blocked, places):
    """Block the rows with a combination of sensitive values; block nothing else."""
    for place in range(places):
        if secrets[place] == blocked and total[place] < BLOCKED:
            total[place] += BLOCKED


@inner_kernel
def unblock(total, places):
    """Let all rows be taken again."""
    for place in range(places):
        total[place] -= BLOCKED if (total[place] & BLOCKED) != 0 else np.int32(0)


@inner_kernel
def count_row(counts, secret_of, row, sign):
    """Count the sensitive values of a row that joins (1) or leaves (-1)."""
    for secret in range(secret_of.shape[0]):
        counts[secret, secret_of[secret, row]] += sign


@inner_kernel
def forget(counts, secret_of, members, size):
    """Set the counts that the members of a cluster have made to zero."""
    for secret in range(secret_of.shape[0]):
        for member in range(size):
            counts[secret, secret_of[secret, members[member]]] = 0


@kernel
def grow_clusters(  # noqa: PLR0912, PLR0915  see the docstring
    rows_left, order, how, whole, mass, scale, aim, rule, draws, state, work, group_of
):
    """Make one cluster after the other until fewer than k rows are left, or `work` places have been looked at.

    A row may join a cluster if that gets no further from its promise, and beyond `most` rows only if it gets nearer. A
    cluster that ends below k rows or short of its promise is dissolved: its rows are in none, and the n-th such cluster
    is remembered as group NOT_YET - n. All stands in one kernel, since handing so many arrays over takes its time.
    """
    room, coordinate, left, first, secrets, label = rows_left
    total, pair, taken, counts, members, label_count, at = state
    columns, k = how.shape[0], aim.k
    is_guarded, is_labelled = len(aim.values) > 0, rule.penalty > 0
    lo, hi = np.empty(columns, np.int32), np.empty(columns, np.int32)
    while at[FREE] >= k and work > 0:
        if at[HAS_PAIR] and rule.start != RANDOM:
            seed = first_furthest(pair, taken, padded(at[PLACES]))
        else:
            seed = drawn_place(left, at[PLACES], draws[at[DRAWN]], at[FREE])
            at[DRAWN] += 1
            if rule.start == FURTHEST_FROM_LAST:
                pair[: padded(at[PLACES])] = 0
                add_seed(how, whole, mass, scale, seed, coordinate, room, padded(at[PLACES]), pair)
                seed = first_furthest(pair, taken, padded(at[PLACES]))
        if at[EMPTY] * WASTE > at[PLACES]:
            own = first[seed]
            at[PLACES] = close_up(coordinate, room, columns, left, first, secrets, label, taken, at[PLACES])
            at[EMPTY] = 0
            seed = np.int64(np.searchsorted(first[: at[PLACES]], own))
        places = padded(at[PLACES])
        work -= np.int64(places)
        for place in range(places):
            total[place] = taken[place]
        for column in range(columns):
            lo[column] = hi[column] = coordinate[column * room + seed]
        add_seed(how, whole, mass, scale, seed, coordinate, room, places, total)
        if rule.start == FURTHEST:
            pair[:places] = total[:places]
            at[HAS_PAIR] = 1
        size, short, majority = np.int64(0), np.int64(0), np.int32(0)
        near, last, is_inside, is_blocked = seed, seed, False, False
        label_count[:] = 0
        while at[FREE] > size:
            if size > 0:
                if size >= rule.most and short == 0:
                    break
                if is_labelled:
                    near = first_least_labelled(total, label, places, size + 1, majority, rule.penalty)
                elif not is_inside:
                    near = first_least(total, places)
                elif left[near] == 0:  # what lies in the box costs nothing more: the places follow without a new look
                    level = total[near] - TAKEN
                    near += 1
                    while near < places and total[near] != level:
                        near += 1
                    if near == places:
                        near = first_least(total, places)
                if total[near] >= BLOCKED or total[near] > rule.limit:
                    break
            row = order[first[near]]
            if is_guarded:
                judged = max(size + 1, k)
                before = shortfall_of_counts(counts, judged, aim)
                count_row(counts, aim.secret_of, row, 1)
                short_with = shortfall_of_counts(counts, judged, aim)
                if size > 0 and (short_with > before or (size >= rule.most and short_with == before)):
                    count_row(counts, aim.secret_of, row, -1)
                    block(total, secrets, secrets[near], places)
                    is_blocked = True
                    continue
                short = short_with
                if is_blocked:
                    unblock(total, places)
                    is_blocked = False
            members[size] = row
            size += 1
            last = near
            first[near] += 1
            left[near] -= 1
            if left[near] == 0:
                taken[near] = TAKEN
                total[near] += TAKEN
                at[EMPTY] += 1
            is_wider = widen(how, whole, mass, scale, coordinate, room, near, places, lo, hi, total)
            is_inside = size > 1 and not (is_wider or is_guarded)
            if is_labelled:
                label_count[label[near]] += 1
                majority = np.int32(np.argmax(label_count))
        at[FREE] -= size
        if rule.start == FURTHEST_FROM_LAST:
            pair[:places] = 0
            add_seed(how, whole, mass, scale, last, coordinate, room, places, pair)
            at[HAS_PAIR] = 1
        if is_guarded:
            forget(counts, aim.secret_of, members, size)
        if size < k or short > 0:
            at[DISSOLVED] += 1
            for member in range(size):
                group_of[members[member]] = NOT_YET - at[DISSOLVED]
            continue
        for member in range(size):
            group_of[members[member]] = at[CLUSTERS]
        at[CLUSTERS] += 1
