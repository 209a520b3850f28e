"""Whether every released cell covers its original value, nothing perturbed and nothing made up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from kanon_cli.audit.gather import group, pick, row_count
from kanon_cli.audit.midpoints import faithful, gather_classes, possible
from kanon_cli.audit.pairing import Boxes, Points, most_paired
from kanon_cli.audit.reading import Kinds, Numeric, Reading, Table, classes_of, read
from kanon_cli.tables.columns import TextColumn

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
How = Literal["rows", "witness", "sets"]

NOWHERE = -2  # the code of a released text that the original doesn't have


@dataclass(frozen=True)
class Truth:
    """What was found when a release was held against its original. The texts hold column names and counts only."""

    rows: int  # of the release
    matched: int  # released rows that are true of an original row of their own
    holds: bool
    how: How  # row by row, by the witness, or by any pairing of the rows
    findings: tuple[str, ...]
    not_understood: dict[str, int]  # rows by column, where there are any
    unchecked: tuple[str, ...] = ()  # columns that cannot be checked this way


@dataclass(frozen=True)
class _Pair:
    """A release and its original, read and ready to be compared."""

    released: Table
    readings: dict[str, Reading]
    original_rank: dict[str, IntArray]  # [original row], by quasi-identifier
    released_code: dict[str, IntArray]  # [row], by plain column, in the original's codes
    original_code: dict[str, IntArray]  # [original row], by plain column
    class_of: IntArray

    @property
    def rows(self) -> int:
        return row_count(self.released)

    @property
    def not_understood(self) -> dict[str, int]:
        return {name: reading.not_understood for name, reading in self.readings.items() if reading.not_understood}


def check_rows(
    released: Table,
    original: Table,
    kinds: Kinds,
    plain_columns: Sequence[str],
    witness: IntArray,
    numeric: Numeric,
) -> Truth:
    """Hold each released row against the original row that the witness names; it may name none twice."""
    pair = _pair(released, original, kinds, plain_columns, numeric)
    if fault := witness_fault(witness, pair.rows, row_count(original)):
        return Truth(pair.rows, 0, False, "witness", (fault,), pair.not_understood)
    return _compare(pair, witness, "witness")


def check_sets(released: Table, original: Table, kinds: Kinds, plain_columns: Sequence[str], numeric: Numeric) -> Truth:
    """Can each released row have an original row of its own that it is true of? Original rows may be left over.

    Rows in the same order are tried first. Otherwise a midpoint can't be checked, since it doesn't say what it covers.
    """
    pair = _pair(released, original, kinds, plain_columns, numeric)
    originals = row_count(original)
    if pair.rows == originals:
        truth = _compare(pair, np.arange(originals), "rows")
        if truth.holds:
            return truth
    matched = _match(pair, originals)
    findings = []
    if pair.rows > originals:
        findings.append(f"the release has {pair.rows} rows, the original only {originals}")
    if matched is None:
        findings.append("too many rows look alike to be paired; this needs the release in the order of the original")
    elif matched < pair.rows:
        findings.append(f"{pair.rows - matched} of {pair.rows} rows find no original row of their own that they cover")
    unchecked = {name: reading for name, reading in pair.readings.items() if reading.midpoint}
    for name, reading in unchecked.items():
        wrong = int((~possible(reading))[reading.cell_of].sum())
        if wrong:
            findings.append(f"{name}: {wrong} of {pair.rows} cells are no midpoints within the original's range")
    names = tuple(unchecked)
    return Truth(pair.rows, matched or 0, not findings, "sets", tuple(findings), pair.not_understood, names)


def _pair(released: Table, original: Table, kinds: Kinds, plain: Sequence[str], numeric: Numeric) -> _Pair:
    readings = read(released, original, kinds, numeric)
    pick(released, plain)
    pick(original, plain)
    return _Pair(
        released,
        readings,
        {name: reading.values.rank_of[original[name].code_of] for name, reading in readings.items()},
        {name: _in_codes_of(original[name], released[name]) for name in plain},
        {name: original[name].code_of.astype(np.int64) for name in plain},
        classes_of(released, kinds, numeric),
    )


def _in_codes_of(original: TextColumn, released: TextColumn) -> IntArray:
    """[row] the code that the original has for the released text; missing is -1 in both."""
    places = pc.index_in(released.text.cast(pa.string()), value_set=original.text.cast(pa.string()))
    code_of_code = np.append(places.fill_null(NOWHERE).to_numpy(zero_copy_only=False), -1).astype(np.int64)
    result: IntArray = code_of_code[released.code_of]
    return result


def witness_fault(witness: IntArray, rows: int, originals: int) -> str | None:
    """Say what keeps a witness from naming an original row for each row, none twice; None if nothing does."""
    if len(witness) != rows or rows > originals:
        return f"the release has {rows} rows, the witness {len(witness)}, the original {originals}"
    outside = int(((witness < 0) | (witness >= originals)).sum())
    if outside:
        return f"the witness names {outside} rows that the original doesn't have"
    twice = rows - np.count_nonzero(np.bincount(witness))
    return f"the witness names {twice} original rows more than once" if twice else None


def _compare(pair: _Pair, witness: IntArray, how: How) -> Truth:
    findings = []
    true = np.ones(pair.rows, dtype=np.bool_)
    for name, holds in _columns(pair, witness):
        wrong = pair.rows - int(holds.sum())
        if wrong:
            what = (
                "cells do not cover their original value" if name in pair.readings else "values are not the original's"
            )
            findings.append(f"{name}: {wrong} of {pair.rows} {what}")
        true &= holds
    matched = int(true.sum())
    return Truth(pair.rows, matched, matched == pair.rows, how, tuple(findings), pair.not_understood)


def _columns(pair: _Pair, witness: IntArray) -> Iterable[tuple[str, BoolArray]]:
    """Each column with [row] whether its cell is true of the row's original."""
    for name, reading in pair.readings.items():
        rank_of = pair.original_rank[name][witness]
        if reading.midpoint:
            yield name, faithful(reading, gather_classes(reading, pair.class_of, rank_of))[pair.class_of]
        else:
            yield name, reading.holds(rank_of)
    for name, codes in pair.released_code.items():
        yield name, codes == pair.original_code[name][witness]


def _match(pair: _Pair, originals: int) -> int | None:
    """How many released rows can be paired: rows that are alike are one node of the graph."""
    block = _blocks(pair, originals)
    checked = {name: reading for name, reading in pair.readings.items() if not reading.midpoint}
    ranks = [pair.original_rank[name] for name in checked]
    point, point_count = _distinct([*ranks, block[pair.rows :]])
    points = Points(
        _stack([rank[point] for rank in ranks], len(point)),
        block[pair.rows :][point],
        point_count,
    )
    box, box_count = _distinct([*(reading.cell_of for reading in checked.values()), block[: pair.rows]])
    cells = [(reading, reading.cell_of[box]) for reading in checked.values()]
    boxes = Boxes(
        _stack([reading.first[cell] for reading, cell in cells], len(box)),
        _stack([reading.last[cell] for reading, cell in cells], len(box)),
        [{}, *(_listed(reading, cell) for reading, cell in cells)],
        block[: pair.rows][box],
        box_count,
    )
    return most_paired(boxes, points)


def _blocks(pair: _Pair, originals: int) -> IntArray:
    """[released rows, then original rows] the number of their plain values: only equal ones can be paired."""
    both = zip(pair.released_code.values(), pair.original_code.values(), strict=True)
    return group([np.concatenate(codes) - NOWHERE for codes in both], pair.rows + originals)


def _distinct(columns: Sequence[IntArray]) -> tuple[IntArray, IntArray]:
    """Find a row of each kind, and how many rows are alike."""
    _, rows, counts = np.unique(group(columns, len(columns[-1])), return_index=True, return_counts=True)
    return rows.astype(np.int64), counts.astype(np.int64)


def _stack(columns: Sequence[IntArray], width: int) -> IntArray:
    """Lay columns side by side, after one of zeros that fits everywhere, so that there always is one."""
    return np.stack([np.zeros(width, dtype=np.int64), *columns])


def _listed(reading: Reading, cell: IntArray) -> dict[int, IntArray]:
    return {
        box: np.asarray(reading.reach[cell[box]], dtype=np.int64)
        for box in np.flatnonzero(reading.scattered[cell]).tolist()
    }
