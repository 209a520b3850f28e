"""The normalized average class size."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from kanon_cli.measures.base import FloatArray, Measure, Release


class ClassSize(Measure):
    """How many times larger than k the classes are on average: n / (k * classes); 1 is the best there can be.

    `aecs` is the peers' figure, the plain average size, all suppressed rows being one more class.
    Source: LeFevre et al. 2006.
    """

    name: ClassVar[str] = "class_size"

    def tally(self, release: Release) -> FloatArray:
        """The rows in units of k, the classes, the rows, the suppressed rows."""
        rows = float(release.sizes.sum())
        return np.array([rows / release.k, len(release.sizes), rows, release.suppressed_rows], dtype=np.float64)

    def loss(self, tally: FloatArray) -> float:
        """n / (k * classes)."""
        return float(tally[0] / tally[1])

    def details(self, tally: FloatArray) -> dict[str, float]:
        """The average class size as peers report it: `aecs`."""
        _, classes, rows, suppressed = tally.tolist()
        return {"aecs": (rows + suppressed) / (classes + (suppressed > 0))}
