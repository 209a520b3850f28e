"""What people, who may have several rows, tell of themselves in each class."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from kanon_cli.models.blocks import IntArray, Tally


@dataclass(frozen=True)
class Told:
    """What each person has in a class: one entry for a class, a value and a person."""

    cells: IntArray  # [entry] class * width + code + 1
    unit_of: IntArray  # [entry]
    rows: IntArray  # [entry]
    width: int

    @cached_property
    def in_class(self) -> IntArray:
        """[entry] a number for the person and the class."""
        found: IntArray = self.cells // self.width * self.units + self.unit_of
        return found

    @cached_property
    def units(self) -> int:
        """More than any person's number."""
        return int(self.unit_of.max()) + 1

    @cached_property
    def is_missing(self) -> npt.NDArray[np.bool_]:
        """[entry] whether it is a missing value."""
        return np.asarray(self.cells % self.width == 0, dtype=np.bool_)

    def tally(self) -> Tally:
        """Count people once a class and value, and those of them who have a missing one in the class."""
        also_missing = np.isin(self.in_class, self.in_class[self.is_missing]) & ~self.is_missing
        pairs, pair_of, people = np.unique(self.cells, return_inverse=True, return_counts=True)
        unsure = np.bincount(pair_of[also_missing], minlength=len(pairs)).astype(np.int64)
        return pairs // self.width, pairs % self.width - 1, people.astype(np.int64), unsure

    def rows_told(self) -> Tally:
        """The rows of each entry by its class and code, with nobody unsure."""
        return self.cells // self.width, self.cells % self.width - 1, self.rows, np.zeros_like(self.rows)

    def settled(self, classes: int, rows_of: IntArray) -> IntArray:
        """[class] how many lack a value in all of their rows without one, of which each person has so many."""
        gone = self.is_missing & (self.rows >= rows_of[self.unit_of])
        return np.bincount(self.in_class[gone] // self.units, minlength=classes).astype(np.int64)

    def doubts(self, classes: int) -> IntArray:
        """[class] see Evidence."""
        gone = self.in_class[self.is_missing]
        known = np.isin(gone, self.in_class[~self.is_missing])
        doubt = np.maximum(self.rows[self.is_missing] - 1, known)
        return np.bincount(gone // self.units, weights=doubt, minlength=classes).astype(np.int64)
