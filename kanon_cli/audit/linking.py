"""Which released rows could be whose: the two attacks of somebody who knows the original's quasi-identifiers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from kanon_cli.audit.gather import first_rows, group, row_count
from kanon_cli.audit.losses import left_out_rows
from kanon_cli.audit.pairing import flow_between
from kanon_cli.audit.reading import Kinds, Numeric, Reading, Table, read
from kanon_cli.audit.truth import witness_fault
from kanon_cli.models.links import Links

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

MOST_CELLS = 2048  # different cells of a column whose rows are marked exactly; of more, blocks of ranks are
BLOCKS = 60  # so many blocks of ranks have fewer than MOST_CELLS intervals
CHUNK_BYTES = 1 << 20  # of marks that are joined at a time
MOST_LINKS = 30_000_000  # beyond it an attack that nobody asked for would take gigabytes
MOST_FLOW = 10_000_000  # links in which an assignment is searched for


def find_links(
    released: Table,
    original: Table,
    kinds: Kinds,
    numeric: Numeric,
    witness: IntArray | None = None,
    most: int | None = MOST_LINKS,
    unit_of: IntArray | None = None,
) -> Links | None:
    """Find the released rows that cover each original row, and which of these it may have been in truth.

    `witness` is the original row of each released row, where the maker says so; the others were left out then, and
    `unit_of` says whose each released row is. None if cells do not tell what they cover, if there are more than `most`
    links between different rows, or if there are too many for an assignment to be searched in them.
    """
    rows = row_count(released)
    if witness is not None and witness_fault(witness, rows, row_count(original)):
        witness = None
    every = None  # the originals of the released rows come first, those that were left out follow
    if witness is not None:
        every = np.append(witness, left_out_rows(witness, row_count(original)))
    sides = _sides(released, original, kinds, numeric, every)
    if sides is None:
        return None
    search, point_of, box_of = sides
    found = search.all_links(most)
    if found is None:
        return None
    box, point = found
    if witness is None and rows == len(point_of) and _are_links(search, box_of, point_of):
        witness = np.arange(rows)  # released in the order of the original
    if witness is None and len(box) > MOST_FLOW:
        return None
    seekers = np.bincount(point_of).astype(np.int64)
    box_rows = np.bincount(box_of).astype(np.int64)
    known = None if witness is None else point_of[:rows]
    there = seekers if known is None else np.bincount(known, minlength=len(seekers)).astype(np.int64)
    pairs = _assign(box, point, box_rows, seekers) if known is None else (box_of, known)
    is_match = np.zeros(len(box), dtype=np.bool_) if pairs is None else _matches(box, point, pairs, box_rows, there)
    shape = (len(seekers), len(box_rows))
    matches = _graph(point[is_match], box[is_match], shape)
    return Links(_graph(point, box, shape), matches, box_of, seekers, known, unit_of)


def origins(released: Table, original: Table, kinds: Kinds, numeric: Numeric) -> IntArray | None:
    """[row] the original row that it comes from, rows of one class being exchanged; None if that is not certain.

    It is if no two assignments of all original rows to released rows that cover them differ in the class of a row.
    """
    sides = _sides(released, original, kinds, numeric)
    links = find_links(released, original, kinds, numeric)
    if sides is None or links is None or len(sides[1]) != len(links.box_of):
        return None
    matched = links.matches
    if (np.diff(matched.indptr) != 1).any():
        return None
    found = np.empty(len(links.box_of), dtype=np.int64)
    found[np.argsort(links.box_of, kind="stable")] = np.argsort(matched.indices[sides[1]], kind="stable")
    return found


def _sides(
    released: Table, original: Table, kinds: Kinds, numeric: Numeric, order: IntArray | None = None
) -> tuple[_Search, IntArray, IntArray] | None:
    """A search between both tables, the point of each original row in this order, and the box of each released row.

    None if cells do not tell what they cover.
    """
    readings = list(read(released, original, kinds, numeric).values())
    if any(reading.midpoint or reading.not_understood for reading in readings):
        return None
    ranks = [reading.values.rank_of[original[name].code_of] for name, reading in zip(kinds, readings, strict=True)]
    if order is not None:
        ranks = [rank[order] for rank in ranks]
    point_of = group(ranks, len(ranks[0]))
    box_of = group([reading.cell_of for reading in readings], row_count(released))
    return _Search(readings, ranks, first_rows(point_of), first_rows(box_of)), point_of, box_of


def _graph(point: IntArray, box: IntArray, shape: tuple[int, int]) -> Any:
    from scipy.sparse import csr_array

    return csr_array((np.ones(len(point), dtype=np.int64), (point, box)), shape=shape)


@dataclass(frozen=True)
class _Search:
    """Finds the points in boxes: the points of a cell are marked by bits, and a box has what all its cells have."""

    readings: Sequence[Reading]
    ranks: Sequence[IntArray]  # [column][row of the original]
    points: IntArray  # [point] a row of the original
    boxes: IntArray  # [box] a row of the release

    def all_links(self, most: int | None) -> tuple[IntArray, IntArray] | None:
        """Find every box and point of which the one covers the other; None if there are more than `most`."""
        boxes, points, count = [], [], 0
        for box, point in self._chunks():
            boxes.append(box)
            points.append(point)
            count += len(box)
            if most is not None and count > most:
                return None
        return np.concatenate(boxes), np.concatenate(points)

    def _chunks(self) -> Iterator[tuple[IntArray, IntArray]]:
        marks = [self._marks(column) for column in range(len(self.readings))]
        width = marks[0][0].shape[1]
        step = max(1, CHUNK_BYTES // (8 * width))
        for start in range(0, len(self.boxes), step):
            chunk = np.arange(start, min(start + step, len(self.boxes)))
            inside = marks[0][0][marks[0][1][chunk]]
            for bits, mark_of, _ in marks[1:]:
                inside &= bits[mark_of[chunk]]
            at, word = np.nonzero(inside)
            bit = np.unpackbits(inside[at, word].view(np.uint8).reshape(-1, 8), axis=1, bitorder="little")
            place, offset = np.nonzero(bit)
            box, point = chunk[at[place]], word[place] * 64 + offset
            for column, (_, _, is_exact) in enumerate(marks):
                if not is_exact:
                    holds = self.covers(column, self.boxes[box], self.points[point])
                    box, point = box[holds], point[holds]
            yield box, point

    def covers(self, column: int, released: IntArray, original: IntArray) -> BoolArray:
        """Say whether cells of released rows cover the values of original rows, pair by pair."""
        reading, rank = self.readings[column], self.ranks[column][original]
        return reading.cells_hold(reading.cell_of[released], rank)

    def _marks(self, column: int) -> tuple[npt.NDArray[np.uint64], IntArray, bool]:
        """Mark the points of each cell, or, where there are many, of each run of blocks of ranks.

        Gives the marks as bits [mark, 64 points], the mark of each box, and whether these are exactly its points.
        """
        reading = self.readings[column]
        rank = self.ranks[column][self.points]
        cell = reading.cell_of[self.boxes]
        used, mark_of = np.unique(cell, return_inverse=True)
        is_exact = len(used) <= MOST_CELLS
        if is_exact:
            reach = [np.asarray(reading.reach[one], dtype=np.int64) for one in used.tolist()]
        else:
            size = (reading.values.size + BLOCKS) // BLOCKS
            run = reading.first[cell] // size * BLOCKS * 2 + reading.last[cell] // size
            runs, mark_of = np.unique(run, return_inverse=True)
            first, last = np.divmod(runs, BLOCKS * 2)
            reach = [np.arange(a * size, (b + 1) * size) for a, b in zip(first.tolist(), last.tolist(), strict=True)]
        bits = np.zeros((len(reach), -(-len(rank) // 64) * 8), dtype=np.uint8)
        for mark, ranks in enumerate(reach):
            is_in = np.zeros(reading.values.size + 1, dtype=np.bool_)
            is_in[ranks[ranks <= reading.values.size]] = True
            packed = np.packbits(is_in[rank], bitorder="little")
            bits[mark, : len(packed)] = packed
        return bits.view(np.uint64), mark_of.astype(np.int64), is_exact


def _are_links(search: _Search, box_of: IntArray, point_of: IntArray) -> bool:
    """Say whether each released row covers the original row at the same place."""
    boxes, points = search.boxes[box_of], search.points[point_of]
    return all(search.covers(column, boxes, points).all() for column in range(len(search.readings)))


def _assign(box: IntArray, point: IntArray, box_rows: IntArray, seekers: IntArray) -> tuple[IntArray, IntArray] | None:
    """Give each released row an original row of its own that it covers; None if that cannot be."""
    flow = flow_between(box, point, box_rows, seekers)
    if flow.flow_value < box_rows.sum():
        return None
    used = flow.flow[box, len(box_rows) + point]
    rows = np.asarray(used).ravel().astype(np.int64)
    return np.repeat(box, rows), np.repeat(point, rows)


def _matches(
    box: IntArray, point: IntArray, pairs: tuple[IntArray, IntArray], box_rows: IntArray, released: IntArray
) -> BoolArray:
    """Say which links are part of some assignment of all released rows to different original rows.

    `released` are the rows of each point that are, or may be, in the release. Given one assignment, another one differs
    from it by circles of links and pairs in turn. So a link can be exchanged if there is a way back from its box to its
    point: if both are in one strongly connected component. Original rows that were left out can be exchanged with each
    other's, by way of one more node.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    boxes, points = len(box_rows), len(released)
    taken = np.bincount(pairs[1], minlength=points)
    out = boxes + points
    left, some = np.flatnonzero(taken < released), np.flatnonzero(taken > 0)
    tail = np.concatenate((boxes + point, pairs[0], boxes + some, np.full(len(left), out)))
    head = np.concatenate((box, boxes + pairs[1], np.full(len(some), out), boxes + left))
    arcs = csr_array((np.ones(len(tail), dtype=np.int8), (tail, head)), shape=(out + 1, out + 1))
    component = connected_components(arcs, directed=True, connection="strong")[1]
    result: BoolArray = component[box] == component[boxes + point]
    return result
