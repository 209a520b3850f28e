"""Rows that are in no cluster go, one after the other, to the cluster where they cost least."""

from __future__ import annotations

import numpy as np

from kanon_cli.kernels.boxes import box_price
from kanon_cli.kernels.clusters import link
from kanon_cli.kernels.jit import inner_kernel, kernel
from kanon_cli.kernels.pools import ABOVE, BELOW
from kanon_cli.kernels.promise import shortfall_of_counts
from kanon_cli.kernels.wards import add_nearness

FAR = np.int64(1) << np.int64(62)


@inner_kernel
def ask(coordinate, row, lo, hi, room, asked):
    """Make a row the box at the place `asked`."""
    for column in range(coordinate.shape[1]):
        lo[column * room + asked] = hi[column * room + asked] = coordinate[row, column]


@kernel
def shortfall_with_row(head, after, c, row, change, least_size, counts, aim):
    """Return by how much a cluster falls short of its promise with a row more (1) or less (-1), or as it is (0).

    It is judged as if it had `least_size` rows at the least. counts[secret, code] is scratch, and zero.
    """
    size, member = np.int64(0), head[c]
    while member >= 0:
        for secret in range(len(aim.values)):
            counts[secret, aim.secret_of[secret, member]] += 1
        size += 1
        member = after[member]
    for secret in range(len(aim.values)):
        counts[secret, aim.secret_of[secret, row]] += change
    short = shortfall_of_counts(counts, max(size + change, least_size), aim)
    for secret in range(len(aim.values)):
        counts[secret, aim.secret_of[secret, row]] = 0
    member = head[c]
    while member >= 0:
        for secret in range(len(aim.values)):
            counts[secret, aim.secret_of[secret, member]] = 0
        member = after[member]
    return short


@kernel
def hand_out(  # noqa: PLR0912  handing the arrays over takes longer than a loop
    rows, coordinate, how, whole, mass, scale, aim, secrets_of, clusters, group_of
):
    """Give each of some rows, in their order, to the cluster whose cost rises least, the lowest number of several.

    A cluster that would get further from its promise is taken only if all would. secrets_of[row] is the number of the
    row's combination of sensitive values: what a cluster has refused once, it refuses until it changes.
    """
    columns, room = how.shape[0], clusters + 1
    lo, hi = np.full(columns * room, ABOVE, np.int32), np.full(columns * room, BELOW, np.int32)
    size, price = np.zeros(room, np.int64), np.zeros(room, np.int64)
    head, after, before = np.full(room, -1, np.int32), np.full(len(group_of), -1, np.int32), group_of.copy()
    refused = np.full(room, -1, np.int64)
    near = np.empty(room, np.int32)
    is_guarded = len(aim.values) > 0
    counts = np.zeros((len(aim.values), max(aim.values.max(), 1) if is_guarded else 1), np.int64)
    for row in range(len(group_of)):
        c = group_of[row]
        if c < 0:
            continue
        size[c] += 1
        link(head, after, before, row, c)
        for column in range(columns):
            at = column * room + c
            lo[at], hi[at] = min(lo[at], coordinate[row, column]), max(hi[at], coordinate[row, column])
    for c in range(clusters):
        for column in range(columns):
            at = column * room + c
            price[c] += box_price(how, whole, mass, scale, column, lo[at], hi[at])
    for row in rows:
        ask(coordinate, row, lo, hi, room, clusters)
        near[:] = 0
        for column in range(columns):
            add_nearness(how, whole, mass, scale, column, clusters, clusters, lo, hi, room, near)
        best, best_cost, fitting, fitting_cost = np.int64(0), FAR, np.int64(-1), FAR
        for c in range(clusters):
            cost = np.int64(near[c]) * (size[c] + 1) - price[c] * size[c]
            if cost < best_cost:
                best, best_cost = np.int64(c), cost
            if is_guarded and cost < fitting_cost and refused[c] != secrets_of[row]:
                short = shortfall_with_row(head, after, c, row, 0, 0, counts, aim)
                if shortfall_with_row(head, after, c, row, 1, 0, counts, aim) <= short:
                    fitting, fitting_cost = np.int64(c), cost
                else:
                    refused[c] = secrets_of[row]
        if fitting >= 0:
            best = fitting
        group_of[row] = best
        size[best] += 1
        price[best] = near[best]
        refused[best] = -1
        link(head, after, before, row, best)
        for column in range(columns):
            at = column * room + best
            lo[at], hi[at] = min(lo[at], coordinate[row, column]), max(hi[at], coordinate[row, column])
