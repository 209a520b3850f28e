"""Can every released row be paired with an original row of its own? A maximum flow between different rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

MOST_PAIRS = 10_000_000  # beyond it the graph would take gigabytes


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
    candidates: list[IntArray] = []
    pairs = 0
    for found in _Search(boxes, points).candidates():
        pairs += len(found)
        if pairs > MOST_PAIRS:
            return None
        candidates.append(found)
    return _flow(candidates, boxes.count, points.count) if pairs else 0


class _Search:
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

    def candidates(self) -> Iterator[IntArray]:
        """[box] the points that it covers."""
        sizes = np.stack(self.end) - np.stack(self.start)
        for box, column in enumerate(sizes.argmin(axis=0).tolist()):
            yield self._inside(box, column)

    def _inside(self, box: int, column: int) -> IntArray:
        found = self.order[column][self.start[column][box] : self.end[column][box]]
        rank = self.points.rank[:, found]
        first, last = self.boxes.first[:, box, None], self.boxes.last[:, box, None]
        inside: BoolArray = np.all((first <= rank) & (rank <= last), axis=0)
        for ranks, listed in zip(rank, self.boxes.listed, strict=True):
            if box in listed:
                inside &= np.isin(ranks, listed[box])
        return found[inside]


def _flow(candidates: list[IntArray], box_count: IntArray, point_count: IntArray) -> int:
    """Source -> boxes -> points -> sink; a box and a point can be paired as often as both have rows."""
    boxes, points = len(box_count), len(point_count)
    source, sink = boxes + points, boxes + points + 1
    box = np.repeat(np.arange(boxes), [len(found) for found in candidates])
    point = np.concatenate(candidates)
    tail = np.concatenate((box, np.full(boxes, source), boxes + np.arange(points)))
    head = np.concatenate((boxes + point, np.arange(boxes), np.full(points, sink)))
    room = np.concatenate((np.minimum(box_count[box], point_count[point]), box_count, point_count)).astype(np.int32)
    graph = csr_array((room, (tail, head)), shape=(boxes + points + 2, boxes + points + 2))
    return int(maximum_flow(graph, source, sink).flow_value)
