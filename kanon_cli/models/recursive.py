"""Recursive (c, l)-diversity."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import ClassVar

import numpy as np
from pydantic import Field

from kanon_cli.models.base import BoolArray, SecretModel, exact
from kanon_cli.models.evidence import Evidence, IntArray


def heads_and_tails(evidence: Evidence, column: str, l: int) -> tuple[IntArray, IntArray]:  # noqa: E741  the spec's own name
    """[class] the most frequent value's count with the missing ones, and those from the l-th most frequent on."""
    heads, tails = [], []
    for block in evidence.blocks(column):
        falling = -np.sort(-block.counts, axis=1)
        most = falling[:, 0] if falling.shape[1] else np.zeros_like(block.missing)
        heads.append(most + block.missing)
        tails.append(falling[:, l - 1 :].sum(axis=1) + (block.missing if l == 1 else 0))
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
    key: ClassVar[str] = "privacy.diversity.recursive"
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
