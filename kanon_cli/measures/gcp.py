"""The global certainty penalty."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from kanon_cli.measures.base import CellMeasure, FloatArray, Footprint


class Gcp(CellMeasure):
    """The share of its domain that a cell covers.

    leaves(B) / leaves(A) for a category, 0 if it is a single value; (hi - lo) / (max - min) for a number or a date.
    Source: Xu et al. 2006; He et al. 2012, definition 1.
    """

    name: ClassVar[str] = "gcp"
    line: ClassVar[Literal["width", "entropy"]] = "width"

    def price(self, footprint: Footprint) -> FloatArray:
        """The normalized certainty penalty."""
        if footprint.width is not None:
            return footprint.width
        share: FloatArray = np.where(footprint.leaves > 1, footprint.leaves / footprint.all_leaves, 0.0)
        return share
