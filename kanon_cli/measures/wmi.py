"""Mutual information and private mutual information, weighted."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from kanon_cli.measures.base import CellMeasure, Column, FloatArray, Footprint
from kanon_cli.measures.mi import Mi
from kanon_cli.measures.pmi import Pmi


class Wmi(CellMeasure):
    """A compromise between `mi` and `pmi`: w * mi + (1 - w) * pmi.

    Of several sensitive columns the first one counts.
    Source: Goldberger and Tassa 2010, section 8.4.
    """

    name: ClassVar[str] = "wmi"
    line: ClassVar[Literal["width", "entropy"]] = "entropy"
    by_row: ClassVar[bool] = True
    by_rows: ClassVar[bool] = True
    by_secret: ClassVar[bool] = True

    w: float = Field(default=0.5, ge=0, le=1, description="the share of mi; the rest is pmi's")

    @property
    def mi_share(self) -> float:
        """How much of it is mutual information."""
        return self.w

    def price(self, footprint: Footprint) -> FloatArray:
        """That of `mi`, as sensitive values are no part of a footprint."""
        return Mi().price(footprint)

    def lost(self, column: Column) -> float | None:
        """Sum up both losses by weight."""
        both, private = Mi().lost(column), Pmi().lost(column)
        return None if both is None or private is None else self.w * both + (1 - self.w) * private
