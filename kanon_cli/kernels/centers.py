"""Rows that go, one after the other, to the cluster that is closest to them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kanon_cli.kernels.boxes import FORM, FULL, box_price
from kanon_cli.kernels.clusters import Aim, link, unlink
from kanon_cli.kernels.costs import LINE
from kanon_cli.kernels.jit import inner_kernel, kernel, part_kernel
from kanon_cli.kernels.pools import ABOVE, BELOW
from kanon_cli.kernels.promise import shortfall_of_counts
from kanon_cli.kernels.wards import add_nearness

FAR = np.int64(1) << np.int64(62)

CENTROID, WEIGHTED, INCREASE = range(3)  # the distance: to the centroid, times the rows, or by how much the cost rises


class Ground(NamedTuple):
    """What is the same all along: the rows, what boxes cost, and what a cluster has to keep."""

    coordinate: npt.NDArray[np.int32]  # [row, column]
    missing_at: npt.NDArray[np.int64]  # [column] the coordinate of a missing number, -1 elsewhere
    how: npt.NDArray[np.int64]  # these four: see Tariff
    whole: npt.NDArray[np.int32]
    mass: npt.NDArray[np.float64]
    scale: npt.NDArray[np.float64]
    aim: Aim
    secrets_of: npt.NDArray[np.int32]  # [row] the number of its combination of sensitive values
    distance: int  # CENTROID, WEIGHTED or INCREASE


class Centers(NamedTuple):
    """The clusters, each with the box that distances are measured to; the last place is for the row that asks.

    That box is the closure, but in the lines of a centroid it is the mean, and all of the line if some but not all
    values are missing.
    """

    group_of: npt.NDArray[np.int32]  # [row] -1: in no cluster
    lo: npt.NDArray[np.int32]  # [column * room + cluster]
    hi: npt.NDArray[np.int32]  # [column * room + cluster]
    sums: npt.NDArray[np.int64]  # [column * room + cluster] of the coordinates that are not missing
    missing: npt.NDArray[np.int64]  # [column * room + cluster] rows without a number
    size: npt.NDArray[np.int64]  # [cluster]
    price: npt.NDArray[np.int64]  # [cluster] of a row in the box
    head: npt.NDArray[np.int32]  # these three: see Clusters
    after: npt.NDArray[np.int32]
    before: npt.NDArray[np.int32]
    refused: npt.NDArray[np.int64]  # [cluster] secrets that the cluster, as it is, has no room for
    near: npt.NDArray[np.int32]  # scratch: [cluster]
    counts: npt.NDArray[np.int64]  # scratch: [secret, code]


def gather(ground: Ground, group_of: npt.NDArray[np.int32]) -> Centers:
    """Build the state from group_of, in which rows of no cluster have -1."""
    room, columns, values = int(group_of.max()) + 2, len(ground.how), ground.aim.values
    centers = Centers(
        group_of=group_of.copy(),
        lo=np.full(columns * room, ABOVE, dtype=np.int32),
        hi=np.full(columns * room, BELOW, dtype=np.int32),
        sums=np.zeros(columns * room, dtype=np.int64),
        missing=np.zeros(columns * room, dtype=np.int64),
        size=np.zeros(room, dtype=np.int64),
        price=np.zeros(room, dtype=np.int64),
        head=np.full(room, -1, dtype=np.int32),
        after=np.full(len(group_of), -1, dtype=np.int32),
        before=np.full(len(group_of), -1, dtype=np.int32),
        refused=np.full(room, -1, dtype=np.int64),
        near=np.zeros(room, dtype=np.int32),
        counts=np.zeros((len(values), int(values.max(initial=1))), dtype=np.int64),
    )
    fill(ground, centers)
    return centers


@inner_kernel
def recenter(how, missing_at, distance, column, at, lo, hi, sums, missing, rows):
    """Find the box of a line from its sums, if it is a mean."""
    if how[column, FORM] != LINE or distance == INCREASE:
        return
    if missing[at] == 0:
        lo[at] = hi[at] = np.int32((2 * sums[at] + rows) // (2 * rows))
    elif missing[at] == rows:
        lo[at] = hi[at] = np.int32(missing_at[column])
    else:
        lo[at], hi[at] = np.int32(0), np.int32(min(2 * how[column, FULL], ABOVE))


@inner_kernel
def widen(how, missing_at, distance, coordinate, row, c, room, lo, hi, sums, missing, rows):
    """Let the box of a cluster of so many rows, the new one included, follow a row that joins it."""
    for column in range(how.shape[0]):
        at, joining = column * room + c, coordinate[row, column]
        lo[at], hi[at] = min(lo[at], joining), max(hi[at], joining)
        if joining == missing_at[column]:
            missing[at] += 1
        else:
            sums[at] += joining
        recenter(how, missing_at, distance, column, at, lo, hi, sums, missing, rows)


@inner_kernel
def narrow(how, missing_at, distance, coordinate, row, c, room, lo, hi, sums, missing, rows, head, after):
    """Let the box of a cluster of so many rows, the old one not included, follow a row that has left it."""
    for column in range(how.shape[0]):
        at, leaving = column * room + c, coordinate[row, column]
        if leaving == missing_at[column]:
            missing[at] -= 1
        else:
            sums[at] -= leaving
        if how[column, FORM] == LINE and distance != INCREASE:
            recenter(how, missing_at, distance, column, at, lo, hi, sums, missing, rows)
        elif leaving in (lo[at], hi[at]):
            lo[at], hi[at] = ABOVE, BELOW
            member = head[c]
            while member >= 0:
                lo[at] = min(lo[at], coordinate[member, column])
                hi[at] = max(hi[at], coordinate[member, column])
                member = after[member]


@kernel
def fill(ground, centers):
    """Build lists and boxes from group_of."""
    coordinate, missing_at, how, whole, mass, scale, _aim, _secrets_of, distance = ground
    group_of, lo, hi, sums, missing, size, price, head, after, before, _refused, _near, _counts = centers
    room = len(size)
    for row in range(len(group_of) - 1, -1, -1):
        c = group_of[row]
        if c >= 0:
            link(head, after, before, row, c)
            size[c] += 1
            widen(how, missing_at, INCREASE, coordinate, row, c, room, lo, hi, sums, missing, size[c])
    for c in range(room - 1):
        for column in range(how.shape[0]):
            at = column * room + c
            recenter(how, missing_at, distance, column, at, lo, hi, sums, missing, size[c])
            price[c] += box_price(how, whole, mass, scale, column, lo[at], hi[at])


@part_kernel
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
def assign(ground, centers, rows, largest):  # noqa: PLR0912  handing the arrays over takes longer than a loop
    """Put each of some rows, in their order, into the closest cluster, the lowest number of several.

    A row that is in a cluster leaves it first, unless it is alone there. Clusters of more than `largest` rows are taken
    only if there are no others, and one that would get further from its promise, judged as one of k rows at the least,
    only if all would.
    """
    coordinate, missing_at, how, whole, mass, scale, aim, secrets_of, distance = ground
    group_of, lo, hi, sums, missing, size, price, head, after, before, refused, near, counts = centers
    columns, room, asked = how.shape[0], len(size), len(size) - 1
    is_guarded = len(aim.values) > 0
    eligible = np.int64(0)
    for c in range(asked):
        eligible += size[c] <= largest
    for row in rows:
        own = group_of[row]
        if own >= 0:
            if size[own] == 1:
                continue
            unlink(head, after, before, row, own)
            size[own] -= 1
            eligible += size[own] == largest
            narrow(
                *(how, missing_at, distance, coordinate, row, own, room, lo, hi, sums, missing, size[own]),
                *(head, after),
            )
            price[own] = 0
            for column in range(columns):
                at = column * room + own
                price[own] += box_price(how, whole, mass, scale, column, lo[at], hi[at])
            refused[own] = -1
        for column in range(columns):
            lo[column * room + asked] = hi[column * room + asked] = coordinate[row, column]
        near[:] = 0
        for column in range(columns):
            add_nearness(how, whole, mass, scale, column, asked, asked, lo, hi, room, near)
        limit = largest if eligible > 0 else len(group_of)
        best, best_cost, fitting, fitting_cost = np.int64(0), FAR, np.int64(-1), FAR
        for c in range(asked):
            cost = np.int64(near[c])
            if distance == WEIGHTED:
                cost *= size[c]
            elif distance == INCREASE:
                cost = cost * (size[c] + 1) - price[c] * size[c]
            if size[c] > limit:
                continue
            if cost < best_cost:
                best, best_cost = np.int64(c), cost
            if is_guarded and cost < fitting_cost and refused[c] != secrets_of[row]:
                judged = max(size[c] + 1, aim.k)
                short = shortfall_with_row(head, after, c, row, 0, judged, counts, aim)
                if shortfall_with_row(head, after, c, row, 1, judged, counts, aim) <= short:
                    fitting, fitting_cost = np.int64(c), cost
                else:
                    refused[c] = secrets_of[row]
        if fitting >= 0:
            best = fitting
        group_of[row] = best
        link(head, after, before, row, best)
        eligible -= size[best] == largest
        size[best] += 1
        widen(how, missing_at, distance, coordinate, row, best, room, lo, hi, sums, missing, size[best])
        price[best] = near[best]
        refused[best] = -1


@kernel
def trim(ground, centers):
    """Take the rows furthest from its center out of every cluster of more than k; ties by the lowest row.

    A row stays if the cluster would get further from its promise without it.
    """
    coordinate, missing_at, how, whole, mass, scale, aim, _secrets_of, distance = ground
    group_of, lo, hi, sums, missing, size, price, head, after, before, refused, _near, counts = centers
    columns, room = how.shape[0], len(size)
    for c in range(room - 1):
        rows = size[c]
        if rows <= aim.k:
            continue
        members, far = np.empty(rows, np.int64), np.empty(rows, np.int64)
        member = head[c]
        for i in range(rows):
            members[i] = member
            member = after[member]
        members.sort()
        for i in range(rows):
            far[i] = 0
            for column in range(columns):
                at, own = column * room + c, coordinate[members[i], column]
                far[i] -= box_price(how, whole, mass, scale, column, min(lo[at], own), max(hi[at], own))
        for i in np.argsort(far, kind="mergesort"):
            row = members[i]
            if size[c] == aim.k:
                break
            if len(aim.values) > 0:
                short = shortfall_with_row(head, after, c, row, 0, 0, counts, aim)
                if shortfall_with_row(head, after, c, row, -1, 0, counts, aim) > short:
                    continue
            unlink(head, after, before, row, c)
            group_of[row] = -1
            size[c] -= 1
            narrow(
                *(how, missing_at, distance, coordinate, row, c, room, lo, hi, sums, missing, size[c]), *(head, after)
            )
        price[c] = 0
        for column in range(columns):
            at = column * room + c
            price[c] += box_price(how, whole, mass, scale, column, lo[at], hi[at])
        refused[c] = -1
