"""What rows of a pool cost together with a box, for all rows of the pool in one loop that compiles to SIMD."""

# Coordinates are ranks, or on a line positions, so that a line needs no look-ups. A pool's rows lie column by column
# in flat arrays, `coordinate[column * room + place]`, and places and starts are unsigned: a signed index, a view or an
# array of arrays in the innermost loops took two to three times as long (numba checks and counts them).

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kanon_cli.kernels.costs import FLAT, LINE, TABLE, TREE, Costs, bits_between, joining_node
from kanon_cli.kernels.jit import inner_kernel

ADDED, TAKEN_AWAY = np.int64(1), np.int64(-1)  # written as 1 and -1 each would get a kernel compiled for itself
# The columns of `how`: where a form's numbers start, in `whole` or in `mass`; unused ones are 0.
FORM, FULL, RANKS, START, NODES, LEVELS, MISSING, NESTED = range(8)


class Tariff(NamedTuple):
    """The costs as the inner loops need them: few arrays, since each one makes every call dearer."""

    how: npt.NDArray[np.int64]  # [column, FORM .. NESTED]
    whole: npt.NDArray[np.int32]  # tables; joints and prices of trees' nodes; logarithms
    mass: npt.NDArray[np.float64]  # [0] rows before a rank, [1] the same of f * log2(f): see Costs
    scale: npt.NDArray[np.float64]  # [column]


def tariff(costs: Costs) -> Tariff:
    """Lay the costs out for the inner loops."""
    whole = [costs.table, costs.joint, costs.node_price, costs.level_of]
    table_at, joint_at, node_at, level_at = np.cumsum([0, *(len(part) for part in whole[:-1])])
    is_tree, is_table = costs.form == TREE, costs.form == TABLE
    start = np.where(is_table, table_at + costs.table_at, np.where(is_tree, joint_at + costs.joint_at, costs.mass_at))
    how = [
        costs.form,
        costs.full,
        costs.ranks,
        start,
        node_at + costs.node_at,
        np.full(len(costs.form), level_at),
        np.where(costs.has_missing, costs.ranks - 1, -1),
        [column_is_table and _is_nested(costs, column) for column, column_is_table in enumerate(is_table)],
    ]
    return Tariff(
        np.stack(how, axis=1).astype(np.int64),
        np.concatenate(whole).astype(np.int32),
        np.stack([costs.mass, costs.mass_log]),
        costs.scale,
    )


def _is_nested(costs: Costs, column: int) -> bool:
    """Whether the price of ranks lo to hi is the largest of two neighbours' between them.

    So it is for trees whose nodes cost no less than those below. Then lo to hi and one more rank cost as much as lo to
    hi, or as that rank and any one of them, whichever is more: one look into the table, and no comparison of ranks.
    """
    ranks, at = int(costs.ranks[column]), int(costs.table_at[column])
    table = costs.table[at : at + ranks * ranks].reshape(ranks, ranks)
    steps = np.diagonal(table, 1)
    return all((table[lo, lo + 1 :] == np.maximum.accumulate(steps[lo:])).all() for lo in range(ranks))


def coordinates(costs: Costs, rank_of: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """[row, column] ranks, or positions on a line: monotone, so that boxes can be read off either."""
    result = np.empty(rank_of.shape[::-1], dtype=np.int32)
    for column, ranks in enumerate(rank_of):
        at = costs.position_at[column]
        result[:, column] = costs.position[at + ranks] if costs.form[column] == LINE else ranks
    return result


@inner_kernel
def slow_price(how, whole, mass, scale, column, lo, hi):
    """Return the price of lo < hi by a formula: the nearest ancestor's, or the entropy between."""
    start = how[column, START]
    if how[column, FORM] == TREE:
        level = np.int64(whole[how[column, LEVELS] + hi - lo])
        return np.int64(whole[how[column, NODES] + joining_node(whole, start, how[column, RANKS], level, lo, hi)])
    if hi == how[column, MISSING]:
        return how[column, FULL]
    return np.int64(np.rint(scale[column] * bits_between(mass[0], mass[1], start, lo, hi)))


@inner_kernel
def box_price(how, whole, mass, scale, column, lo, hi):
    """Return what a cell costs that covers the coordinates lo to hi."""
    if lo == hi:
        return np.int64(0)
    form = how[column, FORM]
    if form == FLAT:
        return how[column, FULL]
    if form == LINE:
        return min(np.int64(hi) - np.int64(lo), how[column, FULL])
    if form == TABLE:
        return np.int64(whole[how[column, START] + np.int64(lo) * how[column, RANKS] + np.int64(hi)])
    return slow_price(how, whole, mass, scale, column, np.int64(lo), np.int64(hi))


@inner_kernel
def add_slow(how, whole, mass, scale, column, coordinate, start, rows, lo, hi, sign, total, to):
    """Add (sign ADDED) or take away (TAKEN_AWAY) the prices of a column whose price is a formula."""
    for place in range(np.int64(rows)):
        joining = np.int64(coordinate[np.int64(start) + place])
        least, most = min(np.int64(lo), joining), max(np.int64(hi), joining)
        if least < most:
            total[np.int64(to) + place] += np.int32(sign * slow_price(how, whole, mass, scale, column, least, most))


@inner_kernel
def add_box(  # noqa: PLR0912  a kernel for each form would take the arrays over again
    how, whole, mass, scale, column, lo, hi, coordinate, room, rows, total, to
):
    """Add to total[to + place] what the column costs once the row at that place has joined a box lo..hi."""
    start = np.uint64(column * room)
    form, full = how[column, FORM], how[column, FULL]
    if form == FLAT:
        if lo == hi:
            for place in range(rows):
                total[to + place] += np.int32(full if coordinate[start + place] != lo else 0)
        else:
            for place in range(rows):
                total[to + place] += np.int32(full)
    elif form == LINE:
        most = np.int32(full)
        for place in range(rows):
            joining = coordinate[start + place]
            price = min(np.int32(max(hi, joining) - min(lo, joining)), most)
            total[to + place] = np.int32(total[to + place] + price)
    elif form == TABLE:
        base, ranks = how[column, START], how[column, RANKS]
        if how[column, NESTED]:
            row = base + np.int64(lo) * ranks
            least = whole[row + np.int64(hi)]
            for place in range(rows):
                total[to + place] += max(whole[np.uint32(row + coordinate[start + place])], least)
        else:
            for place in range(rows):
                joining = coordinate[start + place]
                total[to + place] += whole[np.uint32(base + min(lo, joining) * ranks + max(hi, joining))]
    else:
        add_slow(how, whole, mass, scale, column, coordinate, start, rows, lo, hi, ADDED, total, to)


@inner_kernel
def shift_line(lo, hi, new_lo, new_hi, full, coordinate, start, rows, total, to):
    """Change total[to + place] from the prices with lo..hi to those with new_lo..new_hi, in a line's column."""
    most = np.int32(full)  # numbers of 32 bits all along: twice as many go into a register
    for place in range(rows):
        joining = coordinate[start + place]
        after = min(np.int32(max(new_hi, joining) - min(new_lo, joining)), most)
        before = min(np.int32(max(hi, joining) - min(lo, joining)), most)
        total[to + place] = np.int32(total[to + place] + np.int32(after - before))


@inner_kernel
def shift_box(how, whole, mass, scale, column, lo, hi, new_lo, new_hi, coordinate, room, rows, total, to):
    """Change total[to + place], which has the prices with a box lo..hi, to those with a box new_lo..new_hi.

    The boxes have a coordinate in common: that of a row that stays.
    """
    start = np.uint64(column * room)
    form, full = how[column, FORM], how[column, FULL]
    if form == FLAT:
        if lo == hi and new_lo != new_hi:
            for place in range(rows):
                total[to + place] += np.int32(full if coordinate[start + place] == lo else 0)
        elif lo != hi and new_lo == new_hi:
            for place in range(rows):
                total[to + place] -= np.int32(full if coordinate[start + place] == new_lo else 0)
    elif form == LINE:
        shift_line(lo, hi, new_lo, new_hi, full, coordinate, start, rows, total, to)
    elif form == TABLE:
        base, ranks = how[column, START], how[column, RANKS]
        if how[column, NESTED]:
            row = base + np.int64(max(lo, new_lo)) * ranks
            before = whole[base + np.int64(lo) * ranks + np.int64(hi)]
            least = whole[base + np.int64(new_lo) * ranks + np.int64(new_hi)]
            for place in range(rows):
                price = whole[np.uint32(row + coordinate[start + place])]
                total[to + place] += max(price, least) - max(price, before)
        else:
            for place in range(rows):
                joining = coordinate[start + place]
                after = whole[np.uint32(base + min(new_lo, joining) * ranks + max(new_hi, joining))]
                total[to + place] += after - whole[np.uint32(base + min(lo, joining) * ranks + max(hi, joining))]
    else:
        add_slow(how, whole, mass, scale, column, coordinate, start, rows, new_lo, new_hi, ADDED, total, to)
        add_slow(how, whole, mass, scale, column, coordinate, start, rows, lo, hi, TAKEN_AWAY, total, to)


@inner_kernel
def add_seed(how, whole, mass, scale, seed, coordinate, room, rows, total):
    """Add to total[place] what a row costs together with the row at `seed`: all columns in one call."""
    for column in range(how.shape[0]):
        start = np.uint64(column * room)
        own = coordinate[column * room + seed]
        form = how[column, FORM]
        if form == FLAT:
            full = how[column, FULL]
            for place in range(rows):
                total[place] += np.int32(full if coordinate[start + place] != own else 0)
        elif form == LINE:
            most = np.int32(how[column, FULL])
            for place in range(rows):
                price = min(np.int32(abs(np.int32(own - coordinate[start + place]))), most)
                total[place] = np.int32(total[place] + price)
        elif form == TABLE:
            row = how[column, START] + own * how[column, RANKS]  # the table reads the same across
            for place in range(rows):
                total[place] += whole[np.uint32(row + coordinate[start + place])]
        else:
            add_slow(how, whole, mass, scale, column, coordinate, start, rows, own, own, ADDED, total, np.uint64(0))
