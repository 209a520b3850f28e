"""The mutual information measure."""

from __future__ import annotations

import math
from typing import ClassVar, Literal

import numpy as np

from kanon_cli.measures.base import CellMeasure, Column, FloatArray, Footprint, Release, total
from kanon_cli.measures.entropy import Entropy


class Mi(CellMeasure):
    """The bits that a row's own value would still tell, given its cell: -log2(F(v) / F(B)).

    F(v) and F(B) count the rows of the original with the value v, and with a value in B. Hiding a frequent value costs
    less than hiding a rare one. `utility` is what the cells do tell, I(D; g(D)): the mean of the columns' entropies
    less this loss. What depends on the row's value alone is the same in every release, so that it is enough to
    minimise log2(F(B)), also of kept cells; an algorithm that takes it that kept cells are free searches by the mean of
    the loss over the rows that a cell covers instead, which is `entropy`, and its groups are polished by the loss.
    Source: Gionis and Tassa 2007 (non-uniform entropy); Goldberger and Tassa 2010, equations 9 and 10.
    """

    name: ClassVar[str] = "mi"
    line: ClassVar[Literal["width", "entropy"]] = "entropy"
    by_row: ClassVar[bool] = True
    by_rows: ClassVar[bool] = True

    def price(self, footprint: Footprint) -> FloatArray:
        """The mean over the rows that the cell covers."""
        return Entropy().price(footprint)

    def lost(self, column: Column) -> float | None:
        """Sum up log2(F(B)) - log2(F(v))."""
        if column.own.log_rows is None:
            return None
        bits = np.log2(np.maximum(column.footprint.mass, 1.0))
        return max(total(bits, column.rows) - column.own.log_rows, 0.0)

    def tally(self, release: Release) -> FloatArray:
        """Add to the usual sums, by weight, what the rows' values tell as they were."""
        told = 0.0
        for column in release.columns.values():
            own = column.own.log_rows or 0.0
            told += column.weight * (float(column.rows.sum()) * math.log2(column.footprint.all_rows) - own)
        return np.append(super().tally(release), told)

    def details(self, tally: FloatArray) -> dict[str, float]:
        """What the cells tell: `utility`."""
        return {"utility": float((tally[3] - tally[0]) / tally[1])}
