"""The discernibility metric."""

from __future__ import annotations

from typing import ClassVar

from kanon_cli.measures.base import Measure, Release


class Dm(Measure):
    """For every row, the number of rows that look like it: the sum of the squared class sizes.

    A suppressed row counts as many rows as the table has.
    Source: Bayardo and Agrawal 2005.
    """

    name: ClassVar[str] = "dm"

    def tally(self, release: Release) -> float:
        """Sum of size squared, plus suppressed rows times all rows."""
        rows = int(release.sizes.sum()) + release.suppressed_rows
        return float(sum(int(size) ** 2 for size in release.sizes) + release.suppressed_rows * rows)
