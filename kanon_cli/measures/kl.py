"""The Kullback-Leibler divergence."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from kanon_cli.measures.base import FloatArray, Measure, Release


class Kl(Measure):
    """How many bits the joint distribution of the quasi-identifiers in the release is away from that of the original.

    The mean over the original rows of log2(p / q): p is the share of the rows that are equal to it, q what the release
    says that this share is, each released row being spread evenly over the combinations of values that it can stand
    for (a suppressed one over all). It is null for tables so large that looking for all rows in all classes would take
    too long.
    Source: Kifer and Gehrke 2006.
    """

    name: ClassVar[str] = "kl"

    def is_told(self, release: Release) -> bool:
        """Whether the release was compared row by row."""
        return release.divergence is not None

    def tally(self, release: Release) -> FloatArray:
        """The bits of all original rows, and the rows."""
        rows = int(release.sizes.sum()) + release.suppressed_rows
        return np.array([release.divergence or 0.0, rows], dtype=np.float64)

    def loss(self, tally: FloatArray) -> float:
        """The mean of a row."""
        return max(float(tally[0] / tally[1]), 0.0)  # equal distributions give 0 up to rounding
