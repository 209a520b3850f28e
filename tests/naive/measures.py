"""Every measure of a release, row by row, from texts alone."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

Cell = str | None
Covers = Callable[[Cell, Cell], bool]  # whether a cell can stand for a value


@dataclass(frozen=True)
class Column:
    """A quasi-identifier: its values and cells, row by row."""

    values: Sequence[Cell]
    cells: Sequence[Cell]
    covers: Covers
    leaves: Callable[[Cell], int]  # how many values of its domain a cell covers
    climbed: Callable[[Cell, Cell], float]  # the share of its way up that a value was taken
    weight: float = 1.0

    def mass(self, cell: Cell) -> int:
        """The rows of the original that a cell covers."""
        return sum(self.covers(cell, value) for value in self.values)

    def bits(self, row: int) -> float:
        """-log2(F(v) / F(B))."""
        return math.log2(self.mass(self.cells[row])) - math.log2(self.values.count(self.values[row]))

    def share(self, cell: Cell, secrets: Sequence[Cell], secret: Cell) -> float:
        """The share of a secret among the rows that a cell covers."""
        covered = [other for value, other in zip(self.values, secrets, strict=True) if self.covers(cell, value)]
        return covered.count(secret) / len(covered)


def mean(columns: Sequence[Column], loss: Callable[[Column, int], float]) -> float:
    """The mean of all cells, columns by weight."""
    rows = range(len(columns[0].values))
    total = sum(column.weight * loss(column, row) for column in columns for row in rows)
    return total / (sum(column.weight for column in columns) * len(rows))


def tree(columns: Sequence[Column]) -> float:
    """Levels climbed by levels to the root."""
    return mean(columns, lambda column, row: column.climbed(column.cells[row], column.values[row]))


def mi(columns: Sequence[Column]) -> float:
    """The non-uniform entropy."""
    return mean(columns, lambda column, row: column.bits(row))


def utility(columns: Sequence[Column]) -> float:
    """I(D; g(D)) by its definition."""
    return mean(columns, lambda column, row: math.log2(len(column.values) / column.mass(column.cells[row])))


def pmi(columns: Sequence[Column], secrets: Sequence[Cell]) -> float:
    """What of the sensitive column is not told any more."""

    def lost(column: Column, row: int) -> float:
        secret, value = secrets[row], column.values[row]
        pairs = zip(column.values, secrets, strict=True)
        alike = [other for own, other in pairs if own == value]
        before = alike.count(secret) / len(alike)
        return -math.log2(column.share(column.cells[row], secrets, secret) / before)

    return mean(columns, lost)


def told(column: Column, secrets: Sequence[Cell]) -> float:
    """I(Y; R(j)): what a column tells about the sensitive one."""
    rows = range(len(secrets))
    shares = [column.share(column.cells[row], secrets, secrets[row]) for row in rows]
    prior = [secrets.count(secrets[row]) / len(secrets) for row in rows]
    return sum(math.log2(share / before) for share, before in zip(shares, prior, strict=True)) / len(secrets)


def am(columns: Sequence[Column]) -> float:
    """The mean number of combinations."""
    rows = range(len(columns[0].values))
    return sum(math.prod(column.leaves(column.cells[row]) for column in columns) for row in rows) / len(rows)


def cm(columns: Sequence[Column], secrets: Sequence[Cell]) -> float:
    """The share of rows that differ from the majority of their class."""
    classes: dict[tuple[Cell, ...], list[Cell]] = {}
    for cells, secret in zip(zip(*(column.cells for column in columns), strict=True), secrets, strict=True):
        classes.setdefault(cells, []).append(secret)
    return sum(len(found) - max(Counter(found).values()) for found in classes.values()) / len(secrets)


def kl(columns: Sequence[Column]) -> float:
    """The divergence of the release from the original, each row spread evenly over what it can stand for."""
    originals = list(zip(*(column.values for column in columns), strict=True))
    released = list(zip(*(column.cells for column in columns), strict=True))
    bits = 0.0
    for original in originals:
        told = sum(
            1 / math.prod(column.leaves(cell) for column, cell in zip(columns, cells, strict=True))
            for cells in released
            if all(column.covers(cell, value) for column, cell, value in zip(columns, cells, original, strict=True))
        )
        bits += math.log2(originals.count(original) / told)
    return bits / len(originals)


def bits_of_pair(first: Sequence[Cell], second: Sequence[Cell]) -> float:
    """The mutual information of two columns of texts."""
    rows = len(first)
    pairs = Counter(zip(first, second, strict=True))
    return sum(
        count / rows * math.log2(count * rows / (first.count(a) * second.count(b))) for (a, b), count in pairs.items()
    )


def all_pairs(names: Sequence[str]) -> list[tuple[str, str]]:
    """Two different names each."""
    return list(itertools.combinations(names, 2))
