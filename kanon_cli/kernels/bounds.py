"""Prices that never fall as an interval grows, and what a mean is at least, told from a sample."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kanon_cli.kernels.costs import CURVE, FLAT, LINE, TABLE, TREE, Costs
from kanon_cli.kernels.jit import kernel, part_kernel
from kanon_cli.kernels.levels import parents

LARGEST_STAKE = 0.5  # of what could be lost at once
FIRST_SPREAD = 1 / 16  # of the values, as long as there are none to tell it from


def never_falling(costs: Costs, sets: Sequence[bool] = ()) -> Costs:
    """Lower prices until none falls as an interval grows: what covers a box costs at least as much as the box then.

    Of the prices of measures the entropy inside an interval can fall, and those of a tree whose leaves lie at different
    depths; the logarithm of the rows never does. Where too many intervals are to be compared
    for that, the interval's rows over those of the most frequent value take its place: no value in any interval around
    it has a larger share. A column of sets costs at least as much as a set of two.
    """
    form, full, table = costs.form.copy(), costs.full.copy(), costs.table.copy()
    node_price, mass_log, leaf = costs.node_price.copy(), costs.mass_log.copy(), costs.leaf.copy()
    for column, ranks in enumerate(costs.ranks.tolist()):
        if column < len(sets) and sets[column]:
            full[column] = int(costs.scale[column] / ranks) if form[column] == LINE else 0
            form[column] = FLAT
            leaf[costs.leaf_at[column] :][:ranks] = 0
        elif form[column] == TABLE:
            at = int(costs.table_at[column])
            flatten_table(table[at : at + ranks * ranks], ranks)
        elif form[column] == TREE:
            joint = costs.joint[costs.joint_at[column] :][: ranks - 1].astype(np.int64)
            parent = np.empty(int(joint.max(initial=-1)) + 1, dtype=np.int32)
            parents(joint, parent)
            flatten_nodes(node_price[costs.node_at[column] :][: len(parent)], parent)
        elif form[column] == CURVE and mass_log[costs.mass_at[column] :][: ranks + 1].any():
            mass = costs.mass[costs.mass_at[column] :][: ranks + 1]
            mass_log[costs.mass_at[column] :][: ranks + 1] = mass * np.log2(np.diff(mass).max())
    return costs._replace(form=form, full=full, table=table, node_price=node_price, mass_log=mass_log, leaf=leaf)


@kernel
def flatten_table(table, ranks):
    """Lower the price of every interval of ranks to the least of all intervals that contain it."""
    for lo in range(ranks):
        for hi in range(ranks - 1, lo, -1):
            at = lo * ranks + hi
            if lo > 0:
                table[at] = min(table[at], table[at - ranks])
            if hi < ranks - 1:
                table[at] = min(table[at], table[at + 1])


@kernel
def flatten_nodes(node_price, parent):
    """Lower the price of every node of a tree to the least of itself and all nodes above it."""
    for node in range(len(node_price)):
        if parent[node] >= 0:
            node_price[node] = min(node_price[node], node_price[parent[node]])


@part_kernel
def choose_stakes(values, planned, most, log_chances):
    """Choose what to stake on each value, from those before it and how many were planned, to win most in the end."""
    stake = np.empty(len(values))
    count, total, squares = 1.0, 0.0, FIRST_SPREAD**2
    for at in range(len(values)):
        stake[at] = np.sqrt(2 * log_chances * count / (squares * planned[at]))
        value = values[at] / most
        before = total / count
        count += 1
        total += value
        squares += (value - before) * (value - total / count)
    return stake


@part_kernel
def refutes(values, most, stake, rows, total, chances):
    """Say whether values drawn without replacement refute that all rows together have no more than `total`.

    A gambler stakes on each value being above the mean of the rows not yet drawn. If the mean is what it is said to be,
    the game is fair, and the gambler gets `chances` times as rich as before with a chance of one in `chances` at most.
    """
    capital = 1.0
    left = total
    for at in range(len(values)):
        mean = left / (rows - at) / most
        if mean > 0:
            capital *= 1 + min(stake[at], LARGEST_STAKE / mean) * (values[at] / most - mean)
        left -= values[at]
        if left < 0 or capital >= chances:
            return True
    return False


@kernel
def least_total(values, planned, most, rows, chances, log_chances):
    """Return what all rows have together at least, given the values of some, drawn without replacement.

    `planned[at]` says how many were to be drawn as things stood before values[at] was known.
    """
    stake = choose_stakes(values, planned, most, log_chances)
    refuted, possible = np.int64(-1), np.int64(rows) * most
    while possible - refuted > 1:
        middle = (refuted + possible) // 2
        if refutes(values, most, stake, rows, middle, chances):
            refuted = middle
        else:
            possible = middle
    return possible
