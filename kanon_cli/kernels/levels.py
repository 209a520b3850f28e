"""The trees of a problem, laid out level by level."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kanon_cli.kernels.costs import Costs, price
from kanon_cli.kernels.jit import kernel

IntArray = npt.NDArray[np.int64]


class Levels(NamedTuple):
    """Columns in the order of a search: trees first, with the ancestors of every leaf by depth, and then lines.

    `level_at[column]` says where a tree column's level 0, the root, starts.
    """

    column_of: IntArray  # [column] its number in the costs
    ranks: IntArray  # [column]
    trees: np.int64  # how many columns are trees
    deepest: IntArray  # [column] the last level, where every leaf stands for itself; 0 for lines; one longer
    level_at: IntArray  # [column]
    node: npt.NDArray[np.int32]  # [level_at + depth * ranks + rank] the ancestor, numbered within the column
    price: npt.NDArray[np.int32]  # the same of its price
    is_repeated: npt.NDArray[np.bool_]  # the same: it is a leaf that is less deep and has had its turn


def lay_out(costs: Costs, trees: Sequence[int], lines: Sequence[int]) -> Levels:
    """Put the columns in order."""
    columns = np.array([*trees, *lines], dtype=np.int64)
    laid = [_ancestors(costs, column) for column in trees]
    lengths = [node.size for node, _, _ in laid]
    none = np.empty(0, dtype=np.int64)
    return Levels(
        column_of=columns,
        ranks=costs.ranks[columns],
        trees=np.int64(len(trees)),
        deepest=np.array([*(len(node) - 1 for node, _, _ in laid), *([0] * (len(lines) + 1))], dtype=np.int64),
        level_at=np.cumsum([0, *lengths, *([0] * len(lines))])[: len(columns)].astype(np.int64),
        node=np.concatenate([none, *(node.ravel() for node, _, _ in laid)]).astype(np.int32),
        price=np.concatenate([none, *(prices.ravel() for _, prices, _ in laid)]).astype(np.int32),
        is_repeated=np.concatenate([none, *(repeated.ravel() for _, _, repeated in laid)]).astype(np.bool_),
    )


def _ancestors(costs: Costs, column: int) -> tuple[IntArray, IntArray, npt.NDArray[np.bool_]]:
    """By depth and rank: the ancestor, its price, whether it is a leaf that has had its turn."""
    ranks, at = int(costs.ranks[column]), int(costs.joint_at[column])
    joint = costs.joint[at : at + ranks - 1].astype(np.int64)
    nodes = int(joint.max(initial=-1)) + 1
    parent = np.empty(nodes, dtype=np.int32)
    parents(joint, parent)
    price_of = np.zeros(nodes + ranks, dtype=np.int64)  # leaves come after the nodes
    price_of[nodes:] = costs.leaf[costs.leaf_at[column] :][:ranks]
    depth = np.zeros(nodes + ranks, dtype=np.int64)
    fill_nodes(costs, column, joint, parent, price_of, depth)
    above = np.maximum(np.append(-1, joint), np.append(joint, -1))  # of a leaf: the deeper of its two joints
    up = np.concatenate([parent.astype(np.int64), above])
    depth[nodes:] = np.where(above >= 0, depth[above] + 1, 0)
    here = np.arange(nodes, nodes + ranks)
    levels, repeated = [], []
    for level in range(int(depth.max()), -1, -1):
        levels.append(here)
        repeated.append(depth[here] < level)
        here = np.where((depth[here] == level) & (level > 0), up[here], here)
    node = np.stack(levels[::-1])
    return np.unique(node, return_inverse=True)[1].reshape(node.shape), price_of[node], np.stack(repeated[::-1])


@kernel
def parents(joint, parent):
    """Write each node's parent into parent[node]: -1 for the root, -2 for what joins no neighbours.

    `joint[rank]` is the nearest common ancestor of the leaves rank and rank + 1; ancestors have smaller numbers, so the
    parent is the larger of the nearest smaller numbers to the left and to the right.
    """
    for node in range(len(parent)):
        parent[node] = -2
    waiting = np.empty(len(joint), dtype=np.int64)  # nodes to the left, ancestors first
    count = 0
    for node in joint:
        while count > 0 and waiting[count - 1] > node:
            count -= 1
            parent[waiting[count]] = node if count == 0 else max(node, waiting[count - 1])
        if count == 0 or waiting[count - 1] < node:
            waiting[count] = node
            count += 1
    for at in range(count):
        parent[waiting[at]] = -1 if at == 0 else waiting[at - 1]


@kernel
def fill_nodes(costs, column, joint, parent, price_of, depth):
    """Write the price and the depth of every node that joins neighbours."""
    for rank in range(len(joint)):
        price_of[joint[rank]] = price(costs, column, np.int64(rank), np.int64(rank + 1))
    for node in range(len(parent)):  # ancestors have smaller numbers
        if parent[node] >= 0:
            depth[node] = depth[parent[node]] + 1
