"""The normalized average class size."""

from __future__ import annotations

from typing import ClassVar

from kanon_cli.measures.base import Measure, Release


class ClassSize(Measure):
    """How many times larger than k the classes are on average: n / (k * classes); 1 is the best there can be.

    `aecs` is the peers' figure, the plain average size, all suppressed rows being one more class.
    Source: LeFevre et al. 2006.
    """

    name: ClassVar[str] = "class_size"

    def tally(self, release: Release) -> float:
        """n / (k * classes)."""
        return float(release.sizes.sum() / (release.k * len(release.sizes)))

    def details(self, release: Release) -> dict[str, float]:
        """The average class size as peers report it: `aecs`."""
        classes = len(release.sizes) + (1 if release.suppressed_rows else 0)
        return {"aecs": float((release.sizes.sum() + release.suppressed_rows) / classes)}
