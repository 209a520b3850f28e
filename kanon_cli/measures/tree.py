"""The tree measure."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from kanon_cli.measures.base import CellMeasure, Column, FloatArray, Footprint


class Tree(CellMeasure):
    """The share of the way from its value to the root that a cell was taken up.

    Levels from v to B by levels from v to the root for a category, (hi - lo) / (max - min) for a number or a date; a
    set counts a level for each value more. Values that do not lie equally deep have ways of different lengths; the
    search then takes the shortest way below B, which is the least that a row can lose there, and the report takes each
    row's own. Without knowing which row is which that can't be told, and the figure is null.
    Source: Aggarwal et al. 2005; Goldberger and Tassa 2010, section 3.
    """

    name: ClassVar[str] = "tree"
    line: ClassVar[Literal["width", "entropy"]] = "width"
    by_row: ClassVar[bool] = True

    def price(self, footprint: Footprint) -> FloatArray:
        """The share of the shortest way below the node."""
        if footprint.width is not None:
            return footprint.width
        share: FloatArray = 1.0 - footprint.depth / np.maximum(footprint.nearest, 1)
        return share

    def lost(self, column: Column) -> float | None:
        """Sum up the shares of each row's own way."""
        if column.footprint.width is not None:
            return super().lost(column)
        if column.own.per_level is None:
            return None
        lost = column.rows - column.footprint.depth * column.own.per_level
        return float(np.maximum(lost, 0.0).sum())  # a row that was not taken up gives 0 up to rounding
