"""What a value of a tree costs on average together with many others, by climbing the tree."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kanon_cli.kernels.costs import Costs, ancestor, price
from kanon_cli.kernels.jit import inner_kernel, kernel

TOP = np.int32(-1)  # above the root


class Climbs(NamedTuple):
    """The trees of all columns, end to end: first a column's leaves, by rank, then its inner nodes."""

    at: npt.NDArray[np.int64]  # [column] where its leaves start, [columns] the end
    above: npt.NDArray[np.int32]  # [at + node] the node above, counted from `at`; TOP above the root
    price: npt.NDArray[np.int64]  # [at + node]
    most: int  # nodes of a tree


def climbs(costs: Costs) -> Climbs:
    """Find the node above each node of each tree; other columns have none."""
    nodes = [0]
    for column, ranks in enumerate(costs.ranks.tolist()):
        joints = costs.joint[costs.joint_at[column] :][: max(ranks - 1, 0)]
        nodes.append(ranks + int(joints.max(initial=0)) + 1 if costs.is_tree[column] else 0)
    at = np.cumsum(nodes).astype(np.int64)
    found = Climbs(at, np.full(at[-1], TOP, dtype=np.int32), np.zeros(at[-1], dtype=np.int64), max(nodes))
    for column in np.flatnonzero(costs.is_tree).tolist():
        plant(costs, column, found.above[at[column] : at[column + 1]], found.price[at[column] : at[column + 1]])
    return found


@kernel
def plant(costs, column, above, price_of):
    """Write what is above each leaf and inner node of a tree, and the prices of its inner nodes.

    Nodes have smaller numbers than those below them. So a node covers the leaves from one joint of neighbours that is
    smaller to the next, and the larger of these two is the node above.
    """
    ranks = costs.ranks[column]
    joint = np.full(ranks + 1, -1, dtype=np.int64)  # joint[i] joins the leaves i - 1 and i; -1 at both ends
    for leaf in range(1, ranks):
        joint[leaf] = ancestor(costs, column, leaf - 1, leaf)
    for leaf in range(ranks):
        upper = max(joint[leaf], joint[leaf + 1])
        above[leaf] = TOP if upper < 0 else ranks + upper
    smaller_before = np.zeros(ranks + 1, dtype=np.int64)
    smaller_after = np.full(ranks + 1, ranks, dtype=np.int64)
    for i in range(1, ranks):
        before = i - 1
        while joint[before] >= joint[i]:
            before = smaller_before[before]
        smaller_before[i] = before
    for i in range(ranks - 1, 0, -1):
        after = i + 1
        while joint[after] >= joint[i]:
            after = smaller_after[after]
        smaller_after[i] = after
        upper = max(joint[smaller_before[i]], joint[after])
        above[ranks + joint[i]] = TOP if upper < 0 else ranks + upper
        price_of[ranks + joint[i]] = price(costs, column, smaller_before[i], after - 1)


@inner_kernel
def mean_prices(above, price, base, ranks, first, end, count, size, rows_below, mean):
    """Write into mean[first:end] what each of the ranks[first:end] costs on average with `size` rows of the tree.

    count[i] of these rows have ranks[i]. rows_below[node] is scratch, all 0 before and after.
    """
    for i in range(first, end):
        node = ranks[i]
        while node >= 0 and count[i] > 0:
            rows_below[node] += count[i]
            node = above[base + node]
    for i in range(first, end):
        node = ranks[i]
        inside, total = rows_below[node], np.int64(0)
        while inside < size:
            node = above[base + node]
            total += price[base + node] * (rows_below[node] - inside)
            inside = rows_below[node]
        mean[i] = total // size
    for i in range(first, end):
        node = ranks[i]
        while node >= 0 and count[i] > 0 and rows_below[node] > 0:
            rows_below[node] = 0
            node = above[base + node]
