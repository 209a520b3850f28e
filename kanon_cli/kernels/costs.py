"""The price of an interval of ranks, for every kind of column, in whole numbers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kanon_cli.kernels.jit import inner_kernel, kernel

FINEST_UNIT = 1 << 24  # the price 1.0, unless rows would cost too much: whole numbers, so that sums have no order
ROW_LIMIT = (1 << 29) - (1 << 16)  # no row costs 2 ** 29, rounding included: 32 bits have room for marks above

FLAT = 0  # everything but a single rank costs the same
LINE = 1  # the difference of two positions
TABLE = 2  # every interval's price is tabulated: few ranks
TREE = 3  # the price of the nearest common ancestor
CURVE = 4  # the entropy inside the interval, or the logarithm of its rows, by prefix sums


class Costs(NamedTuple):
    """Numbers of all columns laid end to end; `*_at[column]` says where a column's numbers start.

    A tree column always has its `joint` (also when it is priced by table), so that a kernel can ask for ancestors.
    FLAT and LINE columns keep cells for nothing. Where keeping costs something, a search counts what every grouping
    pays: the prices of the kept cells, `Problem.floor` in all.
    """

    unit: np.int64  # the price 1.0
    form: npt.NDArray[np.int64]  # [column] FLAT | LINE | TABLE | TREE | CURVE
    ranks: npt.NDArray[np.int64]  # [column]
    is_tree: npt.NDArray[np.bool_]  # [column]
    has_missing: npt.NDArray[np.bool_]  # [column] its last rank is the missing value
    full: npt.NDArray[np.int64]  # [column] the price of suppression
    table: npt.NDArray[np.int32]  # TABLE: [lo * ranks + hi], and [hi * ranks + lo]
    table_at: npt.NDArray[np.int64]
    joint: npt.NDArray[np.int32]  # trees: [level * ranks + rank] joins the 2 ** level + 1 leaves from rank
    joint_at: npt.NDArray[np.int64]
    node_price: npt.NDArray[np.int32]  # trees: [node]
    node_at: npt.NDArray[np.int64]
    position: npt.NDArray[np.int32]  # LINE: [rank]
    position_at: npt.NDArray[np.int64]
    mass: npt.NDArray[np.float64]  # CURVE: [rank] rows before it, and [ranks] all rows
    mass_log: npt.NDArray[np.float64]  # CURVE: the same of f * log2(f); zeros where only the rows count
    mass_at: npt.NDArray[np.int64]
    leaf: npt.NDArray[np.int32]  # [rank] the price of a cell that is kept: 0 but for measures that count rows
    leaf_at: npt.NDArray[np.int64]
    scale: npt.NDArray[np.float64]  # [column] weight * unit
    level_of: npt.NDArray[np.int32]  # [distance] floor(log2(distance))


@inner_kernel
def joining_node(joint, base, ranks, level, lo, hi):
    """Return the node that joins the leaves lo < hi, from the sparse table that starts at `base`."""
    row = base + level * ranks
    return min(joint[row + lo], joint[row + hi - (1 << level)])


@inner_kernel
def bits_between(mass, mass_log, base, lo, hi):
    """Return the entropy inside lo..hi."""
    rows = mass[base + hi + 1] - mass[base + lo]
    logs = mass_log[base + hi + 1] - mass_log[base + lo]
    return max(np.log2(rows) - logs / rows, 0.0)


@inner_kernel
def ancestor(costs, column, lo, hi):
    """Return the nearest common ancestor of the leaves lo < hi of a tree column."""
    return joining_node(costs.joint, costs.joint_at[column], costs.ranks[column], costs.level_of[hi - lo], lo, hi)


@inner_kernel
def curve(costs, column, lo, hi):
    """Return the price of lo < hi by entropy."""
    if costs.has_missing[column] and hi == costs.ranks[column] - 1:
        return costs.full[column]
    bits = bits_between(costs.mass, costs.mass_log, costs.mass_at[column], lo, hi)
    return np.int64(np.rint(costs.scale[column] * bits))


@inner_kernel
def price(costs, column, lo, hi):
    """Return what a cell costs that covers the ranks lo to hi."""
    if lo == hi:
        return np.int64(costs.leaf[costs.leaf_at[column] + lo])
    form = costs.form[column]
    if form == FLAT:
        return costs.full[column]
    if form == LINE:
        base = costs.position_at[column]
        return min(np.int64(costs.position[base + hi] - costs.position[base + lo]), costs.full[column])
    if form == TABLE:
        return np.int64(costs.table[costs.table_at[column] + lo * costs.ranks[column] + hi])
    if form == TREE:
        return np.int64(costs.node_price[costs.node_at[column] + ancestor(costs, column, lo, hi)])
    return curve(costs, column, lo, hi)


@kernel
def price_all(costs, lo, hi):
    """Return what a row costs whose cells cover lo[column] to hi[column]."""
    total = np.int64(0)
    for column in range(len(lo)):
        total += price(costs, column, lo[column], hi[column])
    return total


@kernel
def add_union_prices(costs, column, rank, lo, hi, count, total):
    """Add to total[c] the price of the column in cluster c once a record with this rank has joined it, for every c."""
    form = costs.form[column]
    ranks = costs.ranks[column]
    full = costs.full[column]
    if form == FLAT:
        for c in range(count):
            total[c] += full * ((lo[c] != rank) | (hi[c] != rank))
    elif form == LINE:
        base = costs.position_at[column]
        for c in range(count):
            total[c] += min(costs.position[base + max(hi[c], rank)] - costs.position[base + min(lo[c], rank)], full)
    elif form == TABLE:
        base = costs.table_at[column]
        for c in range(count):
            total[c] += costs.table[base + min(lo[c], rank) * ranks + max(hi[c], rank)]
    else:
        for c in range(count):
            total[c] += price(costs, column, min(lo[c], rank), max(hi[c], rank))


@kernel
def tabulate(costs, column, table):
    """Write the price of every interval of a column into table[lo * ranks + hi], and into table[hi * ranks + lo]."""
    ranks = costs.ranks[column]
    for lo in range(ranks):
        for hi in range(lo, ranks):
            table[lo * ranks + hi] = table[hi * ranks + lo] = price(costs, column, lo, hi)
