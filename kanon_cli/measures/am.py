"""The ambiguity metric."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from kanon_cli.measures.base import FloatArray, Measure, Release


class Am(Measure):
    """How many combinations of values a row can stand for on average: the mean of the products of leaves(B).

    An interval counts the different values of the table in it. Combinations that occur nowhere are counted as well.
    `log10` is its logarithm.
    Source: Nergiz and Clifton 2007; Goldberger and Tassa 2010, equation 4.
    """

    name: ClassVar[str] = "am"

    def is_told(self, release: Release) -> bool:
        """Whether all columns tell what they cover."""
        return release.is_whole

    def tally(self, release: Release) -> FloatArray:
        """The combinations of all rows, and the rows."""
        combinations = np.ones(len(release.sizes))
        with np.errstate(over="ignore"):  # beyond 1e308 the figure is not finite, and not reported
            for column in release.columns.values():
                combinations *= column.footprint.leaves[column.cell_of]
            return np.array([(combinations * release.sizes).sum(), release.sizes.sum()], dtype=np.float64)

    def loss(self, tally: FloatArray) -> float:
        """The mean of a row."""
        return float(tally[0] / tally[1])

    def details(self, tally: FloatArray) -> dict[str, float]:
        """Its logarithm: `log10`."""
        return {"log10": math.log10(self.loss(tally))}
