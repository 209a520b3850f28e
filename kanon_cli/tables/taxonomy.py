"""A tree of labels, numbered so that a node is a range of leaf ranks and the nearest common ancestor is a minimum."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Taxonomy:
    """Nodes are numbered breadth-first (the root is 0), leaves ranked depth-first.

    Breadth-first numbers make the nearest common ancestor of neighbouring leaves comparable: among the nodes that join
    the leaves lo..hi pairwise, the common ancestor of all is the one with the smallest number.
    """

    label: tuple[str, ...]  # [node]
    parent: IntArray  # [node]; -1 for the root
    first: IntArray  # [node] rank of its first leaf
    last: IntArray  # [node] rank of its last leaf
    height: IntArray  # [node] the longest way down
    leaf: IntArray  # [rank] -> node

    @cached_property
    def node_of(self) -> dict[str, int]:
        """The node of each label."""
        return {label: node for node, label in enumerate(self.label)}

    @property
    def size(self) -> int:
        """How many leaves there are."""
        return len(self.leaf)

    def is_leaf(self, node: int) -> bool:
        """Whether a node has no children."""
        return bool(self.height[node] == 0)

    @cached_property
    def joint(self) -> IntArray:
        """[rank] -> the nearest common ancestor of the leaves rank and rank + 1 (one shorter than the leaves)."""
        joint = np.empty(len(self.leaf) - 1, dtype=np.int64)
        nodes = np.arange(1, len(self.label))
        up = self.parent[nodes]
        later = self.first[nodes] > self.first[up]  # every child but the first parts two neighbouring leaves
        joint[self.first[nodes[later]] - 1] = up[later]
        return joint

    @cached_property
    def depth(self) -> IntArray:
        """[node] levels below the root."""
        depth = np.zeros(len(self.label), dtype=np.int64)
        for node in range(1, len(self.label)):
            depth[node] = depth[self.parent[node]] + 1
        return depth

    @cached_property
    def nearest(self) -> IntArray:
        """[node] how many levels below the root the nearest of its leaves is."""
        nearest = np.where(self.height == 0, self.depth, len(self.label))
        for node in range(len(self.label) - 1, 0, -1):
            nearest[self.parent[node]] = min(nearest[self.parent[node]], nearest[node])
        return nearest

    def cover(self, lo: IntArray, hi: IntArray) -> IntArray:
        """The smallest node that covers the leaves of the ranks lo to hi, for many at once."""
        node = self.leaf[lo]
        while (short := self.last[node] < hi).any():
            node = np.where(short, self.parent[node], node)
        return node

    def with_leaf(self, label: str) -> Taxonomy:
        """The same tree with one more leaf, last, right under the root."""
        parent_of = {self.label[n]: self.label[p] for n, p in enumerate(self.parent.tolist()) if p >= 0}
        leaves = [self.label[node] for node in self.leaf.tolist()]
        return grow([*leaves, label], {**parent_of, label: self.label[0]})


def grow(leaves: Sequence[str], parent_of: dict[str, str]) -> Taxonomy:
    """Build the tree from its leaves, in the order that siblings are met, and each label's parent.

    The caller has checked that every way up ends at the one label that has no parent.
    """
    children: dict[str, list[str]] = {}
    seen: set[str] = set()
    root = leaves[0]
    for leaf in leaves:
        label = leaf
        while label in parent_of and label not in seen:
            seen.add(label)
            children.setdefault(parent_of[label], []).append(label)
            label = parent_of[label]
        if label not in parent_of:
            root = label
    order, parent = [root], [-1]
    for node, label in enumerate(order):  # `order` grows while it is walked: breadth-first
        below = children.get(label, [])
        order.extend(below)
        parent.extend([node] * len(below))
    return _number(order, parent)


def _number(order: list[str], parent: list[int]) -> Taxonomy:
    count = len(order)
    leaves_below, height = [0] * count, [0] * count
    children: list[list[int]] = [[] for _ in range(count)]
    for node in range(count - 1, -1, -1):
        if not children[node]:
            leaves_below[node] = 1
        if node:
            up = parent[node]
            children[up].append(node)
            leaves_below[up] += leaves_below[node]
            height[up] = max(height[up], height[node] + 1)
    first, leaf = [0] * count, [0] * leaves_below[0]
    for node in range(count):
        start = first[node]
        if not children[node]:
            leaf[start] = node
        for child in reversed(children[node]):
            first[child] = start
            start += leaves_below[child]
    first_leaf = np.array(first, dtype=np.int64)
    return Taxonomy(
        label=tuple(order),
        parent=np.array(parent, dtype=np.int64),
        first=first_leaf,
        last=first_leaf + np.array(leaves_below, dtype=np.int64) - 1,
        height=np.array(height, dtype=np.int64),
        leaf=np.array(leaf, dtype=np.int64),
    )


def flat(labels: Iterable[str]) -> Taxonomy:
    """The taxonomy of suppression: every label right under the root."""
    leaves = list(labels)
    return grow(leaves, dict.fromkeys(leaves, "*"))
