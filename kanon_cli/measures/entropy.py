"""The entropy measure."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from kanon_cli.measures.base import CellMeasure, FloatArray, Footprint


class Entropy(CellMeasure):
    """The bits one still misses about the original value, given the cell.

    H(X given X in B) with the column's own frequencies; 0 for an unchanged cell, H(X) for a suppressed one.
    Source: Gionis and Tassa 2007; Gionis, Mazza and Tassa 2008, equation 3.
    """

    name: ClassVar[str] = "entropy"
    line: ClassVar[Literal["width", "entropy"]] = "entropy"

    def price(self, footprint: Footprint) -> FloatArray:
        """log2(F(B)) minus the mean of log2(F(v)) over the covered rows."""
        mass = np.maximum(footprint.mass, 1.0)  # a node that covers no row of the data misses no bit
        bits: FloatArray = np.where(footprint.mass > 0, np.log2(mass) - footprint.mass_log / mass, 0.0)
        return np.maximum(bits, 0.0)  # a single value gives 0 up to rounding
