"""Where points lie on a Hilbert curve."""

from __future__ import annotations

import numpy as np

from kanon_cli.kernels.jit import inner_kernel, kernel

WORD_BITS = 62  # bits of a key that go into one word


@inner_kernel
def find_octant(place, entry, direction, columns, digit):
    """Write the number of a sub-cube among its siblings into digit, lowest bit first: the inverse of the Gray code.

    place[column] says on which side of the middle it lies; entry and direction are the curve's way through the cube.
    """
    parity = np.uint8(0)
    for bit in range(columns - 1, -1, -1):
        column = (bit + direction + 1) % columns
        parity ^= place[column] ^ entry[column]
        digit[bit] = parity


@inner_kernel
def enter(digit, entry, direction, columns):
    """Change entry to the corner where the curve enters the sub-cube with this number; return its new direction.

    With a number w, the corner is the Gray code of 2 * ((w - 1) // 2), and the direction the trailing ones of w, or
    of w - 1 if w is even (Hamilton 2006).
    """
    first = 0  # the lowest bit that is set, but for bit 0 of an odd number
    while first < columns and digit[first] == 0:
        first += 1
    if first == columns:
        return (direction + 1) % columns
    if digit[0] == 1:
        turn = 0
        while turn < columns and digit[turn] == 1:
            turn += 1
        digit[0] = 0  # w - 1
    else:
        turn = first
        digit[first] = 0  # w - 2
        for bit in range(1, first):
            digit[bit] = 1
    for bit in range(columns):
        above = digit[bit + 1] if bit + 1 < columns else np.uint8(0)
        entry[(bit + direction + 1) % columns] ^= digit[bit] ^ above
    return (direction + turn + 1) % columns


@kernel
def hilbert_keys(coordinate, order):
    """Return [word, row], the highest word first: places on the curve through coordinates below 2 ** order.

    coordinate[column, row]; the curve is that of Hamilton 2006, the first column being the lowest bit.
    """
    columns, rows = coordinate.shape
    words = (columns * order + WORD_BITS - 1) // WORD_BITS
    key = np.zeros((words, rows), dtype=np.int64)
    entry = np.empty(columns, dtype=np.uint8)
    place = np.empty(columns, dtype=np.uint8)
    digit = np.empty(columns, dtype=np.uint8)
    for row in range(rows):
        entry[:] = 0
        direction, at = 0, 0
        for level in range(order - 1, -1, -1):
            for column in range(columns):
                place[column] = (coordinate[column, row] >> level) & 1
            find_octant(place, entry, direction, columns, digit)
            for bit in range(columns - 1, -1, -1):
                word = at // WORD_BITS
                key[word, row] = (key[word, row] << 1) | digit[bit]
                at += 1
            direction = enter(digit, entry, direction, columns)
    return key
