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
    depth: IntArray  # [cell] levels from the root down to the covered node
    nearest: IntArray  # [cell] levels from the root down to the nearest leaf below that node
    width: FloatArray | None  # [cell] share of the domain's range; None where the domain has no distances
    mass: FloatArray  # [cell] rows of the original whose value is covered
    mass_log: FloatArray  # [cell] sum of f * log2(f) over the covered values, f being a value's rows
    all_leaves: int
    all_height: int
    all_rows: int  # of the original


@dataclass(frozen=True)
class Own:
    """What is known of the original values of a column's rows; None is what only those know who matched the rows."""

    log_rows: float | None  # sum over the rows of log2(F(v)), F(v) being the rows of the original with its value v
    per_level: FloatArray | None  # [cell] sum over its rows of 1 / levels from v to the root


@dataclass(frozen=True)
class Ties:
    """The sensitive values that stand beside each cell of a column."""

    cell: IntArray  # [pair]
    rows: IntArray  # [pair]
    mass: FloatArray  # [pair] rows of the original whose value is covered and that have this sensitive value
    own_log: float | None  # sum over the rows of log2 of the share that the row's secret has where its value is


@dataclass(frozen=True)
class Column:
    """A quasi-identifier of a released table: its different cells, how often each stands there, and its weight."""

    footprint: Footprint
    rows: IntArray  # [cell]
    weight: float  # as in the spec; measures bring the mean to 1
    cell_of: IntArray  # [class]
    own: Own
    ties: Ties | None = None  # None if there is no sensitive column


@dataclass(frozen=True)
class Release:
    """What measures look at: the released cells of each quasi-identifier, and the classes.

    Where there are several sensitive columns, the first one counts.
    """

    columns: dict[str, Column]
    sizes: IntArray  # [class]
    suppressed_rows: int
    k: int
    is_whole: bool = True  # the cells of all columns tell what they cover
    majority: IntArray | None = None  # [class] rows with its most frequent sensitive value
    secret_log: float | None = None  # sum over the rows of log2 of the share that the row's secret has in the original
    divergence: float | None = None  # sum over the original rows of log2(p / q): see the measure kl


class Measure(Part):
    """A loss: `tally` takes sums that add up over the parts of a table, `loss` makes one number of them."""

    name: ClassVar[str]

    def is_told(self, release: Release) -> bool:  # noqa: ARG002  most measures need no more than classes
        """Whether the release says all that the measure has to know."""
        return True

    def tally(self, release: Release) -> FloatArray:
        """The sums that the loss is made of: those of two parts of a table add up to those of the whole."""
        raise NotImplementedError

    def loss(self, tally: FloatArray) -> float:
        """The loss of the release that was tallied."""
        raise NotImplementedError

    def details(self, tally: FloatArray) -> dict[str, float]:  # noqa: ARG002  most measures have none
        """Further figures."""
        return {}


def total(price: FloatArray, rows: IntArray) -> float:
    """The price of all rows, exactly rounded: the same whatever order the cells come in."""
    return math.fsum((price * rows).tolist())


class CellMeasure(Measure):
    """A loss that is a mean over cells, so that it can be minimised as well as reported."""

    line: ClassVar[Literal["width", "entropy"]]  # how it prices an interval of a domain with distances
    by_row: ClassVar[bool] = (
        False  # whether a cell's loss depends on the row's own value, `price` being a mean or least
    )
    by_rows: ClassVar[bool] = False  # whether it is the logarithm of the cell's rows, less what is the row's own
    by_secret: ClassVar[bool] = False  # whether it depends on the row's sensitive value, too

    @property
    def by_rank(self) -> bool:
        """Whether an interval of numbers or dates costs by the values in it, not by its width."""
        return False

    @property
    def mi_share(self) -> float:
        """Of a measure `by_secret`: how much of it is mutual information, the rest being private."""
        return 1.0

    def price(self, footprint: Footprint) -> FloatArray:
        """The loss of each cell; of a measure `by_row` one that does not depend on the row, for searches."""
        raise NotImplementedError

    def lost(self, column: Column) -> float | None:
        """The loss of all rows of a column together; None if the column doesn't tell."""
        return total(self.price(column.footprint), column.rows)

    def is_told(self, release: Release) -> bool:
        """Whether every column tells its loss."""
        return release.is_whole and all(self.lost(column) is not None for column in release.columns.values())

    def by_column(self, release: Release) -> dict[str, float | None]:
        """The mean loss of a cell, column by column, without weights; None where a column doesn't tell."""
        losses = {name: self.lost(column) for name, column in release.columns.items()}
        return {
            name: None if lost is None else lost / float(release.columns[name].rows.sum())
            for name, lost in losses.items()
        }

    def tally(self, release: Release) -> FloatArray:
        """The loss of all cells by weight, the weight of all cells, the loss of all cells without weights."""
        sums = np.zeros(3)
        for column in release.columns.values():
            lost = self.lost(column) or 0.0
            sums += (column.weight * lost, column.weight * float(column.rows.sum()), lost)
        return sums

    def loss(self, tally: FloatArray) -> float:
        """The mean loss of a cell, each column by its weight."""
        return float(tally[0] / tally[1])
