"""Recursive (c, l)-diversity."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import ClassVar

import numpy as np
from pydantic import Field

from kanon_cli.models.base import BoolArray, SecretModel, exact
from kanon_cli.models.blocks import IntArray
from kanon_cli.models.evidence import Evidence


def heads_and_tails(evidence: Evidence, column: str, l: int) -> tuple[IntArray, IntArray]:  # noqa: E741  the spec's own name
    """[class] the most frequent value's count with the missing ones, and those from the l-th most frequent on.

    The most frequent value is the one that gives the largest quotient: not all gain as much by the missing ones, where
    people are counted who may have both.
    """
    heads, tails = [], []
    for block in evidence.blocks(column):
        counts = np.pad(block.counts, ((0, 0), (0, 1)))  # missing ones may have a value that nobody has
        possible = np.concatenate([block.possible, block.missing[:, None]], axis=1)
        falling = -np.sort(-counts, axis=1)
        beyond = possible - counts if l == 1 else np.maximum(falling[:, l - 2 : l - 1].sum(axis=1)[:, None] - counts, 0)
        rest = falling[:, l - 1 :].sum(axis=1)[:, None] + beyond  # without the value itself, but for l = 1
        quotient = np.divide(possible, rest, out=np.full(rest.shape, np.inf), where=rest > 0)
        worst = quotient.argmax(axis=1)[:, None]
        heads.append(np.take_along_axis(possible, worst, axis=1)[:, 0])
        tails.append(np.take_along_axis(rest, worst, axis=1)[:, 0])
    return np.concatenate(heads), np.concatenate(tails)


def recursive_c(evidence: Evidence, column: str, l: int = 2) -> float:  # noqa: E741  the spec's own name
    """The number that c has to exceed; infinite where a class has fewer than l values."""
    heads, tails = heads_and_tails(evidence, column, l)
    return float((heads / tails).max()) if (tails > 0).all() else math.inf


class Recursive(SecretModel):
    """The most frequent value of a class is less than c times as frequent as those from the l-th on together.

    Guarantee: even who can rule out l - 2 values of a person's class is left with values that are not too rare beside
    the most frequent one. A missing value counts with the most frequent one.
    Source: Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam 2007.
    """

    name: ClassVar[str] = "recursive"
    survives_union: ClassVar[bool] = True
    key: ClassVar[str] = "privacy.diversity.recursive.c"
    figure: ClassVar[str] = "recursive_c"
    at_most: ClassVar[bool] = True

    c: float = Field(gt=0)
    l: int = Field(ge=1)  # noqa: E741  the spec's own name

    @property
    def required(self) -> dict[str, float]:
        """{"recursive_c": c, "recursive_l": l}."""
        return {"recursive_c": self.c, "recursive_l": self.l}

    @property
    def tail(self) -> tuple[Fraction, int]:
        """What it is about."""
        return exact(self.c), self.l

    @property
    def limit(self) -> float:
        """What the achieved number stays below."""
        return self.c

    def achieved(self, evidence: Evidence, column: str) -> float:
        """The number that c has to exceed."""
        return recursive_c(evidence, column, self.l)

    def kept_in(self, evidence: Evidence, column: str) -> BoolArray:
        """[class] whether the most frequent value stays below."""
        heads, tails = heads_and_tails(evidence, column, self.l)
        c = exact(self.c)
        pairs = zip(heads.tolist(), tails.tolist(), strict=True)
        return np.array([head * c.denominator < tail * c.numerator for head, tail in pairs], dtype=np.bool_)
