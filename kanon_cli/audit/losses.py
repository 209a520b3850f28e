"""What the cells of a release cover of the original: the ground on which losses are measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from kanon_cli.audit.covers import Cover, Everything, Listed, Missing, Node, Prefix, Span
from kanon_cli.audit.gather import row_count
from kanon_cli.audit.midpoints import covers_of, gather_classes
from kanon_cli.audit.notation import EXACT
from kanon_cli.audit.reading import Kinds, Numeric, Reading, Table, classes_of, read
from kanon_cli.audit.truth import witness_fault
from kanon_cli.audit.values import Ranks, Values
from kanon_cli.measures.base import Footprint
from kanon_cli.tables.kinds import Kind

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

_QUOTIENT = Context(prec=34, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])  # twice the digits of a float


@dataclass(frozen=True)
class Trace:
    """A quasi-identifier of a release, row by row, and of its original."""

    footprint: Footprint
    reach: list[Ranks]  # [cell] the ranks that it covers
    cell_of: IntArray  # [row] first those of the release, then those that were left out, whose cell is the last
    weight: float
    values: Values
    levels_of: IntArray  # [rank] from a value up to the root
    rank_of: IntArray  # [original row]
    witness: IntArray | None  # [row] the original row, where that is known

    @property
    def rows(self) -> IntArray:
        """[cell] how many rows have it."""
        return np.bincount(self.cell_of, minlength=len(self.reach)).astype(np.int64)


def footprints(
    released: Table, original: Table, kinds: Kinds, numeric: Numeric, witness: IntArray | None = None
) -> dict[str, Trace | None]:
    """Find the footprint of every different cell, by quasi-identifier.

    `witness[row]` is the original row of a released row. Original rows that the release lacks count as suppressed cells
    in every column. Midpoints do not carry their intervals, so without a sound witness a column of midpoints has no
    footprint: None. A cell that is not understood costs as much as `*`.
    """
    released_rows, original_rows = row_count(released), row_count(original)
    if witness is not None and witness_fault(witness, released_rows, original_rows):
        witness = None
    left_out = max(original_rows - released_rows, 0)
    result: dict[str, Trace | None] = {}
    for name, reading in read(released, original, kinds, numeric).items():
        rank_of = reading.values.rank_of[original[name].code_of]
        if not reading.midpoint:
            result[name] = _trace(reading.covers, reading.cell_of, reading, rank_of, witness, left_out)
        elif witness is None:
            result[name] = None
        else:
            class_of = classes_of(released, kinds, numeric)
            covers = covers_of(reading, gather_classes(reading, class_of, rank_of[witness]))
            result[name] = _trace(covers, class_of, reading, rank_of, witness, left_out)
    return result


def left_out_rows(witness: IntArray, original_rows: int) -> IntArray:
    """The original rows that no released row comes from."""
    return np.setdiff1d(np.arange(original_rows), witness).astype(np.int64)


def _trace(
    covers: Sequence[Cover | None],
    cell_of: IntArray,
    reading: Reading,
    rank_of: IntArray,
    witness: IntArray | None,
    left_out: int,
) -> Trace:
    values, kind = reading.values, reading.kind
    known = [Everything() if cover is None else cover for cover in (*covers, *([None] if left_out else []))]
    if left_out:
        cell_of = np.append(cell_of, np.full(left_out, len(covers), dtype=np.int64))
        witness = None if witness is None else np.append(witness, left_out_rows(witness, len(rank_of)))
    reach = [values.reach(cover) for cover in known]
    domain = _domain(values, kind)
    cells = list(zip(known, reach, strict=True))
    mass, mass_log = _masses(reach, values.rows)
    depths = [domain.depths(*cell) for cell in cells]
    width = np.array([domain.width(*cell) for cell in cells], dtype=np.float64) if kind.metric else None
    footprint = Footprint(
        leaves=np.array([domain.leaves(*cell) for cell in cells], dtype=np.int64),
        height=np.array([domain.height(*cell) for cell in cells], dtype=np.int64),
        depth=np.array([depth for depth, _ in depths], dtype=np.int64),
        nearest=np.array([nearest for _, nearest in depths], dtype=np.int64),
        width=width,
        mass=mass,
        mass_log=mass_log,
        all_leaves=domain.all_leaves,
        all_height=domain.all_height,
        all_rows=int(values.rows.sum()),
    )
    return Trace(footprint, reach, cell_of, kind.weight, values, domain.levels_of, rank_of, witness)


@dataclass(frozen=True)
class _Domain:
    """All that a column can hold. Missing, where it occurs, is one more value, right under the root."""

    values: Values
    kind: Kind
    all_leaves: int
    all_height: int

    def leaves(self, cover: Cover, ranks: Ranks) -> int:
        """How many values of the domain a cell covers: of a taxonomy all that it lists, else those that occur."""
        match cover:
            case Everything():
                return self.all_leaves
            case Node(first, last):
                return last - first + 1
            case Listed(texts):
                return len(texts)
        return max(1, len(ranks))

    def height(self, cover: Cover, ranks: Ranks) -> int:
        """How far a cell was taken up."""
        match cover:
            case Everything():
                return self.all_height
            case Node(height=height):
                return height
            case Prefix(text, length) if self.kind.mask is not None:
                return length - len(text)
        if self.kind.metric:
            return 0 if isinstance(cover, Missing) or (isinstance(cover, Span) and cover.exact) else 1
        return self.leaves(cover, ranks) - 1  # a set; 0 for a single value

    @cached_property
    def levels_of(self) -> IntArray:
        """[rank] how many levels a value lies below the root; missing, the last one, lies right under it."""
        taxonomy = self.kind.taxonomy
        if taxonomy is None:
            levels = np.full(self.values.size, self.all_height, dtype=np.int64)
        else:
            levels = taxonomy.depth[taxonomy.leaf[np.array(self.values.keys, dtype=np.int64)]]
        levels = np.append(levels, 1).astype(np.int64)
        return np.maximum(levels, np.int64(1)).astype(np.int64)

    @cached_property
    def _node_depths(self) -> dict[tuple[int, int, int], tuple[int, int]]:
        """Of each node of the taxonomy its depth and that of the nearest leaf below."""
        taxonomy = self.kind.taxonomy
        if taxonomy is None:
            return {}
        nearest = taxonomy.nearest.tolist()
        sides = (taxonomy.first.tolist(), taxonomy.last.tolist(), taxonomy.height.tolist())
        return dict(zip(zip(*sides, strict=True), zip(taxonomy.depth.tolist(), nearest, strict=True), strict=True))

    def depths(self, cover: Cover, ranks: Ranks) -> tuple[int, int]:
        """How many levels below the root a cell is, and the nearest leaf below it."""
        if isinstance(cover, Missing):
            return 1, 1
        if isinstance(cover, Node):
            depth, nearest = self._node_depths[cover.first, cover.last, cover.height]
            return (depth, nearest) if nearest else (1, 1)  # a taxonomy that is a single leaf
        if isinstance(cover, Everything):
            return 0, int(self.levels_of.min())
        deepest = max(self.all_height, 1)
        return deepest - self.height(cover, ranks), deepest

    def width(self, cover: Cover, ranks: Ranks) -> float:
        """Find the share of the range; what lies outside of the original's range does not count."""
        if isinstance(cover, Everything):
            return 1.0 if self.all_leaves > 1 else 0.0
        keys = self.values.keys
        if isinstance(cover, Missing) or len(keys) < 2:
            return 0.0
        if isinstance(cover, Span):
            return _share(_clip(cover.low, keys), _clip(cover.high, keys), keys)
        return _share(keys[ranks[0]], keys[ranks[-1]], keys) if len(ranks) else 0.0


def _domain(values: Values, kind: Kind) -> _Domain:
    missing = int(values.rows[-1] > 0)
    all_leaves = (kind.taxonomy.size if kind.taxonomy is not None else values.size) + missing
    all_height = 1
    if kind.taxonomy is not None:
        all_height = int(kind.taxonomy.height[0])
    elif kind.mask is not None:
        all_height = kind.mask
    elif kind.as_set:
        all_height = all_leaves - 1
    return _Domain(values, kind, all_leaves, all_height)


def _clip(value: Any, keys: list[Any]) -> Any:
    return min(max(value, keys[0]), keys[-1])


def _share(low: Decimal | int, high: Decimal | int, keys: list[Any]) -> float:
    """(high - low) / (max - min), rounded once."""
    if isinstance(low, int) or isinstance(high, int):
        return float((high - low) / (keys[-1] - keys[0]))
    return float(_QUOTIENT.divide(EXACT.subtract(high, low), EXACT.subtract(keys[-1], keys[0])))


def _masses(reach: list[Ranks], rows: IntArray) -> tuple[FloatArray, FloatArray]:
    """[cell] the rows whose value is covered, and the sum of f * log2(f) over the covered values."""
    frequency = rows.astype(np.float64)
    logs = frequency * np.log2(np.maximum(frequency, 1.0))
    first = np.array([ranks[0] if len(ranks) else 0 for ranks in reach], dtype=np.int64)
    last = np.array([ranks[-1] if len(ranks) else -1 for ranks in reach], dtype=np.int64)
    sums = []
    for terms in (frequency, logs):
        below = np.concatenate(([0.0], np.cumsum(terms)))
        total = np.where(first == last, terms[first], below[last + 1] - below[first])
        for cell, ranks in enumerate(reach):
            if not isinstance(ranks, range):
                total[cell] = terms[ranks].sum()
        sums.append(total)
    return sums[0], sums[1]
