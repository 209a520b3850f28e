"""Boxes made worth more, by what rows pay: one column after the other becomes wider or narrower."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kanon_cli.kernels.boxes import FORM, RANKS, box_price
from kanon_cli.kernels.candidates import Kinds, widen
from kanon_cli.kernels.costs import CURVE, LINE
from kanon_cli.kernels.jit import inner_kernel, kernel, part_kernel
from kanon_cli.kernels.multipliers import STEPS, filled_up

PROBES = 6  # values whose nodes are tried in a column, besides those of a row within
SWEEPS = 4  # times that all columns are tried at the most


class Shelf(NamedTuple):
    """The kinds of rows column by column, and the values that each column has, in order."""

    coordinate: npt.NDArray[np.int32]  # [column, kind]
    value: npt.NDArray[np.int32]  # one column after the other
    value_at: npt.NDArray[np.int64]  # [column, and one more] where its values start


class Desk(NamedTuple):
    """What is known of the box that is reshaped."""

    lo: npt.NDArray[np.int32]  # [column]
    hi: npt.NDArray[np.int32]  # [column]
    strays: npt.NDArray[np.int16]  # [kind] columns in which it is outside
    near: npt.NDArray[np.int64]  # [number] the kinds that are outside in one column at the most
    gain: npt.NDArray[np.int64]  # [number] of the kinds that are outside in no other column: what a row pays beyond ...
    at: npt.NDArray[np.int32]  # ... the price of the other columns, its coordinate in this one ...
    rows: npt.NDArray[np.int64]  # ... and its rows
    short: npt.NDArray[np.int64]  # [step] see worth_of


def shelf_of(kinds: Kinds) -> Shelf:
    """Lay the kinds out."""
    coordinate = np.ascontiguousarray(kinds.coordinate.T)
    values = [np.unique(column) for column in coordinate]
    return Shelf(coordinate, np.concatenate(values), np.cumsum([0, *map(len, values)]))


@part_kernel
def make_desk(shelf):
    """Make room for a box."""
    columns, kinds = shelf.coordinate.shape
    return Desk(
        np.empty(columns, dtype=np.int32),
        np.empty(columns, dtype=np.int32),
        np.empty(kinds, dtype=np.int16),
        np.empty(kinds, dtype=np.int64),
        np.empty(kinds, dtype=np.int64),
        np.empty(kinds, dtype=np.int32),
        np.empty(kinds, dtype=np.int64),
        np.empty(STEPS, dtype=np.int64),
    )


@inner_kernel
def count_strays(desk, shelf, column, change):
    """Add the change to what strays[kind] counts, for the kinds that are outside of the box in the column."""
    lo, hi = desk.lo[column], desk.hi[column]
    for kind in range(len(desk.strays)):
        own = shelf.coordinate[column, kind]
        desk.strays[kind] += np.int16(change if (own < lo) | (own > hi) else 0)


@inner_kernel
def list_near(desk):
    """List the kinds that are outside in one column at the most, and return how many there are."""
    count = np.int64(0)
    for kind in range(len(desk.strays)):
        desk.near[count] = kind
        count += np.int64(desk.strays[kind] <= 1)
    return count


@inner_kernel
def list_open(desk, shelf, pays, free, column, near, price):
    """List the kinds that are within the box but for this column, and return how many there are."""
    count, lo, hi = np.int64(0), desk.lo[column], desk.hi[column]
    for number in range(np.uint64(near)):
        kind = desk.near[number]
        own = shelf.coordinate[column, kind]
        if desk.strays[kind] == 0 or own < lo or own > hi:
            desk.gain[count], desk.at[count], desk.rows[count] = pays[kind] - price, own, free[kind]
            count += 1
    return count


@inner_kernel
def worth_between(desk, count, lo, hi, price, k, bits):
    """Return what the box is worth that covers lo..hi in the column whose kinds are listed: see worth_of."""
    worth, missing = np.int64(0), np.int64(k)
    desk.short[:] = 0
    for number in range(np.uint64(count)):
        if desk.at[number] < lo or desk.at[number] > hi:
            continue
        gain = desk.gain[number] - price
        if gain > 0:
            worth += gain * desk.rows[number]
            missing -= desk.rows[number]
        else:
            desk.short[np.uint64(min(-gain >> bits, STEPS - 1))] += desk.rows[number]
    return filled_up(worth, missing, bits, desk.short)[0]


@inner_kernel
def parent(how, whole, mass, scale, column, lo, hi):
    """Return the next wider node around one: of those that cover a neighbour, too, the one that costs less."""
    last = how[column, RANKS] - 1
    if lo == 0 and hi == last:
        return lo, hi
    best_lo, best_hi, best = np.int32(0), np.int32(last), np.int64(1) << np.int64(62)
    for side in range(2):
        low = np.int32(lo - 1) if side == 0 else lo
        high = hi if side == 0 else np.int32(hi + 1)
        if low < 0 or high > last:
            continue
        price = box_price(how, whole, mass, scale, column, low, high)
        if price < best:
            best = price
            best_lo, best_hi = widen(how, whole, mass, scale, column, low, high)
    return best_lo, best_hi


@inner_kernel
def best_node(desk, how, whole, mass, scale, column, count, k, bits):
    """Return the bounds of the node that makes the box worth most, what that is, and how many nodes were tried.

    Tried are all nodes above a few of the values that are listed.
    """
    best_lo, best_hi = desk.lo[column], desk.hi[column]
    price = box_price(how, whole, mass, scale, column, best_lo, best_hi)
    best = worth_between(desk, count, best_lo, best_hi, price, k, bits)
    tries, last = np.int64(1), desk.lo[column]
    for probe in range(PROBES + 1 if count else 0):
        value = desk.at[probe * count // PROBES] if probe < PROBES else desk.lo[column]
        if probe > 0 and value == last:
            continue
        lo = hi = last = value
        while True:
            price = box_price(how, whole, mass, scale, column, lo, hi)
            worth = worth_between(desk, count, lo, hi, price, k, bits)
            tries += 1
            if worth > best:
                best, best_lo, best_hi = worth, lo, hi
            above_lo, above_hi = parent(how, whole, mass, scale, column, lo, hi)
            if above_lo == lo and above_hi == hi:
                break
            lo, hi = above_lo, above_hi
    return best_lo, best_hi, best, tries


@inner_kernel
def place_of(value, first, last, wanted):
    """Return where a value stands among those from first to last, which are in order."""
    while first < last:
        middle = (first + last) // 2
        if value[middle] < wanted:
            first = middle + 1
        else:
            last = middle
    return first


@inner_kernel
def best_span(desk, shelf, how, whole, mass, scale, column, count, k, bits):
    """Return the bounds on a line that make the box worth most, what that is, and how many were tried.

    Tried are steps of 1, 2, 4 ... values at either end.
    """
    lo, hi = desk.lo[column], desk.hi[column]
    best_lo, best_hi = lo, hi
    best = worth_between(desk, count, lo, hi, box_price(how, whole, mass, scale, column, lo, hi), k, bits)
    tries, first, last = np.int64(1), shelf.value_at[column], shelf.value_at[column + 1] - 1
    for end in range(2):
        middle = place_of(shelf.value, first, last, lo if end == 0 else hi)
        for sign in range(-1, 2, 2):
            step = np.int64(1)
            while first <= middle + sign * step <= last:
                value = shelf.value[middle + sign * step]
                low, high = (value, hi) if end == 0 else (lo, value)
                step *= 2
                if low > high:
                    break
                price = box_price(how, whole, mass, scale, column, low, high)
                worth = worth_between(desk, count, low, high, price, k, bits)
                tries += 1
                if worth > best:
                    best, best_lo, best_hi = worth, low, high
    return best_lo, best_hi, best, tries


@inner_kernel
def reshape_box(desk, shelf, pays, free, how, whole, mass, scale, k, bits, begin):
    """Reshape the box on the desk, column by column, until no column brings more; return its worth, and all looks."""
    columns, kinds = shelf.coordinate.shape
    price = np.int64(0)
    desk.strays[:] = 0
    for column in range(columns):
        count_strays(desk, shelf, column, 1)
        price += box_price(how, whole, mass, scale, column, desk.lo[column], desk.hi[column])
    near = list_near(desk)
    looks, worth, stale, turn = kinds, np.int64(0), 0, 0
    while stale < columns and turn < SWEEPS * columns:
        column = (begin + turn) % columns
        turn += 1
        lo, hi = desk.lo[column], desk.hi[column]
        others = price - box_price(how, whole, mass, scale, column, lo, hi)
        count = list_open(desk, shelf, pays, free, column, near, others)
        if how[column, FORM] == LINE or how[column, FORM] == CURVE:
            low, high, worth, tries = best_span(desk, shelf, how, whole, mass, scale, column, count, k, bits)
        else:
            low, high, worth, tries = best_node(desk, how, whole, mass, scale, column, count, k, bits)
        looks += near + tries * count
        stale += 1
        if low != lo or high != hi:
            count_strays(desk, shelf, column, -1)
            desk.lo[column], desk.hi[column] = low, high
            count_strays(desk, shelf, column, 1)
            near = list_near(desk)
            price = others + box_price(how, whole, mass, scale, column, low, high)
            looks += kinds
            stale = 1
    return worth, looks


@kernel
def reshape_boxes(lo, hi, start, end, shelf, pays, free, ground, bits, worth):
    """Reshape the boxes from start to end - 1; write down what they are worth then, and return how many looks it took.

    lo and hi [box, column] are changed.
    """
    how, whole, mass, scale, k = ground.how, ground.whole, ground.mass, ground.scale, ground.k
    columns = lo.shape[1]
    desk, looks = make_desk(shelf), np.int64(0)
    for box in range(start, end):
        for column in range(columns):  # not as slices: what numba can say of their lengths takes seconds to compile
            desk.lo[column], desk.hi[column] = lo[box, column], hi[box, column]
        worth[box], more = reshape_box(desk, shelf, pays, free, how, whole, mass, scale, k, bits, box % columns)
        looks += more
        for column in range(columns):
            lo[box, column], hi[box, column] = desk.lo[column], desk.hi[column]
    return looks
