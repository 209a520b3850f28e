"""The classification metric."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from kanon_cli.measures.base import FloatArray, Measure, Release


class Cm(Measure):
    """The share of the rows that are suppressed, or whose sensitive value is not the most frequent one of their class.

    Of several sensitive columns the first one counts; a missing value is a value like any other.
    Source: Iyengar 2002; Byun et al. 2007, section 3.4.
    """

    name: ClassVar[str] = "cm"

    def is_told(self, release: Release) -> bool:
        """Whether there is a sensitive column."""
        return release.majority is not None

    def tally(self, release: Release) -> FloatArray:
        """The rows that differ, the suppressed rows, all rows."""
        majority = 0 if release.majority is None else int(release.majority.sum())
        rows = int(release.sizes.sum())
        return np.array([rows - majority, release.suppressed_rows, rows + release.suppressed_rows], dtype=np.float64)

    def loss(self, tally: FloatArray) -> float:
        """The share of both."""
        return float((tally[0] + tally[1]) / tally[2])
