"""Yardsticks: plain references that kanon is compared with and that are no part of it."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from kanon_cli.kernels.boxes import box_price, coordinates, tariff
from kanon_cli.kernels.costs import Costs, price, price_all
from kanon_cli.kernels.jit import kernel
from kanon_cli.problem import Problem

DISTANCES = ("d1", "d2", "d3", "d4")
EPSILON = 0.1  # of d4, as a price per cell

RankArray = npt.NDArray[np.int32]
IntArray = npt.NDArray[np.int64]


@kernel
def total_price(costs: Costs, lo: RankArray, hi: RankArray, size: IntArray) -> Any:
    """Add up what all rows cost, by closures lo and hi [column, group] and sizes [group]."""
    total = np.int64(0)
    for group in range(len(size)):
        total += price_all(costs, lo[:, group], hi[:, group]) * size[group]
    return total


class Merging(NamedTuple):
    """Clusters that are being unified; a cluster has the number of one of its rows."""

    kind: int  # of distance, 1 to 4
    epsilon: float
    lo: RankArray  # [cluster, column]
    hi: RankArray  # [cluster, column]
    size: IntArray  # [cluster] 0 once it has been put into another
    cost: IntArray  # [cluster] of one row
    into: IntArray  # [cluster] the one it was put into, or itself
    near: IntArray  # [cluster] its nearest neighbour
    gap: npt.NDArray[np.float64]  # [cluster] the distance to it; a lower bound where it is stale
    stale: npt.NDArray[np.bool_]  # [cluster] its neighbour has changed or is gone
    active: IntArray  # the clusters below k; how many is counted outside


def agglomerative(problem: Problem, distance: str) -> RankArray:
    """Group the rows by algorithm 1 of Gionis, Mazza and Tassa 2008, with one of the distances of eq. 8 to 11.

    It does what the paper says, for k alone. Nearest neighbours are kept, and looked for anew only when it is a
    cluster's turn: what was its smallest distance bounds all that are left from below, so a cluster that has lost its
    neighbour can wait.
    """
    rank_of = np.ascontiguousarray(problem.rank_of.T)
    rows, columns = rank_of.shape
    merging = Merging(
        kind=DISTANCES.index(distance) + 1,
        epsilon=EPSILON * int(problem.costs.unit) * columns,
        lo=rank_of.copy(),
        hi=rank_of.copy(),
        size=np.ones(rows, dtype=np.int64),
        cost=np.zeros(rows, dtype=np.int64),
        into=np.arange(rows),
        near=np.full(rows, -1, dtype=np.int64),
        gap=np.full(rows, np.inf),
        stale=np.zeros(rows, dtype=np.bool_),
        active=np.arange(rows),
    )
    left = _unify_nearest(merging, problem.costs, problem.aim.k)
    if left >= 0:
        _deal(merging, problem.costs, rank_of, problem.aim.k, left)
    root = merging.into
    while (root != root[root]).any():
        root = root[root]
    return np.unique(root, return_inverse=True)[1].astype(np.int32)


@kernel
def _distance(merging: Merging, costs: Costs, a: Any, b: Any) -> Any:
    """The distance of two clusters."""
    union = np.int64(0)
    for column in range(merging.lo.shape[1]):
        lo = min(merging.lo[a, column], merging.lo[b, column])
        union += price(costs, column, lo, max(merging.hi[a, column], merging.hi[b, column]))
    rows = merging.size[a] + merging.size[b]
    cost_a, cost_b = merging.cost[a], merging.cost[b]
    if merging.kind == 1:
        return float(union * rows - cost_a * merging.size[a] - cost_b * merging.size[b])
    if merging.kind == 2:
        return float(union - cost_a - cost_b)
    if merging.kind == 3:
        return (union - cost_a - cost_b) / np.log(rows)
    return union / (cost_a + cost_b + merging.epsilon)


@kernel
def _unify_nearest(merging: Merging, costs: Costs, k: int) -> int:
    """Unify the two nearest clusters until one below k is left at most; return that, or -1."""
    count = len(merging.active)
    for at in range(count):
        _look(merging, costs, count, at)
    while count > 1:
        a = merging.active[np.argmin(merging.gap[merging.active[:count]])]
        if merging.stale[a]:
            _look(merging, costs, count, a)
        else:
            count = _unify(merging, costs, k, count, a)
    return merging.active[0] if count else -1


@kernel
def _look(merging: Merging, costs: Costs, count: int, a: int) -> None:
    """Find the nearest neighbour of a cluster."""
    merging.near[a], merging.gap[a], merging.stale[a] = -1, np.inf, False
    for at in range(count):
        other = merging.active[at]
        if other != a:
            d = _distance(merging, costs, a, other)
            if d < merging.gap[a]:
                merging.near[a], merging.gap[a] = other, d


@kernel
def _unify(merging: Merging, costs: Costs, k: int, count: int, a: int) -> int:
    """Put a cluster's nearest neighbour into it and bring all neighbours up to date; return how many are active."""
    near, gap, stale, active = merging.near, merging.gap, merging.stale, merging.active
    b = near[a]
    _merge(merging, costs, a, b)
    ripe = merging.size[a] >= k
    near[a], gap[a] = -1, np.inf
    left = 0
    for at in range(count):
        other = active[at]
        if other == b or (ripe and other == a):
            continue
        active[left] = other
        left += 1
        if other == a:
            continue
        stale[other] |= near[other] in (a, b)
        if not ripe:
            d = _distance(merging, costs, a, other)
            if d < gap[a]:
                near[a], gap[a] = other, d
            if d <= gap[other]:
                near[other], gap[other], stale[other] = a, d, False
    return left


@kernel
def _merge(merging: Merging, costs: Costs, a: Any, b: Any) -> None:
    """Put cluster b into cluster a."""
    for column in range(merging.lo.shape[1]):
        merging.lo[a, column] = min(merging.lo[a, column], merging.lo[b, column])
        merging.hi[a, column] = max(merging.hi[a, column], merging.hi[b, column])
    merging.size[a] += merging.size[b]
    merging.size[b] = 0
    merging.cost[a] = price_all(costs, merging.lo[a], merging.hi[a])
    merging.into[b] = a


@kernel
def _deal(merging: Merging, costs: Costs, rank_of: RankArray, k: int, last: int) -> None:
    """Add each row of the last cluster, which has not grown to k, to the cluster nearest to it."""
    finished = np.flatnonzero(merging.size >= k)
    rows = np.arange(len(merging.into))
    for row in rows:
        root = row
        while merging.into[root] != root:
            root = merging.into[root]
        rows[row] = root
    members = np.flatnonzero(rows == last)
    for row in members:
        merging.into[row] = row
        merging.lo[row], merging.hi[row] = rank_of[row], rank_of[row]
        merging.size[row], merging.cost[row] = 1, 0
    for row in members:
        best, best_distance = row, np.inf
        for c in finished:
            d = _distance(merging, costs, c, row)
            if d < best_distance:
                best, best_distance = c, d
        _merge(merging, costs, best, row)


def scan_seconds(problem: Problem, rows: int = 1000) -> float:
    """CPU seconds of a plain loop that prices every row with every one of n / k groups, told from some of the rows."""
    k = problem.aim.k
    coordinate = coordinates(problem.costs, problem.rank_of)
    starts = np.arange(0, problem.rows // k * k, k)
    lo, hi = np.minimum.reduceat(coordinate, starts), np.maximum.reduceat(coordinate, starts)
    prices, some = tariff(problem.costs), coordinate[:rows]
    scan(*prices, some[:1], lo, hi)  # compiles it
    started = time.process_time()
    scan(*prices, some, lo, hi)
    return (time.process_time() - started) * problem.rows / len(some)


@kernel
def scan(how: Any, whole: Any, mass: Any, scale: Any, row_at: RankArray, lo: RankArray, hi: RankArray) -> Any:
    """Add up what rows cost in the groups where they cost least; row_at[row, column], lo and hi [group, column]."""
    spent = np.int64(0)
    for row in range(len(row_at)):
        least = np.int64(1) << 62
        for group in range(len(lo)):
            cost = np.int64(0)
            for column in range(row_at.shape[1]):
                place = row_at[row, column]
                low, high = min(lo[group, column], place), max(hi[group, column], place)
                cost += box_price(how, whole, mass, scale, column, low, high)
            least = min(least, cost)
        spent += least
    return spent
