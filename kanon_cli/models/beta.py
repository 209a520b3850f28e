"""beta-likeness, basic and enhanced."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np
from pydantic import Field

from kanon_cli.models.base import BoolArray, FloatArray, Ratio, SecretModel, are_at_most, exact
from kanon_cli.models.blocks import Block, IntArray, newcomers
from kanon_cli.models.evidence import Evidence


def gains(table: Block, block: Block) -> tuple[IntArray, IntArray]:
    """[class, place] numerator and denominator of p/q - 1, p and q being a value's shares of the class and the table.

    The missing values of the class are taken for that value, in the class as in the table. Who has the value elsewhere,
    where people are counted, is no more in the table for that.
    """
    there, everybody = table.at(block.codes), int(table.people[0])
    below = block.people[:, None] * (there.counts + newcomers(there, block))
    return block.possible * everybody - below, below


def are_within(table: Block, block: Block) -> BoolArray:
    """[class, place] whether p <= (1 - ln q) q, with the missing values of the class and without them."""
    there, everybody = table.at(block.codes), int(table.people[0])
    found, added = block.possible, newcomers(there, block)
    allowed = np.ones(found.shape, dtype=np.bool_)
    for inside, outside in ((found, there.counts + added), (found - added, np.broadcast_to(there.counts, found.shape))):
        q = np.where(outside > 0, outside, 1) / everybody  # nobody in the class has what nobody has
        allowed &= inside / block.people[:, None] <= (1 - np.log(q)) * q
    return allowed


def largest_gain(evidence: Evidence, column: str) -> float:
    """The largest p/q - 1 in any class, but no less than 0."""
    table = evidence.table(column)

    def largest(block: Block) -> FloatArray:
        above, below = gains(table, block)
        found: FloatArray = (above / below).max(axis=1, initial=0.0)
        return found

    return float(evidence.worst(column, largest).max())


def enhanced_gain(evidence: Evidence, column: str) -> float:
    """The largest gain; infinite if a share is larger than the rarity of its value allows."""
    table = evidence.table(column)
    if evidence.worst(column, lambda block: _breaks(are_within(table, block))).any():
        return math.inf
    return largest_gain(evidence, column)


def _breaks(kept: BoolArray) -> BoolArray:
    """[class] whether a value doesn't keep it."""
    return np.asarray((~kept).any(axis=1), dtype=np.bool_)


class Beta(SecretModel):
    """The share of a sensitive value in a class exceeds its share in the table by a factor of 1 + beta at most.

    With q for the share of a value in the table and p in a class, (p - q)/q is at most beta: basic beta-likeness.
    Enhanced: at most the smaller of beta and -ln q, so that p is below 1 for every value.

    Guarantee: belief that a person has a value grows by a factor of 1 + beta at most, also in rare values, which
    t-closeness leaves open. The missing values of a class are taken for each value in turn, and with a
    taxonomy for a leaf that nobody is known to have.
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
        """The largest gain; if enhanced, infinite where a share is larger than the rarity of its value allows."""
        return (enhanced_gain if self.enhanced else largest_gain)(evidence, column)

    def kept_in(self, evidence: Evidence, column: str) -> BoolArray:
        """[class] whether no value gains too much."""
        table, limit = evidence.table(column), exact(self.beta)

        def breaks(block: Block) -> BoolArray:
            above, below = gains(table, block)
            kept = are_at_most(above.ravel(), below.ravel(), limit).reshape(above.shape)
            if self.enhanced:
                kept &= are_within(table, block)
            return _breaks(kept)

        return ~evidence.worst(column, breaks)
