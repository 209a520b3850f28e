"""The discernibility metric."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from kanon_cli.measures.base import FloatArray, Measure, Release


class Dm(Measure):
    """For every row, the number of rows that look like it: the sum of the squared class sizes.

    A suppressed row counts as many rows as the table has.
    Source: Bayardo and Agrawal 2005.
    """

    name: ClassVar[str] = "dm"

    def tally(self, release: Release) -> FloatArray:
        """The squared class sizes, the suppressed rows, all rows."""
        rows = int(release.sizes.sum()) + release.suppressed_rows
        return np.array([release.sizes @ release.sizes, release.suppressed_rows, rows], dtype=np.float64)

    def loss(self, tally: FloatArray) -> float:
        """The squared class sizes, plus suppressed rows times all rows."""
        return float(tally[0] + tally[1] * tally[2])
