"""The global certainty penalty."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from kanon_cli.measures.base import CellMeasure, FloatArray, Footprint
from kanon_cli.measures.lm import share_of_leaves


class Gcp(CellMeasure):
    """The share of its domain that a cell covers.

    leaves(B) / leaves(A) for a category, 0 if it is a single value; (hi - lo) / (max - min) for a number or a date.
    With `ordered: true` all columns count steps in the order of their values: (values in B - 1) / (values in A - 1).
    Source: Xu et al. 2006; He et al. 2012, definition 1.
    """

    name: ClassVar[str] = "gcp"
    line: ClassVar[Literal["width", "entropy"]] = "width"

    ordered: bool = Field(
        default=False, description="count steps in the order of the values, also of numbers and dates"
    )

    @property
    def by_rank(self) -> bool:
        """Whether intervals count their values."""
        return self.ordered

    def price(self, footprint: Footprint) -> FloatArray:
        """The normalized certainty penalty."""
        if self.ordered:
            return share_of_leaves(footprint)
        if footprint.width is not None:
            return footprint.width
        share: FloatArray = np.where(footprint.leaves > 1, footprint.leaves / footprint.all_leaves, 0.0)
        return share
