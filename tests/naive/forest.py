"""The forest algorithm of Aggarwal et al., as Gionis, Mazza and Tassa use it, line by line."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

Price = Callable[[Sequence[int]], int]  # what each of some rows costs in one group


@dataclass(eq=False)
class Node:
    """A row, or None for a node that only holds others together, and the nodes below it."""

    row: int | None
    children: list[Node]

    @property
    def rows(self) -> list[int]:
        """All rows of the tree."""
        own = [] if self.row is None else [self.row]
        return own + [row for child in self.children for row in child.rows]

    def __len__(self) -> int:
        return len(self.rows)


def groups(price: Price, k: int, rows: int) -> list[list[int]]:
    """The groups of rows 0 .. rows - 1."""
    edges = plant(price, k, rows)
    return sorted(sorted(piece.rows) for tree in trees(edges, rows) for piece in cut(tree, k))


def plant(price: Price, k: int, rows: int) -> dict[int, int]:
    """One edge at the most from each row: round after round, each tree below k gets one to the nearest row outside."""
    edges: dict[int, int] = {}

    def root(row: int) -> int:
        return root(edges[row]) if row in edges else row

    def tree(row: int) -> list[int]:
        return [other for other in range(rows) if root(other) == root(row)]

    while any(len(tree(row)) < k for row in range(rows)):
        for row in range(rows):
            if row not in edges and len(tree(row)) < k:
                outside = [other for other in range(rows) if root(other) != row]
                edges[row] = min(outside, key=lambda other: (price(sorted((row, other))), other))
    return edges


def trees(edges: Mapping[int, int], rows: int) -> list[Node]:
    """The trees that the edges make, hung up at the row that has none."""
    nodes = [Node(row, []) for row in range(rows)]
    for row in range(rows):
        if row in edges:
            nodes[edges[row]].children.append(nodes[row])
    return [nodes[row] for row in range(rows) if row not in edges]


def cut(v: Node, k: int) -> list[Node]:
    """Pieces of k rows or more, and 3 k - 3 at the most."""
    size = len(v)
    if size <= max(2 * k - 1, 3 * k - 3):
        return [v]
    while True:
        u = max(v.children, key=len)
        rest = size - len(u)
        if rest >= k or (rest == k - 1 and u.row is not None):
            break
        v.children.remove(u)  # step 3: go on with u
        u.children.insert(0, v)
        v = u
    other = Node(None, [])
    if rest == k - 1:  # case B
        u.children, other.children = [], u.children[::-1]
    elif len(u) >= k:  # case A
        v.children.remove(u)
        other = u
    else:  # cases C and D
        child = u
        while len(other) < (k if v.row is None else k - 1):
            v.children.remove(child)
            other.children.insert(0, child)
            child = v.children[0]
        if v.row is not None and len(v) - 1 >= k:
            v.children, other.children = other.children, v.children
    return cut(v, k) + cut(other, k)
