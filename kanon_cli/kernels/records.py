"""Records that are released with boxes of their own: the different ones, what boxes really cover, scans over all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kanon_cli.kernels.boxes import FORM, FULL, LEVELS, MISSING, NESTED, RANKS, START, slow_price, tariff
from kanon_cli.kernels.costs import FLAT, LINE, TABLE, Costs, joining_node
from kanon_cli.kernels.jit import inner_kernel, kernel, part_kernel
from kanon_cli.kernels.layers import Layers, lay
from kanon_cli.kernels.scans import MIXED, Question

IntArray = npt.NDArray[np.int64]
RankArray = npt.NDArray[np.int32]

LOOK = 128  # sums that are looked at together before they are looked at one by one

# Further columns of `how`: where a column's positions, joints and nodes' leaves start; whether it is a tree; the rank
# of missing where its cell says nothing, so that it covers everything, else -1.
PLACES, JOINTS, FIRSTS, LASTS, IS_TREE, SILENT = range(NESTED + 1, NESTED + 7)


class Records(NamedTuple):
    """The different rows of a table; rows that are equal everywhere are one point, numbered as they first occur."""

    point_of: RankArray  # [row]
    rank_of: RankArray  # [point, column]
    weight: RankArray  # [point] rows
    person_at: IntArray  # [point] where its people start in `person`; one longer than the points
    person: RankArray  # the different people whose rows they are; where nobody knows, each row is somebody's
    people: int


class Rates(NamedTuple):
    """The costs as inner loops need them: see Tariff; `whole` has positions and the leaves of nodes, too."""

    how: IntArray  # [column, FORM .. SILENT]
    whole: RankArray
    mass: npt.NDArray[np.float64]
    scale: npt.NDArray[np.float64]  # [column]


class Strip(NamedTuple):
    """Boxes, or points, column by column as `add_unions` wants them: see Closures."""

    narrow: npt.NDArray[np.int8]  # [layer, box]
    wide: RankArray  # [layer - layers.narrow, box]
    lo: RankArray  # [span, box]
    hi: RankArray  # [span, box]


class Boxes(NamedTuple):
    """The box of every row, as ranks for exact answers and as a strip for scans."""

    low: RankArray  # [row, column]
    high: RankArray  # [row, column]
    price: RankArray  # [row]
    strip: Strip


def distinct(rank_of: RankArray, unit_of: RankArray) -> Records:
    """Find the different rows of rank_of[column, row], and whose they are; unit_of is empty where nobody knows."""
    order = np.lexsort(rank_of[::-1])
    ranks = rank_of[:, order]
    is_new = np.append(True, (ranks[:, 1:] != ranks[:, :-1]).any(axis=0))
    leader = order[is_new]  # sorting is stable, so it is the first row of its kind
    place = np.empty(len(leader), dtype=np.int32)
    place[np.argsort(leader)] = np.arange(len(leader))
    point_of = np.empty(len(order), dtype=np.int32)
    point_of[order] = place[np.cumsum(is_new) - 1]
    person_of = unit_of if len(unit_of) else np.arange(len(order), dtype=np.int32)
    people = int(person_of.max()) + 1
    pairs = np.unique(point_of.astype(np.int64) * people + person_of)
    return Records(
        point_of=point_of,
        rank_of=np.ascontiguousarray(rank_of[:, np.sort(leader)].T),
        weight=np.bincount(point_of).astype(np.int32),
        person_at=np.append(0, np.cumsum(np.bincount(pairs // people))).astype(np.int64),
        person=(pairs % people).astype(np.int32),
        people=people,
    )


def rates_of(costs: Costs, silent: Sequence[int] = ()) -> Rates:
    """Lay the costs out for inner loops, with the leaves that each node which joins neighbours covers.

    `silent` are the columns in which a missing cell says nothing.
    """
    base = tariff(costs)
    first, last = np.zeros_like(costs.node_price), np.zeros_like(costs.node_price)
    for column in np.flatnonzero(costs.is_tree).tolist():
        ranks, at, node_at = int(costs.ranks[column]), int(costs.joint_at[column]), int(costs.node_at[column])
        find_leaves(costs.joint[at : at + ranks - 1], first[node_at:], last[node_at:])
    parts = [base.whole, costs.position, costs.joint, first, last]
    places, joints, firsts, lasts = np.cumsum([len(part) for part in parts[:-1]])
    further = [
        places + costs.position_at,
        joints + costs.joint_at,
        firsts + costs.node_at,
        lasts + costs.node_at,
        costs.is_tree.astype(np.int64),
        np.where(np.isin(np.arange(len(costs.ranks)), silent) & costs.has_missing, costs.ranks - 1, -1),
    ]
    how = np.ascontiguousarray(np.column_stack([base.how, *further]))
    return Rates(how, np.concatenate(parts), base.mass, base.scale)


@kernel
def find_leaves(joint, first, last):
    """Write the first and the last leaf of every node that joins neighbours; ancestors have smaller numbers."""
    for rank in range(len(joint)):
        node = joint[rank]
        lo, hi = rank, rank + 1
        while lo > 0 and joint[lo - 1] >= node:
            lo -= 1
        while hi < len(joint) and joint[hi] >= node:
            hi += 1
        first[node], last[node] = lo, hi


@inner_kernel
def rate(how, whole, mass, scale, column, lo, hi):
    """Return what a cell costs that covers the ranks lo to hi."""
    if lo == hi:
        return np.int64(0)
    form = how[column, FORM]
    if form == FLAT:
        return how[column, FULL]
    if form == LINE:
        base = how[column, PLACES]
        return min(np.int64(whole[base + hi]) - np.int64(whole[base + lo]), how[column, FULL])
    if form == TABLE:
        return np.int64(whole[how[column, START] + lo * how[column, RANKS] + hi])
    return slow_price(how, whole, mass, scale, column, lo, hi)


@inner_kernel
def node_over(how, whole, column, lo, hi):
    """Return the node of a tree that joins the leaves lo < hi."""
    level = np.int64(whole[how[column, LEVELS] + hi - lo])
    return joining_node(whole, how[column, JOINTS], how[column, RANKS], level, lo, hi)


@inner_kernel
def first_covered(how, whole, column, lo, hi):
    """Return the first rank that a cell covers which is to cover lo to hi: a node's, or of all beside a missing one."""
    if lo < hi and how[column, IS_TREE]:
        return np.int64(whole[how[column, FIRSTS] + node_over(how, whole, column, lo, hi)])
    if hi == how[column, MISSING] and (lo < hi or hi == how[column, SILENT]):
        return np.int64(0)
    return np.int64(lo)


@inner_kernel
def last_covered(how, whole, column, lo, hi):
    """Return the last rank that a cell covers which is to cover lo to hi."""
    if lo < hi and how[column, IS_TREE]:
        return np.int64(whole[how[column, LASTS] + node_over(how, whole, column, lo, hi)])
    return np.int64(hi)


@inner_kernel
def start_box(how, whole, rank_of, point, low, high, box):
    """Let a box be a point's alone: what its cells cover if they are kept."""
    for column in range(low.shape[1]):
        rank = np.int64(rank_of[point, column])
        low[box, column] = first_covered(how, whole, column, rank, rank)
        high[box, column] = rank


@kernel
def widen_all(rates, low, high):
    """Let every box low[box, column] to high[box, column] have the ranks that its cells really cover."""
    how, whole = rates.how, rates.whole
    for box in range(low.shape[0]):
        for column in range(low.shape[1]):
            lo, hi = np.int64(low[box, column]), np.int64(high[box, column])
            low[box, column] = first_covered(how, whole, column, lo, hi)
            high[box, column] = last_covered(how, whole, column, lo, hi)


@inner_kernel
def whole_price(how, whole, mass, scale, low, high, box):
    """Return what a box costs."""
    total = np.int64(0)
    for column in range(low.shape[1]):
        total += rate(how, whole, mass, scale, column, np.int64(low[box, column]), np.int64(high[box, column]))
    return total


@kernel
def price_boxes(rates, low, high, price_of):
    """Write the price of every box."""
    for box in range(low.shape[0]):
        price_of[box] = whole_price(rates.how, rates.whole, rates.mass, rates.scale, low, high, box)


def strip_of(costs: Costs, low: RankArray, high: RankArray) -> Strip:
    """Lay boxes out for scans: a label is one that a box's ends share, as all between them then has it too."""
    left, right = lay(costs, np.ascontiguousarray(low.T)), lay(costs, np.ascontiguousarray(high.T))
    label = np.where(left.label_of == right.label_of, left.label_of, MIXED).T
    return Strip(
        narrow=np.ascontiguousarray(label[: left.narrow].astype(np.int8)),
        wide=np.ascontiguousarray(label[left.narrow :].astype(np.int32)),
        lo=np.ascontiguousarray(left.value_of.T),
        hi=np.ascontiguousarray(right.value_of.T),
    )


def boxes_of(costs: Costs, rates: Rates, low: RankArray, high: RankArray) -> Boxes:
    """Lay out the boxes low[row, column] to high[row, column], which are permissible."""
    price_of = np.empty(len(low), dtype=np.int32)
    price_boxes(rates, low, high, price_of)
    return Boxes(low, high, price_of, strip_of(costs, low, high))


def layers_of(costs: Costs, records: Records) -> Layers:
    """Lay out the points."""
    return lay(costs, np.ascontiguousarray(records.rank_of.T))


@part_kernel
def ask_point(layers, point, question):
    """Make a point the question: all its layers are asked."""
    for layer in range(len(layers.rise_at)):
        label = layers.label_of[point, layer]
        question.layer[layer] = layer
        question.label[layer] = label
        question.rise[layer] = layers.rise[layers.rise_at[layer] + label]
    for span in range(len(layers.full)):
        question.lo[span] = question.hi[span] = layers.value_of[point, span]


def new_question(layers: Layers) -> Question:
    """Make the arrays of a question."""
    count, spans = len(layers.rise_at), len(layers.full)
    return Question(
        np.empty(count, np.int64),
        np.empty(count, np.int32),
        np.empty(count, np.int32),
        np.empty(spans, np.int32),
        np.empty(spans, np.int32),
    )


@inner_kernel
def covers(low, high, box, rank_of, point):
    """Say whether a box covers a point."""
    for column in range(low.shape[1]):
        rank = rank_of[point, column]
        if rank < low[box, column] or rank > high[box, column]:
            return False
    return True


@inner_kernel
def union_price(how, whole, mass, scale, low, high, box, rank_of, point):
    """Return what a box costs that covers a point too."""
    total = np.int64(0)
    for column in range(low.shape[1]):
        rank = np.int64(rank_of[point, column])
        lo, hi = min(np.int64(low[box, column]), rank), max(np.int64(high[box, column]), rank)
        total += rate(how, whole, mass, scale, column, lo, hi)
    return total


@inner_kernel
def join_point(how, whole, mass, scale, low, high, box, rank_of, point):
    """Let a box cover a point too; return its price."""
    total = np.int64(0)
    for column in range(low.shape[1]):
        rank = np.int64(rank_of[point, column])
        lo, hi = min(np.int64(low[box, column]), rank), max(np.int64(high[box, column]), rank)
        total += rate(how, whole, mass, scale, column, lo, hi)
        low[box, column] = first_covered(how, whole, column, lo, hi)
        high[box, column] = last_covered(how, whole, column, lo, hi)
    return total


@kernel
def extend(boxes, box, rates, layers, rank_of, point):
    """Let a box cover a point too, in the strip as well."""
    strip = boxes.strip
    boxes.price[box] = join_point(
        *(rates.how, rates.whole, rates.mass, rates.scale, boxes.low, boxes.high, box, rank_of, point)
    )
    for layer in range(len(layers.rise_at)):
        label = layers.label_of[point, layer]
        if layer < layers.narrow:
            if strip.narrow[layer, box] != label:
                strip.narrow[layer, box] = MIXED
        elif strip.wide[layer - layers.narrow, box] != label:
            strip.wide[layer - layers.narrow, box] = MIXED
    for span in range(len(layers.full)):
        column = layers.column_of[span]
        lo, hi = boxes.low[box, column], boxes.high[box, column]
        base = rates.how[column, PLACES]
        strip.lo[span, box] = rates.whole[base + lo] if span < layers.lines else lo
        strip.hi[span, box] = rates.whole[base + hi] if span < layers.lines else hi
