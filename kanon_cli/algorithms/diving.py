"""Boxes become clusters for good, a few at a time, and what all other rows pay is settled anew after each few."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from kanon_cli.algorithms.market import Market, Offers

IntArray = npt.NDArray[np.int64]

PACE, FAST_PACE = 0.4, 0.75  # times the root of the steps that there could be, with boxes reshaped or not, are ...
LEAST_STEPS = 2  # ... the steps by which what rows pay is settled before some boxes become clusters
LEAST_SHARE, MOST_SHARE = 0.02, 0.5  # of the rows that are left get a cluster then
RESHAPED = 400  # steps with all rows that there has to be time for, or boxes are not reshaped
LENGTH = 30  # steps are as long as if so many parts of 1000 of the bound were missing
MEMORY = 14  # sixteenths of how often a box was opened before count beside how often it is now
OPENED = 1 << 10  # what opening a box once counts
BESIDES = 4  # looks that each kind of rows takes besides, in a step
FEW = 10  # boxes are reshaped at the least


def dive(market: Market, offers: Offers, pays: IntArray, looks: int) -> npt.NDArray[np.int32] | None:
    """Give a grouping out of boxes, or nothing if hardly any are worth it, for about so many looks at rows in boxes.

    The boxes that are worth something most often, while what rows pay is settled, take their rows first.
    """
    from kanon_cli.kernels.selecting import take_boxes

    k, kind_at, rows = market.ground.k, market.kind_at, len(market.order)
    steps, reshapes = _pace(looks / max(offers.looks, 1))
    free, most = market.all.kinds.copies.copy(), np.full(len(pays), market.dearest)
    group_of, groups = np.full(rows, -1, dtype=np.int32), 0
    often: IntArray = np.full(len(offers), OPENED)
    while True:
        offers, by = offers.chosen(np.flatnonzero(often)).narrowed(free, k)
        often = often[often > 0][by] * MEMORY // 16
        pays, opened, spent = _settle(market, offers, pays, free, most, steps)
        if reshapes:
            offers, often, more = _reshaped(market, offers, often, opened, pays, free)
            pays, opened, again = _settle(market, offers, pays, free, most, steps)
            spent += more + again
        often += opened * OPENED
        by = np.argsort(-often, kind="stable")
        share = min(max(spent / max(looks, 1), LEAST_SHARE), MOST_SHARE)  # as if times took their share of the rows
        by, goal = by[: np.count_nonzero(often)], max(int(share * free.sum()), 1)
        new = take_boxes(offers.candidates, by, pays, free, kind_at, k, market.bits, goal, groups, group_of, most)
        looks -= spent
        groups += new
        if new == 0:
            break
    return joined(market, group_of, groups) if groups > 1 else None


def joined(market: Market, group_of: npt.NDArray[np.int32], groups: int) -> npt.NDArray[np.int32]:
    """Give the grouping in which all rows without a group have joined one."""
    from kanon_cli.kernels.selecting import join_rest

    join_rest(market.ground, market.order, group_of, groups)
    result = np.empty_like(group_of)
    result[market.order] = group_of
    return result


def _pace(steps: float) -> tuple[int, bool]:
    """How many steps there are each time, and whether boxes are reshaped, if there could be so many with all rows."""
    reshapes = steps >= RESHAPED
    return max(int(math.sqrt(steps) * (PACE if reshapes else FAST_PACE)), LEAST_STEPS), reshapes


def _settle(
    market: Market, offers: Offers, pays: IntArray, free: IntArray, most: IntArray, steps: int
) -> tuple[IntArray, IntArray, int]:
    """Raise what free rows pay that no box takes, lower it where several do.

    Also gives how often boxes were opened, and how many looks it took.
    """
    opened = np.zeros(len(offers), dtype=np.int64)
    pays = np.minimum(pays, most)
    for _ in range(steps):
        worth, taken = market.open(offers, pays, free, opened)
        lacking = free - taken
        bound = abs(int((pays * free).sum()) - worth)
        length = (bound * LENGTH // 1000 << 8) // max(int((lacking * lacking).sum()), 1)
        pays = np.clip(pays + (lacking * min(length, 1 << 40) >> 8), 0, most)
    return pays, opened, steps * (offers.looks + BESIDES * len(pays))


def _reshaped(
    market: Market, offers: Offers, often: IntArray, opened: IntArray, pays: IntArray, free: IntArray
) -> tuple[Offers, IntArray, int]:
    """Add what becomes of the boxes that are opened most often once they are reshaped for the rows that are free."""
    by = np.argsort(-(often + opened * OPENED), kind="stable")[: FEW + int(free.sum()) // market.ground.k]
    lo, hi, stock = offers.lo[by], offers.hi[by], market.left(free)
    worth, looks = market.reshape(lo, hi, pays, stock)
    lo, hi = lo[worth > 0], hi[worth > 0]
    joined = offers.joined(lo, hi, market, stock)
    return joined, np.append(np.zeros(len(joined) - len(offers), dtype=np.int64), often), looks
