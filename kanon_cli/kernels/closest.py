"""Rows and the closest of many centers, all centers being fixed."""

from __future__ import annotations

import numpy as np

from kanon_cli.kernels.boxes import FORM, RANKS, box_price
from kanon_cli.kernels.costs import LINE
from kanon_cli.kernels.jit import kernel
from kanon_cli.kernels.wards import add_nearness


@kernel
def settle(ground, centers):
    """Make the centers of all columns but lines the most frequent values of the clusters, the first of several."""
    coordinate, how = ground.coordinate, ground.how
    lo, hi, head, after = centers.lo, centers.hi, centers.head, centers.after
    room = len(head)
    counts = np.zeros(how[:, RANKS].max(), np.int64)
    for column in range(how.shape[0]):
        if how[column, FORM] == LINE:
            continue
        for c in range(room - 1):
            best, most, member = np.int32(0), np.int64(0), head[c]
            while member >= 0:
                value = coordinate[member, column]
                counts[value] += 1
                if counts[value] > most or (counts[value] == most and value < best):
                    best, most = value, counts[value]
                member = after[member]
            lo[column * room + c] = hi[column * room + c] = best
            member = head[c]
            while member >= 0:
                counts[coordinate[member, column]] = 0
                member = after[member]


@kernel
def find_closest(ground, centers, rows, closest):
    """Write the number of the center that is closest to each of some rows, the lowest of several."""
    coordinate, how, whole, mass, scale = ground.coordinate, ground.how, ground.whole, ground.mass, ground.scale
    lo, hi, near = centers.lo, centers.hi, centers.near
    columns, room, asked = how.shape[0], len(near), len(near) - 1
    for place in range(len(rows)):
        for column in range(columns):
            lo[column * room + asked] = hi[column * room + asked] = coordinate[rows[place], column]
        near[:] = 0
        for column in range(columns):
            add_nearness(how, whole, mass, scale, column, asked, asked, lo, hi, room, near)
        least = near[0]
        for c in range(asked):
            least = min(least, near[c])
        found = 0
        while near[found] != least:
            found += 1
        closest[place] = found


@kernel
def distortion(ground, centers):
    """Return, for each column, how far all rows together are from their centers."""
    coordinate, how, whole, mass, scale = ground.coordinate, ground.how, ground.whole, ground.mass, ground.scale
    lo, hi, group_of, room = centers.lo, centers.hi, centers.group_of, len(centers.head)
    total = np.zeros(how.shape[0], np.int64)
    for column in range(how.shape[0]):
        for row in range(len(group_of)):
            at, own = column * room + group_of[row], coordinate[row, column]
            total[column] += box_price(how, whole, mass, scale, column, min(lo[at], own), max(hi[at], own))
    return total
