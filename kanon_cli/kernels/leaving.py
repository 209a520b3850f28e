"""Leaving out rows that cost their group more than a row that says nothing."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kanon_cli.kernels.costs import add_union_prices, price, price_all
from kanon_cli.kernels.jit import kernel, part_kernel
from kanon_cli.kernels.promise import shortfall

FAR = np.int64(1) << np.int64(61)
ROUNDS = 13  # what saves most for each row that is left out comes first: the price of 2 ** 6 rows ...
MOST_SAVED = 6  # ... then half of that, down to 1/64 of a row: for less, nobody is left out


class Groups(NamedTuple):
    """Groups as boxes and lists of members; one of size 0 is gone."""

    group_of: npt.NDArray[np.int32]  # [row] -1: left out
    lo: npt.NDArray[np.int32]  # [column, group]
    hi: npt.NDArray[np.int32]  # [column, group]
    size: npt.NDArray[np.int64]  # [group]
    price: npt.NDArray[np.int64]  # [group] of one row
    head: npt.NDArray[np.int64]  # [group] its first member, -1 if none
    after: npt.NDArray[np.int64]  # [row] the next member, -1 at the end
    counts: npt.NDArray[np.int64]  # scratch: [code]
    total: npt.NDArray[np.int32]  # scratch: [group]


def groups_from(rank_of, costs, aim, group_of):
    """Build the groups of a grouping."""
    rows, count = len(group_of), int(group_of.max()) + 1
    groups = Groups(
        group_of.copy(),
        np.zeros((len(rank_of), count), dtype=np.int32),
        np.zeros((len(rank_of), count), dtype=np.int32),
        np.zeros(count, dtype=np.int64),
        np.zeros(count, dtype=np.int64),
        np.full(count, -1, dtype=np.int64),
        np.full(rows, -1, dtype=np.int64),
        np.zeros(int(max(aim.values, default=1)), dtype=np.int64),
        np.zeros(count, dtype=np.int32),
    )
    fill(groups, rank_of, costs)
    return groups


@kernel
def fill(groups, rank_of, costs):
    """Build boxes and lists from group_of."""
    for row in range(len(groups.group_of) - 1, -1, -1):
        put(groups, rank_of, row, groups.group_of[row])
    for c in range(len(groups.size)):
        groups.price[c] = price_all(costs, groups.lo[:, c], groups.hi[:, c])


@part_kernel
def put(groups, rank_of, row, c):
    """Put a row into a group; its price is left to the caller."""
    for column in range(len(rank_of)):
        rank = rank_of[column, row]
        if groups.size[c] == 0:
            groups.lo[column, c] = groups.hi[column, c] = rank
        groups.lo[column, c] = min(groups.lo[column, c], rank)
        groups.hi[column, c] = max(groups.hi[column, c], rank)
    groups.group_of[row] = c
    groups.after[row] = groups.head[c]
    groups.head[c] = row
    groups.size[c] += 1


@part_kernel
def keeps(groups, aim, c, row, joins):
    """Say whether a group keeps what is promised of secrets when a row joins it, or leaves it."""
    for secret in range(len(aim.values)):
        groups.counts[: aim.values[secret]] = 0
        member = groups.head[c]
        while member >= 0:
            groups.counts[aim.secret_of[secret, member]] += 1
            member = groups.after[member]
        change = 1 if joins else -1
        groups.counts[aim.secret_of[secret, row]] += change
        if shortfall(groups.counts, aim.values[secret], groups.size[c] + change, aim.cap[secret]) > 0:
            return False
    return True


@part_kernel
def best_shed(groups, rank_of, costs, aim, c, saved):
    """Return the row that saves most by leaving its group out of which nothing else changes, and what that saves.

    Only a row that alone has a column's least or largest rank narrows the box. saved is scratch: [row].
    """
    member = groups.head[c]
    while member >= 0:
        saved[member] = 0
        member = groups.after[member]
    for column in range(len(rank_of)):
        low, high = groups.lo[column, c], groups.hi[column, c]
        if low == high:
            continue
        at_low = at_high = np.int64(-1)
        lows = highs = 0
        second, last = high, low
        member = groups.head[c]
        while member >= 0:
            rank = rank_of[column, member]
            if rank == low:
                at_low, lows = member, lows + 1
            else:
                second = min(second, rank)
            if rank == high:
                at_high, highs = member, highs + 1
            else:
                last = max(last, rank)
            member = groups.after[member]
        whole = price(costs, column, low, high)
        if lows == 1:
            saved[at_low] += whole - price(costs, column, second, high)
        if highs == 1:
            saved[at_high] += whole - price(costs, column, low, last)
    best, most = np.int64(-1), np.int64(0)
    member = groups.head[c]
    while member >= 0:
        gain = groups.price[c] + saved[member] * (groups.size[c] - 1)
        if gain > most and saved[member] > 0 and keeps(groups, aim, c, member, False):
            best, most = member, gain
        member = groups.after[member]
    return best, most


@part_kernel
def shed(groups, rank_of, costs, row):
    """Leave a row out."""
    c = groups.group_of[row]
    members = np.empty(groups.size[c] - 1, np.int64)
    member, at = groups.head[c], 0
    while member >= 0:
        if member != row:
            members[at] = member
            at += 1
        member = groups.after[member]
    groups.size[c], groups.head[c] = 0, -1
    for other in members[::-1]:
        put(groups, rank_of, other, c)
    groups.price[c] = price_all(costs, groups.lo[:, c], groups.hi[:, c])
    groups.group_of[row] = -1


@part_kernel
def nearest(groups, rank_of, costs, aim, row, full):
    """Return the group that a row joins at the least cost below `full`, keeping its promise, and that cost; or -1."""
    count = len(groups.size)
    groups.total[:] = 0
    for column in range(len(rank_of)):
        add_union_prices(costs, column, rank_of[column, row], groups.lo[column], groups.hi[column], count, groups.total)
    while True:
        best, least = np.int64(-1), np.int64(full)
        for c in range(count):
            if groups.size[c] > 0:
                cost = np.int64(groups.total[c]) * (groups.size[c] + 1) - groups.price[c] * groups.size[c]
                if cost < least:
                    best, least = np.int64(c), cost
        if best < 0 or keeps(groups, aim, best, row, True):
            return best, least
        groups.total[best] = full  # the row may not join it: too dear from now on


@part_kernel
def dissolve(groups, rank_of, costs, aim, c, full, budget, wanted):
    """Spread the rows of a group over the others or leave them out, if that saves `wanted` for each row left out.

    Return how many rows were left out, or -1 if nothing was done.
    """
    rows = np.empty(groups.size[c], np.int64)
    member = groups.head[c]
    for at in range(len(rows)):
        rows[at] = member
        member = groups.after[member]
    spent = groups.price[c] * len(rows)
    target = np.full(len(rows), -1, np.int64)
    old_lo = np.empty((len(rows), len(rank_of)), np.int32)
    old_hi = np.empty((len(rows), len(rank_of)), np.int32)
    old_price = np.empty(len(rows), np.int64)
    groups.size[c], groups.head[c] = 0, -1
    paid, out = np.int64(0), 0
    for at in range(len(rows)):
        other, cost = nearest(groups, rank_of, costs, aim, rows[at], full)
        paid += cost
        if other < 0:
            out += 1
            groups.group_of[rows[at]] = -1
        else:
            target[at], old_price[at] = other, groups.price[other]
            for column in range(len(rank_of)):
                old_lo[at, column], old_hi[at, column] = groups.lo[column, other], groups.hi[column, other]
            put(groups, rank_of, rows[at], other)
            groups.price[other] = price_all(costs, groups.lo[:, other], groups.hi[:, other])
        if out > budget or paid >= spent:
            break
    if out <= budget and spent - paid > 0 and spent - paid >= wanted * out and at == len(rows) - 1:
        return out
    for at in range(len(rows) - 1, -1, -1):
        other = target[at]
        if other >= 0:
            groups.head[other] = groups.after[rows[at]]
            groups.size[other] -= 1
            groups.price[other] = old_price[at]
            for column in range(len(rank_of)):
                groups.lo[column, other], groups.hi[column, other] = old_lo[at, column], old_hi[at, column]
    for at in range(len(rows) - 1, -1, -1):
        put(groups, rank_of, rows[at], c)
    return -1


@kernel
def leave_out(groups, rank_of, costs, aim, full, budget, visits):
    """Leave out up to `budget` rows where that lowers the cost, `full` being the price of one; return how many.

    Up to `visits` rows of the costliest groups are tried each round.
    """
    saved = np.zeros(len(groups.group_of), np.int64)
    left = budget
    for step in range(ROUNDS):
        wanted = (full << MOST_SAVED) >> step
        tried = np.int64(0)
        for c in np.argsort(-groups.price, kind="mergesort"):
            if tried >= visits or left == 0:
                break
            tried += groups.size[c]
            while groups.size[c] > aim.k and left > 0:
                row, gain = best_shed(groups, rank_of, costs, aim, c, saved)
                if row < 0 or gain - full <= 0 or gain - full < wanted:
                    break
                shed(groups, rank_of, costs, row)
                left -= 1
            if groups.size[c] > 0 and groups.price[c] > 0 and groups.size[c] <= 2 * aim.k:
                out = dissolve(groups, rank_of, costs, aim, c, full, left, wanted)
                left -= max(out, 0)
    return budget - left
