"""Counts of a sensitive column's values, for some classes of a table at a time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]
Tally = tuple[IntArray, IntArray, IntArray, IntArray]  # class, code, people, and who of them lacks one besides


@dataclass(frozen=True)
class Block:
    """Some classes of a table, with the values of a sensitive column that occur in one of them."""

    codes: IntArray  # [place] of these values, rising
    counts: IntArray  # [class, place] people, or rows, with the value
    unsure: IntArray  # [class, place] people among them who have a missing one there, too
    missing: IntArray  # [class] without one
    people: IntArray  # [class]
    settled: IntArray  # [class] without one there, and with a value wherever else they are

    @property
    def possible(self) -> IntArray:
        """[class, place] people who have the value, or may have it, since one of theirs is missing."""
        found: IntArray = self.counts - self.unsure + self.missing[:, None]
        return found

    @property
    def totals(self) -> IntArray:
        """[class] values and missing ones; more than people where someone has several."""
        found: IntArray = self.counts.sum(axis=1) + self.missing
        return found

    def at(self, codes: IntArray) -> Block:
        """The same classes with these values only, all of which occur in them."""
        place = np.searchsorted(self.codes, codes)
        return Block(codes, self.counts[:, place], self.unsure[:, place], self.missing, self.people, self.settled)


def block_of(
    class_of: IntArray, code: IntArray, people: IntArray, unsure: IntArray, of_class: IntArray, settled: IntArray
) -> Block:
    """Lay out what was counted by class and code; the code of missing is -1."""
    codes, place = np.unique(np.append(code, -1), return_inverse=True)
    counts = np.zeros((2, len(of_class), len(codes)), dtype=np.int64)
    counts[:, class_of, place[:-1]] = people, unsure
    return Block(codes[1:], counts[0, :, 1:], counts[1, :, 1:], counts[0, :, 0], of_class, settled)


def unseen(codes: IntArray, missing: IntArray, people: IntArray, settled: IntArray) -> Block:
    """Classes that have none of these values, but missing ones."""
    nobody = np.zeros((len(missing), len(codes)), dtype=np.int64)
    return Block(codes, nobody, nobody, missing, people, settled)


def newcomers(table: Block, block: Block) -> IntArray:
    """[class, place] how many people at the least have the value nowhere in the table, but a missing one in the class.

    Both have the same values. Without people that is each row without a value; who has several rows may have the value
    in another class.
    """
    lacking = table.possible - table.counts
    found: IntArray = np.maximum(lacking - (table.missing - block.missing)[:, None], 0)
    return found
