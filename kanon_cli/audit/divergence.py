"""How far the joint distribution that a release tells is from the original's."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from kanon_cli.audit.gather import first_rows, group
from kanon_cli.audit.losses import Trace
from kanon_cli.audit.pairing import Boxes, Points, Search

IntArray = npt.NDArray[np.int64]

MOST_CLASSES = 30_000  # a class takes some hundredths of a millisecond
MOST_VISITS = 50_000_000  # of original rows in the narrowest columns of all classes: half a second or so


def divergence(traces: Sequence[Trace], class_of: IntArray, suppressed_rows: int) -> float | None:
    """Sum up log2(p / q) over the original rows; None where q is 0 somewhere, or where it would take too long.

    p is the share of the original rows that are equal to a row. q is the mean over all released rows of one part in so
    many as a row stands for, if it can stand for the row at all; suppressed rows can stand for everything.
    """
    ranks = [trace.rank_of for trace in traces]
    rows = len(ranks[0])
    point_of = group(ranks, rows)
    first = first_rows(point_of)
    points = Points(
        rank=np.stack([rank[first] for rank in ranks]),
        block=np.zeros(len(first), dtype=np.int64),
        count=np.bincount(point_of).astype(np.int64),
    )
    sizes = np.bincount(class_of)
    boxes, volume = _boxes(traces, class_of)
    if len(sizes) > MOST_CLASSES:
        return None
    search = Search(boxes, points)
    if int((np.stack(search.end) - np.stack(search.start)).min(axis=0).sum()) > MOST_VISITS:
        return None
    everything = math.prod(float(trace.footprint.all_leaves) for trace in traces)
    told = np.full(len(first), suppressed_rows / everything)
    for box, size in enumerate(sizes.tolist()):
        told[search.inside(box)] += size / volume[box]
    if not told.all():
        return None
    released = float(sizes.sum()) + suppressed_rows
    bits = np.log2(points.count / rows) - np.log2(told / released)
    return math.fsum((bits * points.count).tolist())


def _boxes(traces: Sequence[Trace], class_of: IntArray) -> tuple[Boxes, npt.NDArray[np.float64]]:
    """What each class covers, and how many combinations of values that is."""
    row_of = first_rows(class_of)
    first, last, listed = [], [], []
    volume = np.ones(len(row_of))
    for trace in traces:
        cell = trace.cell_of[row_of]
        first.append(np.array([ranks[0] if len(ranks) else 0 for ranks in trace.reach], dtype=np.int64)[cell])
        last.append(np.array([ranks[-1] if len(ranks) else -1 for ranks in trace.reach], dtype=np.int64)[cell])
        reaches = [trace.reach[number] for number in cell.tolist()]
        listed.append({box: ranks for box, ranks in enumerate(reaches) if not isinstance(ranks, range)})
        volume *= trace.footprint.leaves[cell]
    count = np.bincount(class_of).astype(np.int64)
    return Boxes(np.stack(first), np.stack(last), listed, np.zeros(len(row_of), dtype=np.int64), count), volume
