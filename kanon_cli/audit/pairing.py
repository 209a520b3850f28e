"""Can every released row be paired with an original row of its own? A maximum flow between different rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

MOST_PAIRS = 10_000_000  # beyond it one graph would take gigabytes
ENOUGH_PAIRS = 500_000  # a graph of small blocks is closed when it has more


@dataclass(frozen=True)
class Boxes:
    """The different released rows: the ranks that each column covers, from first to last."""

    first: IntArray  # [column, box]; there is at least one column
    last: IntArray  # [column, box]
    listed: list[dict[int, IntArray]]  # [column] box -> the ranks it covers, where these are not all from first to last
    block: IntArray  # [box] rows of different blocks never pair
    count: IntArray  # [box] how many rows are alike


@dataclass(frozen=True)
class Points:
    """The different original rows."""

    rank: IntArray  # [column, point]
    block: IntArray  # [point]
    count: IntArray  # [point] how many rows are alike


def most_paired(boxes: Boxes, points: Points) -> int | None:
    """How many released rows can have an original row of their own at once; None if there are too many pairs to try."""
    search = Search(boxes, points)
    paired, pairs, block = 0, 0, -1
    candidates: dict[int, IntArray] = {}
    for box in np.argsort(boxes.block, kind="stable").tolist():
        if boxes.block[box] != block and pairs > ENOUGH_PAIRS:  # whole blocks only: they are graphs of their own
            paired += _flow(candidates, boxes.count, points.count)
            candidates, pairs = {}, 0
        block = boxes.block[box]
        candidates[box] = search.inside(box)
        pairs += len(candidates[box])
        if pairs > MOST_PAIRS:
            return None
    return paired + _flow(candidates, boxes.count, points.count)


class Search:
    """Finds the points in a box: those in its narrowest column, tried on all the others."""

    def __init__(self, boxes: Boxes, points: Points) -> None:
        self.boxes, self.points = boxes, points
        self.order: list[IntArray] = []
        self.start: list[IntArray] = []
        self.end: list[IntArray] = []
        for rank, first, last in zip(points.rank, boxes.first, boxes.last, strict=True):
            width = int(max(rank.max(initial=0), last.max(initial=0))) + 1
            place = points.block * width + rank  # sorted by block, and by rank in the block
            order = np.argsort(place, kind="stable")
            self.order.append(order)
            self.start.append(np.searchsorted(place[order], boxes.block * width + first, side="left"))
            self.end.append(np.searchsorted(place[order], boxes.block * width + last, side="right"))
        self.narrowest = (np.stack(self.end) - np.stack(self.start)).argmin(axis=0)  # [box] -> column

    def inside(self, box: int) -> IntArray:
        """Find the points that a box covers."""
        column = self.narrowest[box]
        found = self.order[column][self.start[column][box] : self.end[column][box]]
        rank = self.points.rank[:, found]
        first, last = self.boxes.first[:, box, None], self.boxes.last[:, box, None]
        inside: BoolArray = np.all((first <= rank) & (rank <= last), axis=0)
        for ranks, listed in zip(rank, self.boxes.listed, strict=True):
            if box in listed:
                inside &= np.isin(ranks, listed[box])
        covered: IntArray = found[inside]
        return covered


def _flow(candidates: dict[int, IntArray], box_count: IntArray, point_count: IntArray) -> int:
    """How many rows can be paired; a box and a point can be as often as both have rows."""
    at, point = np.unique(np.concatenate([np.empty(0, dtype=np.int64), *candidates.values()]), return_inverse=True)
    box = np.repeat(np.arange(len(candidates)), np.array([len(found) for found in candidates.values()], dtype=np.int64))
    return int(flow_between(box, point, box_count[list(candidates)], point_count[at]).flow_value)


def flow_between(box: IntArray, point: IntArray, box_rows: IntArray, point_rows: IntArray) -> Any:
    """The largest flow from a source to the boxes, by these pairs to the points, and on to a sink.

    Boxes come first among its nodes, points after them.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    boxes, points = len(box_rows), len(point_rows)
    source, sink = boxes + points, boxes + points + 1
    tail = np.concatenate((box, np.full(boxes, source), boxes + np.arange(points)))
    head = np.concatenate((boxes + point, np.arange(boxes), np.full(points, sink)))
    room = np.concatenate((np.minimum(box_rows[box], point_rows[point]), box_rows, point_rows)).astype(np.int32)
    return maximum_flow(csr_array((room, (tail, head)), shape=(boxes + points + 2,) * 2), source, sink)
