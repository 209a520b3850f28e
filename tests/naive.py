"""Slow twins: the plain-Python meaning of what kanon computes fast. They share nothing with kanon_cli but names."""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

Row = Sequence[str | None]  # None is missing


@dataclass(frozen=True)
class Numbers:
    """A numeric column with free intervals."""


@dataclass(frozen=True)
class Tree:
    """A categorical column: each label's parent; the root has none."""

    parent_of: Mapping[str, str]

    @property
    def leaves(self) -> set[str]:
        """The labels that are nobody's parent."""
        return set(self.parent_of) - set(self.parent_of.values())

    def above(self, label: str) -> list[str]:
        """The label and all above it, the root last."""
        way = [label]
        while way[-1] in self.parent_of:
            way.append(self.parent_of[way[-1]])
        return way

    def below(self, label: str) -> set[str]:
        """The leaves that a label covers."""
        return {leaf for leaf in self.leaves if label in self.above(leaf)}

    def height(self, label: str) -> int:
        """The longest way down from a label."""
        return max(self.above(leaf).index(label) for leaf in self.below(label))


Column = Numbers | Tree


@dataclass(frozen=True)
class Table:
    """Rows, the columns' kinds, and one sensitive value a row."""

    rows: Sequence[Row]
    columns: Sequence[Column]
    weights: Sequence[float] = ()
    secrets: Sequence[str | None] = field(default_factory=tuple)

    def values(self, column: int) -> list[str | None]:
        """A column, row by row."""
        return [row[column] for row in self.rows]


def cell_loss(table: Table, column: int, members: Sequence[int], measure: str) -> float:
    """What one cell loses in a group of these rows."""
    kind = table.columns[column]
    group = {table.rows[row][column] for row in members}
    everybody = table.values(column)
    if len(group) == 1:
        return 0.0
    covered = set(everybody) if None in group else _covered(kind, group, set(everybody))
    if measure == "entropy":
        counts = [count for value, count in Counter(everybody).items() if value in covered]
        total = sum(counts)
        return -sum(count / total * math.log2(count / total) for count in counts)
    if isinstance(kind, Numbers):
        return 1.0 if None in group else _width(group) / _width(set(everybody) - {None})
    return _tree_loss(kind, group, None in everybody, measure)


def _width(values: set[str | None]) -> float:
    numbers = [float(value) for value in values if value is not None]
    return max(numbers) - min(numbers)


def _covered(kind: Column, group: set[str | None], everybody: set[str | None]) -> set[str | None]:
    present = [value for value in group if value is not None]
    if isinstance(kind, Numbers):
        least, most = min(map(float, present)), max(map(float, present))
        return {value for value in everybody if value is not None and least <= float(value) <= most}
    node = _join(kind, present)
    below = kind.below(node)
    return {value for value in everybody if node not in kind.parent_of or value in below}


def _join(tree: Tree, labels: Sequence[str]) -> str:
    """The lowest label above all of these."""
    return next(label for label in tree.above(labels[0]) if all(label in tree.above(other) for other in labels))


def _tree_loss(tree: Tree, group: set[str | None], has_missing: bool, measure: str) -> float:
    leaves = len(tree.leaves) + has_missing
    root = next(iter(tree.above(next(iter(tree.leaves)))[-1:]))
    node = root if None in group else _join(tree, [value for value in group if value is not None])
    below = leaves if node == root else len(tree.below(node))
    if measure == "lm":
        return (below - 1) / (leaves - 1)
    if measure == "gcp":
        return below / leaves
    if measure == "il":
        return tree.height(node) / tree.height(root)
    raise ValueError(measure)


def loss(table: Table, groups: Sequence[Sequence[int]], measure: str) -> float:
    """The mean loss of a cell, columns by weight."""
    weights = table.weights or [1.0] * len(table.columns)
    total = sum(
        weight * len(members) * cell_loss(table, column, members, measure)
        for members in groups
        for column, weight in enumerate(weights)
    )
    return total / (sum(weights) * len(table.rows))


def keeps(table: Table, members: Sequence[int], k: int, diversity: Fraction | None) -> bool:
    """Whether a group keeps k and frequency l, a missing sensitive value counting with the most frequent one."""
    if len(members) < k:
        return False
    if diversity is None:
        return True
    counts = Counter(table.secrets[row] for row in members)
    missing = counts.pop(None, 0)
    return (max(counts.values(), default=0) + missing) * diversity <= len(members)


def partitions(rows: Sequence[int]) -> Iterator[list[list[int]]]:
    """All ways to put rows into groups."""
    if not rows:
        yield []
        return
    first, rest = rows[0], rows[1:]
    for size in range(len(rest) + 1):
        for others in itertools.combinations(rest, size):
            left = [row for row in rest if row not in others]
            for groups in partitions(left):
                yield [[first, *others], *groups]


def optimum(table: Table, k: int, diversity: Fraction | None, measure: str) -> float | None:
    """The least loss of any grouping that keeps the promise; None if there is none."""
    found = [
        loss(table, groups, measure)
        for groups in partitions(range(len(table.rows)))
        if all(keeps(table, members, k, diversity) for members in groups)
    ]
    return min(found, default=None)


def groups_of(group_of: Sequence[int]) -> list[list[int]]:
    """The rows of each group."""
    found: dict[int, list[int]] = defaultdict(list)
    for row, group in enumerate(group_of):
        found[group].append(row)
    return [found[group] for group in sorted(found)]
