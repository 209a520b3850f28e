"""A clustering out of boxes: some take rows for good, and the rest joins where it costs least."""

from __future__ import annotations

import numpy as np

from kanon_cli.kernels.boxes import box_price
from kanon_cli.kernels.candidates import Candidates
from kanon_cli.kernels.jit import kernel
from kanon_cli.kernels.multipliers import STEPS, worth_of
from kanon_cli.kernels.pools import ABOVE, BELOW, FAR
from kanon_cli.kernels.wards import add_nearness


@kernel
def narrow(candidates, free, k):
    """Return the boxes in which k rows are free, each with the kinds that are, and the numbers that they had."""
    boxes = len(candidates.price)
    kind = np.empty(len(candidates.kind), dtype=np.int32)
    first, number = np.zeros(boxes + 1, dtype=np.int64), np.empty(boxes, dtype=np.int64)
    end, left = np.int64(0), np.int64(0)
    for box in range(boxes):
        begin, rows = end, np.int64(0)
        for at in range(candidates.first[box], candidates.first[box + 1]):
            own = candidates.kind[at]
            if free[own] > 0:
                rows += free[own]
                kind[end] = own
                end += 1
        if rows < k:
            end = begin
            continue
        number[left] = box
        left += 1
        first[left] = end
    return Candidates(candidates.price[number[:left]], first[: left + 1], kind[:end]), number[:left]


@kernel
def take_boxes(candidates, by, pays, free, kind_at, k, bits, goal, groups, group_of, most):
    """Let boxes take the k rows that pay most, in the order `by`, until `goal` rows are taken; return how many do.

    Only boxes do that are worth something. They become the groups from number `groups` on. The rows of a kind stand
    from kind_at[kind] on, those that are free first. What is left within such a box may still join it, so that it has
    to pay the box's price at most, and most[kind] follows.
    """
    short = np.empty(STEPS, dtype=np.int64)
    before, taken = groups, np.int64(0)
    for box in by:
        if taken >= goal:
            break
        if worth_of(box, candidates, pays, free, k, bits, short)[0] < 0:
            continue
        first, last, missing = candidates.first[box], candidates.first[box + 1], np.int64(k)
        for at in range(first, last):
            own = candidates.kind[at]
            most[own] = min(most[own], candidates.price[box])
        while missing > 0:
            best, highest = np.int64(0), np.int64(-1)
            for at in range(first, last):  # to sort them takes less time, and longer to compile than all of this
                own = candidates.kind[at]
                if free[own] > 0 and pays[own] > highest:
                    best, highest = np.int64(own), pays[own]
            rows = min(free[best], missing)
            free[best] -= rows
            missing -= rows
            for row in range(kind_at[best] + free[best], kind_at[best] + free[best] + rows):
                group_of[row] = groups
        groups += 1
        taken += k
    return groups - before


@kernel
def join_rest(ground, row_at, group_of, groups):
    """Let each row that is in no group join the one where it costs least, the first of several.

    Row number `at` of the groups is the row row_at[at] of the ground.
    """
    coordinate, how, whole, mass, scale = ground.coordinate, ground.how, ground.whole, ground.mass, ground.scale
    columns, room = how.shape[0], groups + 1
    lo, hi = np.full(columns * room, ABOVE, dtype=np.int32), np.full(columns * room, BELOW, dtype=np.int32)
    size, price = np.zeros(room, dtype=np.int64), np.zeros(room, dtype=np.int64)
    near = np.empty(room, dtype=np.int32)
    for at in range(len(group_of)):
        c = group_of[at]
        if c >= 0:
            size[c] += 1
            for column in range(columns):
                own = coordinate[row_at[at], column]
                lo[column * room + c] = min(lo[column * room + c], own)
                hi[column * room + c] = max(hi[column * room + c], own)
    for c in range(groups):
        for column in range(columns):
            at = column * room + c
            price[c] += box_price(how, whole, mass, scale, column, lo[at], hi[at])
    for at in range(len(group_of)):
        if group_of[at] >= 0:
            continue
        near[:] = 0
        for column in range(columns):
            lo[column * room + groups] = hi[column * room + groups] = coordinate[row_at[at], column]
            add_nearness(how, whole, mass, scale, column, groups, groups, lo, hi, room, near)
        best, least = 0, FAR
        for c in range(groups):
            cost = near[c] * (size[c] + 1) - price[c] * size[c]
            if cost < least:
                best, least = c, cost
        group_of[at] = best
        size[best], price[best] = size[best] + 1, near[best]
        for column in range(columns):
            own = coordinate[row_at[at], column]
            lo[column * room + best] = min(lo[column * room + best], own)
            hi[column * room + best] = max(hi[column * room + best], own)
