"""t-closeness."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

import numpy as np
from pydantic import Field

from kanon_cli.models.base import BoolArray, SecretModel, are_at_most, exact
from kanon_cli.models.evidence import Evidence
from kanon_cli.models.transport import Whole, ways


def distances(evidence: Evidence, column: str) -> tuple[Whole, Whole]:
    """[class] numerator and denominator of how far its sensitive values are from the table's."""
    table = evidence.table(column)
    if len(table.codes) <= 1 and not evidence.secret(column).is_open:  # distributions can't differ in anything
        return np.zeros_like(evidence.sizes), np.ones_like(evidence.sizes)
    way = ways(evidence.secret(column), table)
    everything, gone, doubt = way.everything, int(table.missing[0]), int(evidence.whole.doubts(column)[0])
    moved, totals = [], []
    for block in evidence.blocks(column, way.width):
        totals.append(way.totals(block))
        unknown = block.missing * (everything - totals[-1]) + totals[-1] * (gone - block.missing)
        moved.append(way.moved(block) + way.far * unknown)
    size = np.concatenate(totals)
    doubts = way.whole * (evidence.doubts(column) * everything + size * doubt)
    denominator = way.whole * size * everything
    numerator = np.minimum(np.concatenate(moved) + doubts, denominator)
    return np.where(evidence.sizes == evidence.rows, 0, numerator), denominator


def closeness(evidence: Evidence, column: str) -> float:
    """The t of the worst class."""
    numerators, denominators = distances(evidence, column)
    return float((numerators / denominators).max())


class T(SecretModel):
    """The sensitive values of a class are at most t away from those of the table: t-closeness.

    The distance is the least share of rows times way that has to be moved to turn one distribution into the other. The
    way between two values is 1, the largest: any two names are as far apart as can be. Numbers are as far apart as
    their ranks, from 0 for the same to 1 for the least and the largest; values with a taxonomy as far as the height of
    the lowest node that covers both, divided by the height of the root.

    Guarantee: who finds a person's class learns little more about their sensitive value than the table tells of
    everybody. Where values are missing, both distributions could be any that values of the column in their place give,
    with a taxonomy also leaves that nobody is known to have: what is compared with t is no less than the largest
    distance between two such, and more where people have several rows.
    Source: Li, Li and Venkatasubramanian 2007.
    """

    name: ClassVar[str] = "t"
    survives_union: ClassVar[bool] = True
    key: ClassVar[str] = "privacy.t"
    figure: ClassVar[str] = "t"
    at_most: ClassVar[bool] = True

    t: float = Field(ge=0, le=1)

    @property
    def required(self) -> dict[str, float]:
        """{"t": t}."""
        return {"t": self.t}

    @property
    def largest_distance(self) -> Fraction:
        """A class may be t away from the table."""
        return exact(self.t)

    @property
    def limit(self) -> float:
        """The largest distance."""
        return self.t

    def achieved(self, evidence: Evidence, column: str) -> float:
        """The distance of the worst class."""
        return closeness(evidence, column)

    def kept_in(self, evidence: Evidence, column: str) -> BoolArray:
        """[class] whether it is close to the table."""
        return are_at_most(*distances(evidence, column), exact(self.t))
