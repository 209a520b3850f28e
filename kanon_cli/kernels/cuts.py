"""Mondrian's recursive cuts."""

from __future__ import annotations

import numpy as np

from kanon_cli.kernels.costs import ancestor, price
from kanon_cli.kernels.jit import kernel
from kanon_cli.kernels.promise import slice_shortfall

ROW_BITS = 32  # a sort key is rank << 32 | row, so that equal ranks keep the rows' order


@kernel
def sort_by_rank(rank_of, order, start, end):
    """Sort order[start:end] by rank, and equal ranks by row."""
    keys = np.empty(end - start, dtype=np.int64)
    for at in range(start, end):
        keys[at - start] = (np.int64(rank_of[order[at]]) << ROW_BITS) | order[at]
    keys.sort()
    for at in range(start, end):
        order[at] = keys[at - start] & ((np.int64(1) << ROW_BITS) - 1)


@kernel
def may_cut(costs, column, before, after, lo, hi, strict, prefers_missing):
    """Say whether a cut between two neighbours is a cut of this column's own kind."""
    if costs.is_tree[column]:  # only between two children of the node that covers the group
        return before < after and ancestor(costs, column, before, after) == ancestor(costs, column, lo, hi)
    if prefers_missing:
        return after == costs.ranks[column] - 1 and before < after
    return before < after or not strict


@kernel
def best_cut(rank_of, order, start, end, costs, column, lo, hi, goal, strict, prefers_missing, counts):
    """Return the allowed cut of sorted rows that is nearest to the middle, or -1."""
    k, secret_of, values, cap = goal
    middle = start + (end - start) // 2
    for distance in range(end - start):
        inside = False
        for side in range(2):
            at = middle - distance if side == 0 else middle + distance
            if at - start < k or end - at < k or (side == 1 and distance == 0):
                continue
            inside = True
            if not may_cut(costs, column, rank_of[order[at - 1]], rank_of[order[at]], lo, hi, strict, prefers_missing):
                continue
            if (
                slice_shortfall(order, start, at, secret_of, values, cap, counts) == 0
                and slice_shortfall(order, at, end, secret_of, values, cap, counts) == 0
            ):
                return at
            if not costs.is_tree[column]:
                return -1  # a median is a median: no search for another place
        if not inside:
            break
    return -1


@kernel
def cut_group(rank_of, order, start, end, costs, goal, strict, counts):
    """Cut order[start:end] in the column that costs most and can be cut; return where, or -1."""
    columns = rank_of.shape[0]
    lo = np.empty(columns, dtype=np.int64)
    hi = np.empty(columns, dtype=np.int64)
    cost = np.empty(columns, dtype=np.int64)
    for column in range(columns):
        lo[column] = hi[column] = rank_of[column, order[start]]
        for at in range(start + 1, end):
            rank = rank_of[column, order[at]]
            lo[column] = min(lo[column], rank)
            hi[column] = max(hi[column], rank)
        cost[column] = price(costs, column, lo[column], hi[column])
        if lo[column] < hi[column]:
            cost[column] += 1  # a column that varies comes before one that doesn't, even where varying is free
    for _ in range(columns):
        column = np.argmax(cost)
        if cost[column] == 0:
            return -1
        cost[column] = 0
        sort_by_rank(rank_of[column], order, start, end)
        mixes_missing = (
            not costs.is_tree[column] and costs.has_missing[column] and hi[column] == costs.ranks[column] - 1
        )
        for prefers_missing in range(1 if mixes_missing else 0, -1, -1):
            at = best_cut(
                rank_of[column],
                order,
                start,
                end,
                costs,
                column,
                lo[column],
                hi[column],
                goal,
                strict,
                prefers_missing == 1,
                counts,
            )
            if at >= 0:
                return at
    return -1


@kernel
def cut(rank_of, costs, goal, strict):
    """Cut the table until no group can be cut any more; return group_of[row] and the number of cuts."""
    k, _, values, _ = goal
    rows = rank_of.shape[1]
    group_of = np.empty(rows, dtype=np.int32)
    order = np.arange(rows)
    widest = 1
    for secret in range(len(values)):
        widest = max(widest, values[secret])
    counts = np.zeros(widest, dtype=np.int64)
    pending = [(np.int64(0), np.int64(rows))]
    groups = 0
    while len(pending) > 0:
        start, end = pending.pop()
        at = np.int64(-1)
        if end - start >= 2 * k:
            at = cut_group(rank_of, order, start, end, costs, goal, strict, counts)
        if at < 0:
            for place in range(start, end):
                group_of[order[place]] = groups
            groups += 1
        else:
            pending.append((at, end))
            pending.append((start, at))
    return group_of, groups - 1
