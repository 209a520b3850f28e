"""Boxes that could be clusters, and the rows that each of them could take without costing more."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kanon_cli.kernels.boxes import FORM, RANKS, box_price
from kanon_cli.kernels.costs import FLAT, TABLE, TREE
from kanon_cli.kernels.jit import inner_kernel, kernel
from kanon_cli.kernels.pools import ABOVE, BELOW

BLOCK = 64  # neighbouring kinds of rows: a box that meets none of what they cover is not compared with each of them


class Kinds(NamedTuple):
    """The kinds of rows that there are: rows that are equal are of one kind."""

    coordinate: npt.NDArray[np.int32]  # [kind, column]
    copies: npt.NDArray[np.int64]  # [kind] how many rows it has


class Candidates(NamedTuple):
    """Boxes, and the kinds of rows within each: those of box b stand from first[b] to first[b + 1] - 1."""

    price: npt.NDArray[np.int64]  # [box] of one row
    first: npt.NDArray[np.int64]  # [box, and one more]
    kind: npt.NDArray[np.int32]  # one box after the other


@inner_kernel
def widen(how, whole, mass, scale, column, lo, hi):
    """Return the widest box around lo..hi for the same price, where that is easy to say: a node is one as a whole."""
    form = how[column, FORM]
    if lo == hi or form not in (FLAT, TABLE, TREE):
        return lo, hi
    price = box_price(how, whole, mass, scale, column, lo, hi)
    least, most = np.int32(0), lo
    while least < most:
        middle = (least + most) // np.int32(2)
        if box_price(how, whole, mass, scale, column, middle, hi) == price:
            most = middle
        else:
            least = middle + np.int32(1)
    lo = most
    least, most = hi, np.int32(how[column, RANKS] - 1)
    while least < most:
        middle = most - (most - least) // np.int32(2)
        if box_price(how, whole, mass, scale, column, lo, middle) == price:
            least = middle
        else:
            most = middle - np.int32(1)
    return lo, least


@kernel
def widen_all(lo, hi, ground):
    """Widen boxes to all that costs the same, and return the price of each."""
    how, whole, mass, scale = ground.how, ground.whole, ground.mass, ground.scale
    price = np.zeros(len(lo), dtype=np.int64)
    for box in range(len(lo)):
        for column in range(how.shape[0]):
            low, high = widen(how, whole, mass, scale, column, lo[box, column], hi[box, column])
            price[box] += box_price(how, whole, mass, scale, column, low, high)
            lo[box, column], hi[box, column] = low, high
    return price


@kernel
def find_kinds(lo, hi, kinds, most):
    """Return where the kinds within each box start, and those kinds, as long as they are no more than `most`."""
    coordinate = kinds.coordinate
    count, columns = coordinate.shape
    blocks = (count + BLOCK - 1) // BLOCK
    low = np.full((blocks, columns), ABOVE, dtype=np.int32)
    high = np.full((blocks, columns), BELOW, dtype=np.int32)
    for kind in range(count):
        for column in range(columns):
            low[kind // BLOCK, column] = min(low[kind // BLOCK, column], coordinate[kind, column])
            high[kind // BLOCK, column] = max(high[kind // BLOCK, column], coordinate[kind, column])
    first = np.zeros(len(lo) + 1, dtype=np.int64)
    found = np.empty(most + count, dtype=np.int32)
    end, boxes = np.int64(0), np.int64(0)
    while boxes < len(lo) and end <= most:
        for block in range(blocks):
            column = 0
            while (
                column < columns
                and low[block, column] <= hi[boxes, column]
                and high[block, column] >= lo[boxes, column]
            ):
                column += 1
            if column < columns:
                continue
            for kind in range(block * BLOCK, min((block + 1) * BLOCK, count)):
                column = 0
                while column < columns and lo[boxes, column] <= coordinate[kind, column] <= hi[boxes, column]:
                    column += 1
                if column == columns:
                    found[end] = kind
                    end += 1
        boxes += 1
        first[boxes] = end
    return first[: boxes + 1], found[:end]
