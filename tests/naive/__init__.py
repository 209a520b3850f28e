"""Slow twins: the plain-Python meaning of what kanon computes fast. They share nothing with kanon_cli but names."""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
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


MI_SHARES = {"mi": 1.0, "wmi": 0.5, "pmi": 0.0}  # of measures that depend on the row


def cell_loss(table: Table, column: int, members: Sequence[int], measure: str) -> float:
    """What one cell loses in a group of these rows."""
    kind = table.columns[column]
    group = {table.rows[row][column] for row in members}
    everybody = table.values(column)
    if len(group) == 1:
        return 0.0
    covered = set(everybody) if None in group else covered_by(kind, group, everybody)
    if measure in MI_SHARES:
        return _own_loss(list(zip(everybody, table.secrets, strict=True)), members, covered, MI_SHARES[measure])
    if measure == "entropy":
        counts = [count for value, count in Counter(everybody).items() if value in covered]
        total = sum(counts)
        return -sum(count / total * math.log2(count / total) for count in counts)
    if isinstance(kind, Tree):
        if measure == "tree":
            return sum(_climbed(kind, group, everybody[row]) for row in members) / len(members)
        return _tree_loss(kind, group, None in everybody, measure)
    return _line_loss(group, covered, set(everybody), measure)


def _line_loss(group: set[str | None], covered: set[str | None], everybody: set[str | None], measure: str) -> float:
    if measure == "gcp ordered":
        return (len(covered) - 1) / (len(everybody) - 1)
    return 1.0 if None in group else _width(group) / _width(everybody - {None})


def _own_loss(
    pairs: Sequence[tuple[str | None, str | None]], members: Sequence[int], covered: set[str | None], w: float
) -> float:
    """The mean over rows of -log2(F(v) / F(B)), and of the same less that of rows alike in the sensitive value."""
    inside = [secret for value, secret in pairs if value in covered]
    total = 0.0
    for value, secret in map(pairs.__getitem__, members):
        alike = [other for own, other in pairs if own == value]
        total += math.log2(len(inside) / len(alike))
        total -= (1 - w) * math.log2(inside.count(secret) / alike.count(secret))
    return total / len(members)


def _climbed(tree: Tree, group: set[str | None], value: str | None) -> float:
    """The share of a value's way to the root that is taken to cover a group."""
    if None in group or value is None:
        return 1.0
    way = tree.above(value)
    return way.index(_join(tree, [other for other in group if other is not None])) / (len(way) - 1)


def _width(values: set[str | None]) -> float:
    numbers = [float(value) for value in values if value is not None]
    return max(numbers) - min(numbers)


def covered_by(kind: Column, group: set[str | None], everybody: Collection[str | None]) -> set[str | None]:
    """The values that the cell of a group covers, a missing one not being among the group's."""
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
    if measure in ("lm", "gcp ordered"):
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


def groups_of(group_of: Sequence[int]) -> list[list[int]]:
    """The rows of each group."""
    found: dict[int, list[int]] = defaultdict(list)
    for row, group in enumerate(group_of):
        found[group].append(row)
    return [found[group] for group in sorted(found)]


# A release as a stranger reads it: cells are text, a missing one is empty.


def covers(kind: Column, cell: str, value: str | None) -> bool:
    """Whether a released cell can stand for an original value."""
    if cell in ("*", value or ""):
        return True
    if value is None or cell == "":
        return False
    if isinstance(kind, Numbers):
        least, most = bounds(cell)
        return least <= float(value) <= most
    return cell in kind.above(value)


def bounds(cell: str) -> tuple[float, float]:
    """The numbers that [least-most], or a plain number, covers."""
    match = re.fullmatch(r"\[(-?\d+)-(-?\d+)\]", cell)
    return (float(match[1]), float(match[2])) if match else (float(cell), float(cell))


def released_loss(table: Table, column: int, cell: str, measure: str) -> float:
    """What a released cell loses, told from the cell alone."""
    kind, values = table.columns[column], table.values(column)
    if cell != "*" and (cell == "" or cell in values):
        return 0.0
    if measure == "entropy":
        counts = [count for value, count in Counter(values).items() if covers(kind, cell, value)]
        total = sum(counts)
        return -sum(count / total * math.log2(count / total) for count in counts)
    if isinstance(kind, Numbers):
        least, most = bounds(cell) if cell != "*" else (0.0, 1.0)
        return 1.0 if cell == "*" else (most - least) / _width(set(values) - {None})
    root = kind.above(min(kind.leaves))[-1]
    leaves = len(kind.leaves) + (None in values)
    below = leaves if cell == "*" else len(kind.below(cell))
    if measure == "lm":
        return (below - 1) / (leaves - 1)
    if measure == "gcp":
        return below / leaves
    return kind.height(root if cell == "*" else cell) / kind.height(root)


def cells_for(table: Table, column: int, value: str | None) -> list[str]:
    """All cells that can stand for a value of a column."""
    kind, present = table.columns[column], {value for value in table.values(column) if value is not None}
    if value is None:
        return ["", "*"]
    if isinstance(kind, Tree):
        return [*kind.above(value)[:-1], "*"]
    below = [other for other in present if float(other) <= float(value)]
    beyond = [other for other in present if float(other) >= float(value)]
    return [value, "*", *(f"[{low}-{high}]" for low in below for high in beyond if low != high)]


def hiding_loss(table: Table, k: int, measure: str) -> float:
    """The mean of what each row loses if it takes the cheapest cells that k rows could have."""
    rows = range(len(table.rows))
    total = 0.0
    for row in rows:
        choices = []
        for column, weight in enumerate(table.weights):
            kind, values = table.columns[column], table.values(column)
            cells = cells_for(table, column, values[row])
            covered = [{other for other in rows if covers(kind, cell, values[other])} for cell in cells]
            losses = [weight * released_loss(table, column, cell, measure) for cell in cells]
            choices.append(list(zip(covered, losses, strict=True)))
        total += min(
            sum(loss for _, loss in cells)
            for cells in itertools.product(*choices)
            if len(set.intersection(*(covered for covered, _ in cells))) >= k
        )
    return total / (sum(table.weights) * len(table.rows))


def pair_price(table: Table, row: int, other: int, measure: str) -> float:
    """The least loss of cells that cover both of two rows."""
    return sum(
        weight
        * min(
            released_loss(table, column, cell, measure)
            for cell in cells_for(table, column, table.rows[row][column])
            if covers(table.columns[column], cell, table.rows[other][column])
        )
        for column, weight in enumerate(table.weights)
    )


def matched(table: Table, released: Sequence[Sequence[str]], secrets: Sequence[str]) -> int:
    """How many released rows can each have an original row of their own that they are true of."""
    fits = [
        [
            row
            for row, original in enumerate(table.rows)
            if secret == (table.secrets[row] or "")
            and all(covers(kind, cell, value) for kind, cell, value in zip(table.columns, cells, original, strict=True))
        ]
        for cells, secret in zip(released, secrets, strict=True)
    ]
    return pairs(fits)


def pairs(fits: Sequence[Sequence[int]]) -> int:
    """How many places can each have one of those that fit to themselves (augmenting paths)."""
    owner: dict[int, int] = {}

    def find(place: int, seen: set[int]) -> bool:
        for row in fits[place]:
            if row not in seen:
                seen.add(row)
                if row not in owner or find(owner[row], seen):
                    owner[row] = place
                    return True
        return False

    return sum(find(place, set()) for place in range(len(fits)))
