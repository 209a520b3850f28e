"""The loss metric."""

from __future__ import annotations

from typing import ClassVar, Literal

from kanon_cli.measures.base import CellMeasure, FloatArray, Footprint


def share_of_leaves(footprint: Footprint) -> FloatArray:
    """(leaves - 1) / (all leaves - 1); 0 in a domain of one value."""
    result: FloatArray = (footprint.leaves - 1) / max(footprint.all_leaves - 1, 1)
    return result


class Lm(CellMeasure):
    """The share of its domain that a cell was widened by.

    (leaves(B) - 1) / (leaves(A) - 1) for a category, (hi - lo) / (max - min) for a number or a date: 0 for an unchanged
    cell, 1 for a suppressed one.
    Source: Iyengar 2002; Goldberger and Tassa 2010, equation 3.
    """

    name: ClassVar[str] = "lm"
    line: ClassVar[Literal["width", "entropy"]] = "width"

    def price(self, footprint: Footprint) -> FloatArray:
        """The share of the domain."""
        return share_of_leaves(footprint) if footprint.width is None else footprint.width
