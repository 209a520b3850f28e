"""What models ask of one secret beside a largest share, as rules: rows of whole numbers (see kernels/promise.py)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from kanon_cli.models.base import Ratio, SecretModel
from kanon_cli.tables.taxonomy import Taxonomy

IntArray = npt.NDArray[np.int64]

LONGEST_CAP = 1 << 31
ROOM = 55  # bits that what a group lacks of one rule may take, so that sums of several stay below 63
FINEST = 30  # bits of a fraction


@dataclass(frozen=True)
class Coded:
    """A secret as the engine sees it: codes from 0 on, the last being missing."""

    code_of: IntArray  # [row]
    values: int
    tree: Taxonomy | None = None
    is_ordered: bool = False

    @property
    def rows_of(self) -> IntArray:
        """[code] rows of the table with this value."""
        return np.bincount(self.code_of, minlength=self.values + 1)[:-1].astype(np.int64)

    @property
    def missing(self) -> int:
        """Rows without a value."""
        return int((self.code_of == self.values).sum())


def rules_of(coded: Coded, model: SecretModel) -> Iterator[IntArray]:
    """What a model asks beside a largest share and a largest distance."""
    from kanon_cli.kernels import promise

    rows = len(coded.code_of)
    if model.least_values > 1:
        yield make_rule(promise.KINDS, [model.least_values, 0])
    if model.least_entropy > 1:
        counts = np.arange(rows + 1, dtype=np.float64)
        logs = counts * np.log(np.maximum(counts, 1.0))
        unit = 2.0 ** min(40, ROOM - 2 - max(int(logs[-1]).bit_length(), 1))
        needed = math.floor(math.log(model.least_entropy) * unit) + 2
        yield make_rule(
            promise.ENTROPY, [needed, math.ceil(model.least_entropy)], np.floor(logs * unit).astype(np.int64)
        )
    if model.tail is not None:
        c, place = model.tail
        bits = min(FINEST, max(ROOM - 2 * (rows + 1).bit_length(), 0))
        c = min(c, Fraction(rows + 1))
        if c.denominator > 1 << bits:
            c = Fraction(math.floor(c * (1 << bits)), 1 << bits)
        yield make_rule(promise.TAIL, [c.numerator, c.denominator, place])
    if model.ratio != Ratio():
        yield _band_rule(coded, model.ratio)


def line_rule(coded: Coded, limit: Fraction, steps: Fraction) -> IntArray:
    """At most so far from the table, where the whole line is so many steps long."""
    from kanon_cli.kernels import promise

    rows = len(coded.code_of)
    middle = (coded.values - 1) // 2
    scale = _scale(limit * rows * steps, rows * rows * coded.values)
    numbers = [rows, coded.missing, math.floor(limit * rows * steps * scale)]
    return make_rule(promise.LINE, [*numbers, scale, scale * (coded.values - 1 - middle), middle], coded.rows_of)


def tree_rule(coded: Coded, limit: Fraction) -> IntArray:
    """At most so far from the table by the heights of nodes; names without a tree are leaves under one root."""
    from kanon_cli.kernels import promise

    rows = len(coded.code_of)
    tree = coded.tree if coded.tree is not None and coded.tree.size > 1 else None
    height = int(tree.height[0]) if tree is not None else 1
    scale = _scale(limit * rows * 2 * height, rows * rows * 2 * height)
    if tree is None:
        codes = np.arange(coded.values)
        nodes = np.stack([codes, codes, np.full(coded.values, scale)], axis=1)
    else:
        rise = (tree.height[tree.parent[1:]] - tree.height[1:]) * scale
        nodes = np.stack([tree.first[1:], tree.last[1:], rise], axis=1)
    numbers = [rows, coded.missing, math.floor(limit * rows * 2 * height * scale), scale * height, len(nodes)]
    return make_rule(promise.TREE, numbers, coded.rows_of, nodes.ravel())


def _scale(limit: Fraction, most: int) -> int:
    """A factor that makes a limit a whole number, if the most that is compared with it leaves room for that."""
    return max(min(limit.denominator, (1 << ROOM) // max(most, 1)), 1)


def _band_rule(coded: Coded, ratio: Ratio) -> IntArray:
    """Shares between two curves over the share in the table; rounded inwards."""
    from kanon_cli.kernels import promise

    rows = len(coded.code_of)
    parts = (1 + ratio.gain).denominator if ratio.gain is not None else 1  # with them no share has to be rounded
    parts = parts if (rows * rows * parts).bit_length() <= ROOM else 1
    unit = (rows * parts) << max(min(FINEST, ROOM - (rows * rows * parts).bit_length()), 0)
    share = np.arange(rows + 1) / rows
    most = least = np.empty(0, dtype=np.int64)
    if ratio.gain is not None:
        a, b = whole_cap(1 + min(ratio.gain, Fraction(rows)))
        most = np.array([min(count * (unit // rows) * b // a, unit) for count in range(rows + 1)], dtype=np.int64)
        if ratio.by_log:
            enough = (1 - np.log(np.maximum(share, 1 / (2 * rows)))) * share * (1 - 1e-12)
            most = np.minimum(most, np.where(share == 1, unit, np.floor(np.minimum(enough, 1) * unit)).astype(np.int64))
    if ratio.log is not None:
        factor = math.exp(min(ratio.log, 700.0)) * (1 - 1e-12)
        most = np.floor(np.minimum(share * factor, 1) * unit).astype(np.int64)
        least = np.ceil(share / factor * unit).astype(np.int64)
    start = 8 + coded.values
    places = [start if len(most) else 0, start + len(most) if len(least) else 0]
    return make_rule(promise.BAND, [rows, coded.missing, unit, int(ratio.absent), *places], coded.rows_of, most, least)


def make_rule(kind: int, numbers: Sequence[int], *tables: IntArray) -> IntArray:
    """A rule with its kind and its length before it."""
    length = 2 + len(numbers) + sum(map(len, tables))
    return np.concatenate([np.array([kind, length, *numbers], dtype=np.int64), *tables])


def whole_cap(share: Fraction) -> tuple[int, int]:
    """Whole numbers a and b such that rows * a <= size * b keeps the share, and no product leaves 64 bits.

    A share that takes longer numbers is rounded down a little: the groups keep more than was asked for.
    """
    if share.denominator <= LONGEST_CAP:
        return share.denominator, share.numerator
    return LONGEST_CAP, math.floor(share * LONGEST_CAP)
