"""A forest over the rows in which every tree has k of them, and trees cut into pieces that still have k."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kanon_cli.kernels.jit import kernel, part_kernel
from kanon_cli.kernels.layers import Layers
from kanon_cli.kernels.scans import BLOCK, FAR, Closures, add_slow, add_unions, ask, no_question, rows_alone

IntArray = npt.NDArray[np.int32]
NONE = -1  # no node


class Forest(NamedTuple):
    """Trees of rows. Nodes behind the rows hold pieces together and stand for no row."""

    above: IntArray  # [node] the node that its only edge leads to, NONE at a root
    nearer: IntArray  # [row] itself or a row that is nearer to its root: a short way there
    size: IntArray  # [node] rows of the tree, at its root; after `sum_up` those at the node and below it
    first: IntArray  # [node] its first child
    following: IntArray  # [node] the next child of the same node


def start_forest(layers: Layers, k: int) -> tuple[Forest, Closures]:
    """Let every row be a tree; also give the rows as closures."""
    rows = len(layers.label_of)
    nodes = rows + rows // k + 1
    size = np.zeros(nodes, dtype=np.int32)
    size[:rows] = 1
    none = (np.full(nodes, NONE, dtype=np.int32) for _ in range(3))
    above, first, following = none
    return Forest(above, np.arange(rows, dtype=np.int32), size, first, following), rows_alone(layers, rows)


@part_kernel
def root_of(nearer, row):
    """Return the root of a row's tree, and shorten the way there."""
    while nearer[row] != row:
        nearer[row] = nearer[nearer[row]]
        row = nearer[row]
    return row


@kernel
def plant(forest, closures, layers, costs, k, start, end):
    """Let each tree below k whose root is from start to end grow: its root gets an edge.

    The root is the only row of its tree that has none yet. The edge leads to the row outside that is nearest to it, the
    lowest one of several.
    """
    above, nearer, size = forest.above, forest.nearer, forest.size
    question, total = no_question(layers), np.empty(BLOCK, np.int32)
    has_slow = layers.quick < len(layers.full)
    rows = len(closures.size)
    for root in range(start, end):
        if above[root] >= 0 or size[root] >= k:
            continue
        narrow_asked, asked, paid = ask(closures, layers, costs, root, question)
        best, best_price = -1, np.int64(FAR)
        for first in range(0, rows, BLOCK):
            last = min(first + BLOCK, rows)
            add_unions(
                *(closures.narrow, closures.wide, closures.lo, closures.hi, question, narrow_asked, asked),
                *(layers.lines, layers.quick, layers.full, layers.table, layers.table_at, layers.ranks),
                *(paid, first, last, total),
            )
            if least_price(total, last - first) >= best_price:
                continue
            for i in range(last - first):
                price = np.int64(total[i])
                if price < best_price and root_of(nearer, first + i) != root:
                    if has_slow:
                        price = add_slow(closures, layers, costs, question, first + i, price)
                    if price < best_price:
                        best, best_price = first + i, price
            if best_price == 0:
                break
        above[root] = best
        nearer[root] = root_of(nearer, best)
        size[nearer[root]] += size[root]


@part_kernel
def least_price(total, count):
    """Return the least of the first prices."""
    least = total[0]
    for i in range(1, count):
        least = min(least, total[i])
    return least


@kernel
def sum_up(forest, rows):
    """Hang every node to the one above, the lowest first, and count the rows at it and below it."""
    above, size, first, following = forest.above, forest.size, forest.first, forest.following
    open_children = np.zeros(rows, np.int32)
    for row in range(rows - 1, -1, -1):
        size[row] = 1
        if above[row] >= 0:
            following[row] = first[above[row]]
            first[above[row]] = row
            open_children[above[row]] += 1
    for leaf in range(rows):
        node = np.int64(leaf)
        while above[node] >= 0 and open_children[node] == 0:
            open_children[node] = -1
            size[above[node]] += size[node]
            open_children[above[node]] -= 1
            node = np.int64(above[node])


@part_kernel
def largest_child(forest, node):
    """Return the child with the most rows below it, the first one of several."""
    best, child = forest.first[node], forest.first[node]
    while child >= 0:
        if forest.size[child] > forest.size[best]:
            best = child
        child = forest.following[child]
    return best


@part_kernel
def cut_off(forest, node, child):
    """Take a child from a node."""
    first, following = forest.first, forest.following
    if first[node] == child:
        first[node] = following[child]
    else:
        before = first[node]
        while following[before] != child:
            before = following[before]
        following[before] = following[child]
    following[child] = NONE
    forest.size[node] -= forest.size[child]


@part_kernel
def hang(forest, node, child):
    """Give a node one child more."""
    forest.following[child] = forest.first[node]
    forest.first[node] = child
    forest.size[node] += forest.size[child]


@part_kernel
def look_from_middle(forest, root, rows, k):
    """Look at a tree from a node that it can be cut at; return the node and the child with the most rows."""
    v = root
    while True:
        u = largest_child(forest, v)
        if forest.size[v] - forest.size[u] >= k - (u < rows):
            return v, u
        cut_off(forest, v, u)  # most rows are beyond u: let it be the root
        hang(forest, u, v)
        v = u


@part_kernel
def hand_on(forest, node, other):
    """Take all children from a node and give them to another."""
    while forest.first[node] >= 0:
        child = forest.first[node]
        cut_off(forest, node, child)
        hang(forest, other, child)


@part_kernel
def halve(forest, root, spare, rows, k):
    """Cut a tree of 3 k - 2 rows or more into two that have k each; return their roots.

    `spare` is a node that stands for no row. It may be used to hold children together that lose the node above them.
    """
    first, size = forest.first, forest.size
    v, u = look_from_middle(forest, root, rows, k)
    rest = size[v] - size[u]
    if rest < k:  # k - 1 rows need u itself to be k
        size[v] -= size[u] - 1
        hand_on(forest, u, spare)
        return v, spare
    if size[u] >= k:
        cut_off(forest, v, u)
        return v, u
    own = np.int64(v < rows)
    child = u
    while size[spare] < k - own:
        cut_off(forest, v, child)
        hang(forest, spare, child)
        child = first[v]
    left = size[v] - own
    if own == 1 and left >= k:  # the first part takes v; if the second one has k - 1 rows, that one does
        first[v], first[spare] = first[spare], first[v]
        size[v], size[spare] = size[spare] + 1, left
    return v, spare


@kernel
def cut_up(forest, rows, k, group_of):
    """Cut every tree that is too large in two, again and again, and number the pieces; return how many there are."""
    first, following = forest.first, forest.following
    waiting = np.empty(len(first), np.int32)
    inside = np.empty(len(first), np.int32)
    spare, groups = rows, 0
    for tree in range(rows):
        count = 0
        if forest.above[tree] < 0:
            waiting[0], count = tree, 1
        while count > 0:
            root = np.int64(waiting[count - 1])
            if forest.size[root] > max(2 * k - 1, 3 * k - 3):
                waiting[count - 1], waiting[count] = halve(forest, root, spare, rows, k)
                spare += waiting[count] == spare
                count += 1
                continue
            inside[0], size = root, 1
            while size > 0:
                size -= 1
                node = inside[size]
                if node < rows:
                    group_of[node] = groups
                child = first[node]
                while child >= 0:
                    inside[size] = child
                    size += 1
                    child = following[child]
            groups += 1
            count -= 1
    return groups
