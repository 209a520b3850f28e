"""A clustering out of boxes: those that are worth most take their rows, and the rest joins where it costs least."""

from __future__ import annotations

import numpy as np

from kanon_cli.kernels.boxes import box_price
from kanon_cli.kernels.jit import kernel
from kanon_cli.kernels.multipliers import STEPS, taken_of, worth_of
from kanon_cli.kernels.pools import ABOVE, BELOW, FAR
from kanon_cli.kernels.wards import add_nearness

LEVELS = 16  # boxes are taken by levels of what they are worth, each 15 / 16 of the one before


@kernel
def take_boxes(candidates, pays, kind_at, k, bits, least, group_of):
    """Let boxes take rows, those that are worth most of what is left first, down to `least`; return how many do.

    The rows of a kind stand from kind_at[kind] on. `group_of` has -1 for all rows, and keeps it for what is left.
    """
    boxes = len(candidates.price)
    free = kind_at[1:] - kind_at[:-1]
    short = np.empty(STEPS, dtype=np.int64)
    worth = np.empty(boxes, dtype=np.int64)
    above, groups = np.int64(1), np.int64(0)
    for box in range(boxes):
        worth[box] = worth_of(box, candidates, pays, free, k, bits, short)[0]
        above = max(above, worth[box] - least)
    while above > 0:
        for box in range(boxes):
            if worth[box] - least < above:
                continue
            worth[box], cut, missing = worth_of(box, candidates, pays, free, k, bits, short)
            if worth[box] - least < above:  # others took its rows
                continue
            for at in range(candidates.first[box], candidates.first[box + 1]):
                kind = candidates.kind[at]
                rows, missing = taken_of(pays[kind] - candidates.price[box], free[kind], cut, bits, missing)
                free[kind] -= rows
                for row in range(kind_at[kind] + free[kind], kind_at[kind] + free[kind] + rows):
                    group_of[row] = groups
            groups += 1
            worth[box] = -FAR
        above -= max(above // LEVELS, min(above, np.int64(1) << bits))
    return groups


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
