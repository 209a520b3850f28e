"""The private mutual information measure."""

from __future__ import annotations

import math
from typing import ClassVar, Literal

import numpy as np

from kanon_cli.measures.base import CellMeasure, Column, FloatArray, Footprint, Release, total
from kanon_cli.measures.mi import Mi


def secret_bits(column: Column) -> float | None:
    """Sum up -log2(F_s(B) / F(B)) over the rows; None if there is no sensitive column, or a cell is not true."""
    ties = column.ties
    if ties is None or not ties.mass.all():
        return None
    return total(np.log2(column.footprint.mass[ties.cell]) - np.log2(ties.mass), ties.rows)


class Pmi(CellMeasure):
    """The bits about the sensitive value that a row's own value tells and its cell does not.

    -log2((F_s(B) / F(B)) / (F_s(v) / F(v))) with the row's sensitive value s, F_s counting the rows that have it. A
    cell may tell more than the value did, so that the loss can be negative. `l1`, `l2` and `linf` are norms of what
    the columns of the release tell about the sensitive one, I(Y; R(j)), without weights: mean, root of the sum of the
    squares by the number of columns, and maximum. Of several sensitive columns the first one counts.
    Source: Goldberger and Tassa 2010, equations 11 to 16.
    """

    name: ClassVar[str] = "pmi"
    line: ClassVar[Literal["width", "entropy"]] = "entropy"
    by_row: ClassVar[bool] = True
    by_rows: ClassVar[bool] = True
    by_secret: ClassVar[bool] = True

    @property
    def mi_share(self) -> float:
        """How much of it is mutual information."""
        return 0.0

    def price(self, footprint: Footprint) -> FloatArray:
        """That of `mi`, as sensitive values are no part of a footprint."""
        return Mi().price(footprint)

    def lost(self, column: Column) -> float | None:
        """Sum up -log2(F_s(B) / F(B)) + log2(F_s(v) / F(v))."""
        bits = secret_bits(column)
        if bits is None or column.ties is None or column.ties.own_log is None:
            return None
        return bits + column.ties.own_log

    def tally(self, release: Release) -> FloatArray:
        """Add to the usual sums the rows, and by column what it tells about the sensitive column."""
        prior = release.secret_log or 0.0
        told = [-(secret_bits(column) or 0.0) - prior for column in release.columns.values()]
        return np.append(super().tally(release), [float(release.sizes.sum()), *told])

    def details(self, tally: FloatArray) -> dict[str, float]:
        """Norms of what the columns tell: `l1`, `l2`, `linf`."""
        told = tally[4:] / tally[3]
        return {
            "l1": float(told.mean()),
            "l2": math.hypot(*told.tolist()) / len(told),
            "linf": float(told.max()),
        }
