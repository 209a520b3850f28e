"""What every measure is: the loss of a table, taken from its cells and classes alone."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt

from kanon_cli.parts import Part

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Footprint:
    """What generalized cells of one column cover, cell by cell, beside what the whole column covers."""

    leaves: IntArray  # [cell] how many values of the domain
    height: IntArray  # [cell] levels from the covered node down to its deepest leaf
    width: FloatArray | None  # [cell] share of the domain's range; None where the domain has no distances
    mass: FloatArray  # [cell] rows of the original whose value is covered
    mass_log: FloatArray  # [cell] sum of f * log2(f) over the covered values, f being a value's rows
    all_leaves: int
    all_height: int


@dataclass(frozen=True)
class Column:
    """A quasi-identifier of a released table: its different cells, how often each stands there, and its weight."""

    footprint: Footprint
    rows: IntArray  # [cell]
    weight: float  # as in the spec; measures bring the mean to 1


@dataclass(frozen=True)
class Release:
    """What measures look at: the released cells of each quasi-identifier, and the sizes of the classes."""

    columns: dict[str, Column]
    sizes: IntArray  # [class]
    suppressed_rows: int
    k: int


class Measure(Part):
    """A loss: `tally` takes sums that add up over the parts of a table, `loss` makes one number of them."""

    name: ClassVar[str]

    def tally(self, release: Release) -> FloatArray:
        """The sums that the loss is made of: those of two parts of a table add up to those of the whole."""
        raise NotImplementedError

    def loss(self, tally: FloatArray) -> float:
        """The loss of the release that was tallied."""
        raise NotImplementedError

    def details(self, tally: FloatArray) -> dict[str, float]:  # noqa: ARG002  most measures have none
        """Further figures."""
        return {}


def _total(price: FloatArray, rows: IntArray) -> float:
    """The price of all rows, exactly rounded: the same whatever order the cells come in."""
    return math.fsum((price * rows).tolist())


class CellMeasure(Measure):
    """A loss that is a mean over cells, so that it can be minimised as well as reported."""

    line: ClassVar[Literal["width", "entropy"]]  # how it prices an interval of a domain with distances

    def price(self, footprint: Footprint) -> FloatArray:
        """The loss of each cell."""
        raise NotImplementedError

    def by_column(self, release: Release) -> dict[str, float]:
        """The mean loss of a cell, column by column, without weights."""
        return {
            name: _total(self.price(column.footprint), column.rows) / float(column.rows.sum())
            for name, column in release.columns.items()
        }

    def tally(self, release: Release) -> FloatArray:
        """The loss of all cells by weight, the weight of all cells, the loss of all cells without weights."""
        sums = np.zeros(3)
        for column in release.columns.values():
            lost = _total(self.price(column.footprint), column.rows)
            sums += (column.weight * lost, column.weight * float(column.rows.sum()), lost)
        return sums

    def loss(self, tally: FloatArray) -> float:
        """The mean loss of a cell, each column by its weight."""
        return float(tally[0] / tally[1])
