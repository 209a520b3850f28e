"""Mondrian's recursive cuts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kanon_cli.kernels.costs import LINE, ancestor, price
from kanon_cli.kernels.jit import kernel, part_kernel
from kanon_cli.kernels.promise import add_prefix_shortfalls, shortfall_of_counts

# Which column is cut, and how: the one that costs most, near its median; or the one with the widest range, at its
# median or not at all, a tree in two or into all children.
COSTLIEST, WIDEST, CHILDREN = 0, 1, 2
SMALLEST_SHARE = 10  # no side of a cut is smaller than one part in this many
ROW_BITS = 32  # a sort key is rank << 32 | row, so that equal ranks keep the rows' order


@part_kernel
def sort_by_rank(rank_of, order, start, end):
    """Sort order[start:end] by rank, and equal ranks by row."""
    keys = np.empty(end - start, dtype=np.int64)
    for at in range(start, end):
        keys[at - start] = (np.int64(rank_of[order[at]]) << ROW_BITS) | order[at]
    keys.sort()
    for at in range(start, end):
        order[at] = keys[at - start] & ((np.int64(1) << ROW_BITS) - 1)


@part_kernel
def may_cut(costs, column, before, after, lo, hi, strict, prefers_missing):
    """Say whether a cut between two neighbours is a cut of this column's own kind."""
    if costs.is_tree[column]:  # only between two children of the node that covers the group
        return before < after and ancestor(costs, column, before, after) == ancestor(costs, column, lo, hi)
    if prefers_missing:
        return after == costs.ranks[column] - 1 and before < after
    return before < after or not strict


@part_kernel
def best_cut(rank_of, order, start, end, costs, column, lo, hi, aim, strict, prefers_missing, anywhere):
    """Return the cut of sorted rows that is nearest to the middle and leaves both sides whole, or -1.

    A tree is cut at any of its boundaries, a line at its median, or else `anywhere` where neither side gets less than a
    tenth of the rows, so that the depth of the cuts stays a logarithm of the rows.
    """
    secret_of, values, cap = aim.secret_of, aim.values, aim.cap
    size = end - start
    least = aim.k if costs.is_tree[column] or not anywhere else max(aim.k, size // SMALLEST_SHARE)
    short = np.zeros((2, size + 1), dtype=np.int64)  # [side, rows on that side]
    if len(values) > 0:
        counts = np.empty(values.max(), dtype=np.int64)
        add_prefix_shortfalls(order, start, end, False, secret_of, values, cap, counts, short[0])
        add_prefix_shortfalls(order, start, end, True, secret_of, values, cap, counts, short[1])
    for distance in range(size // 2 + 1):
        for side in range(2):
            left = size // 2 - distance if side == 0 else size // 2 + distance
            if left < least or size - left < least:
                continue
            before, after = rank_of[order[start + left - 1]], rank_of[order[start + left]]
            if not may_cut(costs, column, before, after, lo, hi, strict, prefers_missing):
                continue
            if short[0, left] == 0 and short[1, size - left] == 0:
                return start + left
            if not costs.is_tree[column] and not anywhere:
                return np.int64(-1)
    return np.int64(-1)


@part_kernel
def largest_first(size):
    """Return the columns in the order of their sizes, the largest first, equal ones as they come."""
    order = np.arange(len(size))  # few numbers, and numpy's own sorting takes a second to compile
    for place in range(1, len(size)):
        column, at = order[place], place
        while at > 0 and size[order[at - 1]] < size[column]:
            order[at] = order[at - 1]
            at -= 1
        order[at] = column
    return order


@part_kernel
def cut_group(rank_of, order, start, end, costs, aim, strict, way, ends):
    """Cut order[start:end] in the first column that can be cut; return how many parts there are, 1 if none can be.

    ends[part] gets where each part ends. Columns come in the order of what they cost, or of their width. Cuts far from
    a median peel off small groups, so they come after the medians of all columns.
    """
    columns = rank_of.shape[0]
    lo = np.empty(columns, dtype=np.int64)
    hi = np.empty(columns, dtype=np.int64)
    size = np.empty(columns, dtype=np.float64)  # whole numbers below 2 ** 53 where it is the cost
    for column in range(columns):
        lo[column] = hi[column] = rank_of[column, order[start]]
        for at in range(start + 1, end):
            rank = rank_of[column, order[at]]
            lo[column] = min(lo[column], rank)
            hi[column] = max(hi[column], rank)
        if way == COSTLIEST or costs.form[column] == LINE:
            size[column] = price(costs, column, lo[column], hi[column])
        else:
            size[column] = (hi[column] - lo[column]) * costs.scale[column] / max(costs.ranks[column] - 1, 1)
    by_size = largest_first(size)
    for anywhere in (False, True):
        if anywhere and (len(aim.values) == 0 or way != COSTLIEST):
            break
        for column in by_size:
            if lo[column] < hi[column]:
                ranks = rank_of[column]
                parts = cut_column(ranks, order, start, end, costs, column, lo, hi, aim, strict, anywhere, way, ends)
                if parts > 1:
                    return parts
    return 1


@part_kernel
def cut_column(ranks, order, start, end, costs, column, lo, hi, aim, strict, anywhere, way, ends):
    """Sort order[start:end] by a column and cut it, a missing value first; return how many parts there are."""
    sort_by_rank(ranks, order, start, end)
    low, high = lo[column], hi[column]
    is_tree = costs.is_tree[column]
    some_are_missing = not is_tree and costs.has_missing[column] and high == costs.ranks[column] - 1
    for prefers_missing in (True, False):
        if prefers_missing and not some_are_missing:
            continue
        if not prefers_missing and is_tree and way == CHILDREN:
            return cut_children(ranks, order, start, end, costs, column, aim, ends)
        if not prefers_missing and not is_tree and way != COSTLIEST:
            return cut_median(ranks, order, start, end, aim, strict, ends)
        at = best_cut(ranks, order, start, end, costs, column, low, high, aim, strict, prefers_missing, anywhere)
        if at >= 0:
            ends[0], ends[1] = at, end
            return 2
    return 1


@part_kernel
def cut_median(ranks, order, start, end, aim, strict, ends):
    """Cut sorted rows behind all that have the median, or, not being strict, in the middle; return how many parts."""
    middle = (end - start) // 2
    if strict:
        median = ranks[order[start + (end - start - 1) // 2]]
        while start + middle < end and ranks[order[start + middle]] == median:
            middle += 1
    ends[0], ends[1] = start + middle, end
    return 2 if all_are_whole(order, start, ends, np.int64(2), aim) else 1


@part_kernel
def cut_children(ranks, order, start, end, costs, column, aim, ends):
    """Cut sorted rows between all children of the node that covers them; return how many parts there are."""
    top = ancestor(costs, column, ranks[order[start]], ranks[order[end - 1]])
    parts, since = np.int64(0), start
    for at in range(start + 1, end + 1):
        if at < end:
            before, after = ranks[order[at - 1]], ranks[order[at]]
            if before == after or ancestor(costs, column, before, after) != top:
                continue
        if at - since < aim.k:
            return 1
        ends[parts] = since = at
        parts += 1
    return parts if all_are_whole(order, start, ends, parts, aim) else 1


@part_kernel
def all_are_whole(order, start, ends, parts, aim):
    """Say whether all parts have k rows and keep the promise about sensitive values."""
    codes = np.int64(0)
    for secret in range(len(aim.values)):
        codes = max(codes, aim.values[secret])
    counts = np.empty((len(aim.values), codes), dtype=np.int64)
    for part in range(parts):
        size = ends[part] - start
        if size < aim.k:
            return False
        counts[:] = 0
        for at in range(start, ends[part]):
            for secret in range(len(counts)):
                counts[secret, aim.secret_of[secret, order[at]]] += 1
        if len(counts) > 0 and shortfall_of_counts(counts, size, aim) > 0:
            return False
        start = ends[part]
    return True


class Cuts(NamedTuple):
    """How far the cutting has come; a kernel works on it for a while and can be called again."""

    order: npt.NDArray[np.int64]  # the rows, each pending or finished group a slice
    pending: npt.NDArray[np.int64]  # [place, 2] start and end of groups that may still be cut, the next one last
    counts: npt.NDArray[np.int64]  # pending groups, finished groups, rows in finished groups
    group_of: npt.NDArray[np.int32]  # [row] of finished groups
    way: int  # COSTLIEST | WIDEST | CHILDREN


def start(rows: int, k: int, way: int = COSTLIEST) -> Cuts:
    """One group of all rows, to be cut."""
    pending = np.zeros((rows // k + 2, 2), dtype=np.int64)
    pending[0, 1] = rows
    return Cuts(
        order=np.arange(rows, dtype=np.int64),
        pending=pending,
        counts=np.array([1, 0, 0], dtype=np.int64),
        group_of=np.zeros(rows, dtype=np.int32),
        way=way,
    )


@kernel
def cut(cuts, rank_of, costs, aim, strict, visits):
    """Cut pending groups until none is left or `visits` rows have been looked at; say whether any is left."""
    order, pending, counts, group_of = cuts.order, cuts.pending, cuts.counts, cuts.group_of
    ends = np.empty(max(len(pending), 2), dtype=np.int64)
    while counts[0] > 0 and visits > 0:
        counts[0] -= 1
        start, end = pending[counts[0]]
        visits -= end - start
        parts = 1
        if end - start >= 2 * aim.k:
            parts = cut_group(rank_of, order, start, end, costs, aim, strict, cuts.way, ends)
        if parts == 1:
            for place in range(start, end):
                group_of[order[place]] = counts[1]
            counts[1] += 1
            counts[2] += end - start
        else:
            for part in range(parts):  # the first part is the next one
                place = counts[0] + parts - 1 - part
                pending[place, 0], pending[place, 1] = start, ends[part]
                start = ends[part]
            counts[0] += parts
    return counts[0] > 0
