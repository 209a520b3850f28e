"""The information loss of k-member clustering."""

from __future__ import annotations

from typing import ClassVar, Literal

from kanon_cli.measures.base import CellMeasure, FloatArray, Footprint


class Il(CellMeasure):
    """How far up its taxonomy a cell was taken.

    height(B) / height(taxonomy) for a category, where the height of a node counts the levels to its deepest leaf;
    (hi - lo) / (max - min) for a number or a date. `il_total` is the sum over all cells.
    Source: Byun et al. 2007, definitions 5 and 6.
    """

    name: ClassVar[str] = "il"
    line: ClassVar[Literal["width", "entropy"]] = "width"

    def price(self, footprint: Footprint) -> FloatArray:
        """The share of the taxonomy's height."""
        if footprint.width is not None:
            return footprint.width
        share: FloatArray = footprint.height / max(footprint.all_height, 1)
        return share

    def details(self, tally: FloatArray) -> dict[str, float]:
        """The sum over all cells, without weights: `il_total`."""
        return {"il_total": float(tally[2])}
