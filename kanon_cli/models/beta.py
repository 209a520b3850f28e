"""beta-likeness, basic and enhanced."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np
from pydantic import Field

from kanon_cli.models.base import BoolArray, Ratio, SecretModel, are_at_most, exact
from kanon_cli.models.evidence import Evidence, IntArray, newcomers


def gains(evidence: Evidence, column: str) -> tuple[IntArray, IntArray, BoolArray]:
    """[class, code] numerator and denominator of p/q - 1, p and q being a value's shares of the class and the table.

    With what the value's loss of rarity allows: [class, code] whether p <= (1 - ln q) q. The missing values of the
    class are taken for that value, in the class as in the table; the logarithm is tried without them, too. Who has the
    value elsewhere, where people are counted, is no more in the table for that.
    """
    table = evidence.table(column)
    known = np.flatnonzero(table.counts[0])
    counts, everybody = table.counts[0][known], int(table.people[0])
    above, below, within = [], [], []
    for block in evidence.blocks(column):
        found, added = block.possible[:, known], newcomers(table, block)[:, known]
        below.append(block.people[:, None] * (counts + added))
        above.append(found * everybody - below[-1])
        allowed = np.ones(found.shape, dtype=np.bool_)
        for inside, outside in ((found, counts + added), (found - added, np.broadcast_to(counts, found.shape))):
            q = outside / everybody
            allowed &= inside / block.people[:, None] <= (1 - np.log(q)) * q
        within.append(allowed)
    return np.concatenate(above), np.concatenate(below), np.concatenate(within)


def largest_gain(evidence: Evidence, column: str) -> float:
    """The largest p/q - 1 in any class, but no less than 0."""
    above, below, _ = gains(evidence, column)
    return max(float((above / below).max(initial=0.0)), 0.0)


class Beta(SecretModel):
    """The share of a sensitive value in a class exceeds its share in the table by a factor of 1 + beta at most.

    With q for the share of a value in the table and p in a class, (p - q)/q is at most beta: basic beta-likeness.
    Enhanced: at most the smaller of beta and -ln q, so that p is below 1 for every value.

    Guarantee: belief that a person has a value grows by a factor of 1 + beta at most, also in rare values, which
    t-closeness leaves open. The missing values of a class are taken for each value in turn.
    Source: Cao and Karras 2012.
    """

    name: ClassVar[str] = "beta"
    survives_union: ClassVar[bool] = True
    key: ClassVar[str] = "privacy.beta"
    at_most: ClassVar[bool] = True

    beta: float = Field(gt=0)
    enhanced: bool = False

    @property
    def figure(self) -> str:  # type: ignore[override]  # two kinds of one promise
        """The kind by its name."""
        return "beta_enhanced" if self.enhanced else "beta"

    @property
    def required(self) -> dict[str, float]:
        """{"beta": beta}."""
        return {self.figure: self.beta}

    @property
    def ratio(self) -> Ratio:
        """How far the share of a value may be above that in the table."""
        return Ratio(gain=exact(self.beta), by_log=self.enhanced)

    @property
    def limit(self) -> float:
        """The largest gain."""
        return self.beta

    def achieved(self, evidence: Evidence, column: str) -> float:
        """The largest gain; infinite if a share is larger than the rarity of its value allows."""
        within = not self.enhanced or gains(evidence, column)[2].all()
        return largest_gain(evidence, column) if within else math.inf

    def kept_in(self, evidence: Evidence, column: str) -> BoolArray:
        """[class] whether no value gains too much."""
        above, below, within = gains(evidence, column)
        kept = are_at_most(above.ravel(), below.ravel(), exact(self.beta)).reshape(above.shape)
        found = kept & within if self.enhanced else kept
        return np.asarray(found.all(axis=1), dtype=np.bool_)
