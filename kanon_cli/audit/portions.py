"""What measures look at: a release, or only some of its rows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from kanon_cli.audit.losses import Trace, left_out_rows
from kanon_cli.measures.base import Column, Own, Release, Ties
from kanon_cli.models.evidence import Evidence
from kanon_cli.tables.columns import TextColumn

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

ROOM = 4  # pairs are counted in an array where it has up to so many places a row


@dataclass(frozen=True)
class Private:
    """The sensitive column that counts, released and original; a missing value is one more value."""

    code_of: IntArray  # [row] first those of the release, then those that were left out
    original_code_of: IntArray  # [original row]
    rows_of: IntArray  # [code] rows of the original

    @property
    def values(self) -> int:
        """How many different values there are."""
        return len(self.rows_of)


def private_of(released: TextColumn, original: TextColumn, witness: IntArray | None) -> Private:
    """Number the values of both columns alike. Without a witness, rows that were left out are in no order."""
    texts = original.text.to_pylist()
    code = {text: at for at, text in enumerate(texts)}
    for text in released.text.to_pylist():  # a value that the original doesn't have is one more
        code.setdefault(text, len(code))
    new_code = np.array([*(code[text] for text in released.text.to_pylist()), len(code)], dtype=np.int64)
    originals = np.where(original.code_of < 0, len(code), original.code_of).astype(np.int64)
    rows_of = np.bincount(originals, minlength=len(code) + 1).astype(np.int64)
    codes = new_code[released.code_of]
    if witness is not None:
        left_out = originals[left_out_rows(witness, len(originals))]
    else:
        lacking = np.maximum(rows_of - np.bincount(codes, minlength=len(rows_of)), 0)
        left_out = np.repeat(np.arange(len(rows_of)), lacking)[: max(len(originals) - len(codes), 0)]
    return Private(np.append(codes, left_out), originals, rows_of)


@dataclass(frozen=True)
class View:
    """A release beside its original."""

    traces: Mapping[str, Trace | None]
    evidence: Evidence
    k: int
    suppressed_rows: int
    private: Private | None
    divergence: float | None
    masses: dict[str, tuple[IntArray, FloatArray]] = field(default_factory=dict)  # by column, once they were needed

    @cached_property
    def whole(self) -> Release:
        """The whole release, with the rows that it leaves out after its own."""
        return self.part(np.arange(self.evidence.rows + self.suppressed_rows))

    def part(self, rows: IntArray) -> Release:
        """Only these rows, numbered as in `whole`: those of the release come first, then those that were left out."""
        inside = rows[rows < self.evidence.rows]
        classes, class_of = np.unique(self.evidence.class_of[inside], return_inverse=True)
        is_all = len(rows) == self.evidence.rows + self.suppressed_rows
        columns = {
            name: self._column(name, trace, rows, len(classes), class_of)
            for name, trace in self.traces.items()
            if trace is not None
        }
        sizes = np.bincount(class_of).astype(np.int64)
        private = self.private
        return Release(
            columns,
            sizes,
            self.suppressed_rows if is_all else 0,
            self.k,
            len(columns) == len(self.traces),
            None if private is None else _majority(class_of, private.code_of[inside]),
            None if private is None else _log_shares(private.code_of[rows], private),
            self.divergence if is_all else None,
        )

    def _column(self, name: str, trace: Trace, rows: IntArray, classes: int, class_of: IntArray) -> Column:
        cell_of = trace.cell_of[rows]
        of_class = np.empty(classes, dtype=np.int64)
        of_class[class_of] = cell_of[rows < self.evidence.rows]
        count = np.bincount(cell_of, minlength=len(trace.reach)).astype(np.int64)
        ties = None
        if self.private is not None:
            ties = self._ties(name, trace, rows, self.private)
        return Column(trace.footprint, count, trace.weight, of_class, _own(trace, rows, count), ties)

    def _ties(self, name: str, trace: Trace, rows: IntArray, private: Private) -> Ties:
        if name not in self.masses:
            self.masses[name] = _tie_masses(trace, private)
        keys, masses = self.masses[name]
        pairs, counts = _count(trace.cell_of[rows] * private.values + private.code_of[rows])
        sources = _sources(trace, rows)
        own_log = None if sources is None else _own_log(trace, sources, private)
        return Ties(pairs // private.values, counts, masses[np.searchsorted(keys, pairs)], own_log)


def _sources(trace: Trace, rows: IntArray) -> IntArray | None:
    """Find the original rows of these rows, in any order; None if nobody knows them."""
    if trace.witness is not None:
        return trace.witness[rows]
    return rows if len(rows) == len(trace.cell_of) == len(trace.rank_of) else None


def _own(trace: Trace, rows: IntArray, count: IntArray) -> Own:
    """Sum up what the original values are."""
    sources = _sources(trace, rows)
    if sources is None:
        return Own(None, _even_levels(trace, count))
    rank_of = trace.rank_of[sources]
    frequency = np.log2(np.maximum(trace.values.rows, 1).astype(np.float64))
    log_rows = math.fsum((frequency * np.bincount(rank_of, minlength=len(frequency))).tolist())
    if trace.witness is None:
        return Own(log_rows, _even_levels(trace, count))
    per_level = np.bincount(trace.cell_of[rows], 1 / trace.levels_of[rank_of], len(count))
    return Own(log_rows, per_level.astype(np.float64))


def _even_levels(trace: Trace, count: IntArray) -> FloatArray | None:
    """[cell] the sum of its rows' shares of a level, where all values that a cell covers lie equally deep."""
    per_level = np.zeros(len(count))
    if trace.footprint.width is not None:
        return per_level  # nobody climbs in a domain with distances
    for cell in np.flatnonzero((count > 0) & (trace.footprint.depth > 0)).tolist():
        levels = trace.levels_of[np.asarray(trace.reach[cell], dtype=np.int64)]
        if len(levels) == 0 or levels.min() != levels.max():
            return None
        per_level[cell] = count[cell] / levels[0]
    return per_level


def _count(keys: IntArray) -> tuple[IntArray, IntArray]:
    """The different keys, ascending, and how often each occurs."""
    if len(keys) and int(keys.max()) <= ROOM * len(keys):
        counts = np.bincount(keys)
        found = np.flatnonzero(counts)
        return found.astype(np.int64), counts[found].astype(np.int64)
    found, counts = np.unique(keys, return_counts=True)
    return found.astype(np.int64), counts.astype(np.int64)


def _tie_masses(trace: Trace, private: Private) -> tuple[IntArray, FloatArray]:
    """Find for each cell and each sensitive value beside it how many original rows have both: keys and rows."""
    width = len(trace.values.rows)
    ranked, counts = _count(private.original_code_of * width + trace.rank_of)
    before = np.concatenate(([0], np.cumsum(counts)))
    pairs, _ = _count(trace.cell_of * private.values + private.code_of)
    cell, code = pairs // private.values, pairs % private.values
    first = np.array([ranks[0] if len(ranks) else 0 for ranks in trace.reach], dtype=np.int64)[cell]
    last = np.array([ranks[-1] if len(ranks) else -1 for ranks in trace.reach], dtype=np.int64)[cell]
    ends = np.searchsorted(ranked, code * width + last, side="right")
    masses = (before[ends] - before[np.searchsorted(ranked, code * width + first, side="left")]).astype(np.float64)
    scattered = np.array([not isinstance(ranks, range) for ranks in trace.reach], dtype=np.bool_)
    for at in np.flatnonzero(scattered[cell]).tolist():
        wanted = code[at] * width + np.asarray(trace.reach[cell[at]], dtype=np.int64)
        masses[at] = counts[np.isin(ranked, wanted)].sum()
    return pairs, np.maximum(masses, 0.0)


def _own_log(trace: Trace, sources: IntArray, private: Private) -> float:
    """Sum up over original rows the logarithm of the share that the row's secret has among the rows with its value."""
    width = len(trace.values.rows)
    key_of = private.original_code_of * width + trace.rank_of
    ranked, counts = _count(key_of)
    found, rows = _count(key_of[sources])
    both = counts[np.searchsorted(ranked, found)].astype(np.float64)
    bits = np.log2(both) - np.log2(trace.values.rows[found % width].astype(np.float64))
    return math.fsum((bits * rows).tolist())


def _majority(class_of: IntArray, code_of: IntArray) -> IntArray:
    """[class] how many rows have its most frequent sensitive value."""
    width = int(code_of.max(initial=0)) + 1
    pairs, counts = _count(class_of * width + code_of)
    majority = np.zeros(int(class_of.max(initial=-1)) + 1, dtype=np.int64)
    np.maximum.at(majority, pairs // width, counts)
    return majority


def _log_shares(code_of: IntArray, private: Private) -> float:
    """Sum up over rows the logarithm of the share that the row's secret has in the original."""
    rows = np.bincount(code_of, minlength=private.values)
    bits = np.log2(np.maximum(private.rows_of, 1)) - math.log2(int(private.rows_of.sum()))
    return math.fsum((bits * rows).tolist())
