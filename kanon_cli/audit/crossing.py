"""How many targets each of many queries meets, where both have several columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

MOST_PAIRS = 40_000_000_000  # beyond it counting would take minutes
_CELLS = 1 << 26  # places of the largest table of cells by targets that is held at a time
_BLOCK = 256  # queries that are counted at a time: their bits stay in the processor's cache
_ONES = np.array([number.bit_count() for number in range(256)], dtype=np.uint8)


@dataclass(frozen=True)
class Axis:
    """One column: the cell of each query, and which cells meet which targets."""

    cell_of: IntArray  # [query]
    cells: int
    meets: Callable[[slice], BoolArray]  # a slice of the targets -> [cell, target]


def count(axes: Sequence[Axis], targets: int) -> IntArray | None:
    """[query] the targets that it meets in every column; None if there are too many pairs to try."""
    queries = len(axes[0].cell_of)
    if queries * targets > MOST_PAIRS:
        return None
    found = np.zeros(queries, dtype=np.int64)
    width = max(64, _CELLS // max(axis.cells for axis in axes))
    for start in range(0, targets, width):
        part = slice(start, min(start + width, targets))
        packed = [np.packbits(axis.meets(part), axis=1) for axis in axes]
        for first in range(0, queries, _BLOCK):
            block = slice(first, first + _BLOCK)
            bits = packed[0][axes[0].cell_of[block]]
            for axis, rows in zip(axes[1:], packed[1:], strict=True):
                bits &= rows[axis.cell_of[block]]
            found[block] += _ONES[bits].sum(axis=1, dtype=np.int64)
    return found
