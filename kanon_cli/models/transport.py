"""How much has to be moved how far to make the values of a class those of the table."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from kanon_cli.models.blocks import Block, IntArray
from kanon_cli.models.evidence import Secret
from kanon_cli.tables.taxonomy import Taxonomy

LONGEST = 1 << 60  # products that may get longer, of which four are added up, are worked out in numbers of any length

Whole = npt.NDArray[Any]  # int64, or objects where these are too short


class Ways:
    """Names: any two are as far apart as can be."""

    whole = 2  # the way that counts as 1
    far = 1  # how far a missing value may lie
    width = 1  # numbers that are worked out for each class, besides those of its values

    def __init__(self, table: Block) -> None:
        self.table = table
        self.everything = int(table.totals[0])

    @cached_property
    def is_long(self) -> bool:
        """Whether sums may not fit into 64 bits."""
        return self.whole * self.everything**2 >= LONGEST

    def totals(self, block: Block) -> Whole:
        """[class] values and missing ones, in numbers that are long enough for what follows."""
        return block.totals.astype(object) if self.is_long else block.totals

    def moved(self, block: Block) -> Whole:
        """[class] rows times way, times the rows of the class and those of the table."""
        there = self.table.at(block.codes).counts
        elsewhere = self.table.counts.sum() - there.sum()
        inside: Whole = np.abs(self.everything * block.counts - block.totals[:, None] * there).sum(axis=1)
        found: Whole = inside + block.totals * elsewhere
        return found


class WaysOnALine(Ways):
    """Numbers: as far apart as their ranks. What has to cross the edge behind each of them is added up."""

    def __init__(self, table: Block, values: int) -> None:
        super().__init__(table)
        self.middle = (values - 1) // 2  # the line is held there: edges before it move what lies on their left
        self.whole = max(values - 1, 1)
        self.far = max(values - 1 - self.middle, 0)
        counts = np.zeros(values, dtype=np.int64)
        counts[table.codes] = table.counts[0]
        self.below = np.cumsum(counts)  # [rank] how many have it or a lower one
        self.sums = np.append(0, np.cumsum(self.below))

    def moved(self, block: Block) -> Whole:
        """Between two values that occur, what crosses an edge is a constant less a number that rises with the rank."""
        last = len(self.below) - 1
        ends = np.unique(np.concatenate([block.codes, np.array([0, self.middle, last])]))
        start, end = ends[:-1], ends[1:]
        inside = np.cumsum(np.pad(block.counts, ((0, 0), (1, 0))), axis=1)
        before = self.everything * inside[:, np.searchsorted(block.codes, start, side="right")]
        lack = block.totals * self.below[-1] - self.everything * inside[:, -1]
        constant: Whole = before + np.where(start >= self.middle, lack[:, None], 0)
        turn = np.searchsorted(self.below, constant // block.totals[:, None], side="right").clip(start, end)
        totals, sums = self.totals(block), self.sums
        if self.is_long:
            constant, turn = constant.astype(object), turn.astype(np.int64)
        rising = 2 * sums[turn] - sums[start] - sums[end]
        found: Whole = (constant * (2 * turn - start - end) - totals[:, None] * rising).sum(axis=1)
        return found


class WaysInATree(Ways):
    """Leaves: as far apart as their lowest common node is high. What has to leave or enter each node is added up."""

    def __init__(self, table: Block, tree: Taxonomy) -> None:
        super().__init__(table)
        self.whole = 2 * int(tree.height[0])
        self.far = int(tree.height[0])
        self.width = len(tree.label)
        self.rise = (tree.height[tree.parent[1:]] - tree.height[1:]).astype(np.int64)
        self.first, self.behind = tree.first[1:], tree.last[1:] + 1

    def moved(self, block: Block) -> Whole:
        """Rows times the way from a node to the one above."""
        there, inside = self._by_node(self.table), self._by_node(block)
        found: Whole = (self.rise * np.abs(self.everything * inside - block.totals[:, None] * there)).sum(axis=1)
        return found

    def _by_node(self, block: Block) -> IntArray:
        """[class, node] rows whose value lies below it."""
        inside = np.cumsum(np.pad(block.counts, ((0, 0), (1, 0))), axis=1)
        places = [np.searchsorted(block.codes, edge) for edge in (self.behind, self.first)]
        found: IntArray = inside[:, places[0]] - inside[:, places[1]]
        return found


def ways(secret: Secret, table: Block) -> Ways:
    """How far values are apart, by what they are."""
    if secret.is_ordered:
        return WaysOnALine(table, secret.values)
    if secret.tree is None or len(secret.tree.label) == 1:
        return Ways(table)
    return WaysInATree(table, secret.tree)
