"""Entropy l-diversity."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import ClassVar

import numpy as np
from pydantic import Field

from kanon_cli.models.base import BoolArray, SecretModel, exact
from kanon_cli.models.evidence import Evidence
from kanon_cli.models.l_frequency import entropies, l_entropy, lacking_counts

CLOSE = 1e-9  # entropies that are nearer to the limit are compared in whole numbers


def reaches(counts: Sequence[int], least: Fraction) -> bool:
    """Whether exp(entropy) of these counts is at least a number, in whole numbers: n^n >= l^n times all c^c."""
    divisor = math.gcd(*counts)
    parts = [count // divisor for count in counts if count]
    total = sum(parts)
    left: int = (total * least.denominator) ** total
    right: int = least.numerator**total * math.prod(part**part for part in parts)
    return left >= right


class Entropy(SecretModel):
    """The entropy of the sensitive values of a class is at least log(l).

    Guarantee: exp(H) of every class is at least l, so its values are as uncertain as l equally frequent ones. A missing
    value counts with the most frequent one, which gives the least entropy that any value in its place can give; so does
    each row of a person without one.
    Source: Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam 2007.
    """

    name: ClassVar[str] = "entropy"
    survives_union: ClassVar[bool] = True
    key: ClassVar[str] = "privacy.diversity.entropy"
    figure: ClassVar[str] = "l_entropy"

    l: float = Field(ge=1)  # noqa: E741  the spec's own name

    @property
    def required(self) -> dict[str, float]:
        """{"entropy": l}."""
        return {"entropy": self.l}

    @property
    def least_entropy(self) -> float:
        """The entropy of a class is at least log(l)."""
        return self.l

    @property
    def limit(self) -> float:
        """The least exp(entropy)."""
        return self.l

    def achieved(self, evidence: Evidence, column: str) -> float:
        """The exp(entropy) of the worst class, without the last digits, which are noise of log and exp."""
        return round(l_entropy(evidence, column), 12)

    def kept_in(self, evidence: Evidence, column: str) -> BoolArray:
        """[class] whether it is uncertain enough; no rounding decides."""
        found = entropies(evidence, column)
        kept: BoolArray = found >= math.log(self.l)
        for number in np.flatnonzero(np.abs(found - math.log(self.l)) <= CLOSE).tolist():
            kept[number] = reaches(_counts(evidence, column, number), exact(self.l))
        return kept


def _counts(evidence: Evidence, column: str, number: int) -> list[int]:
    """The counts of a class, the missing ones with the most frequent."""
    of_class, code, people = lacking_counts(evidence, column)
    found = sorted(people[(of_class == number) & (code >= 0)].tolist(), reverse=True) or [0]
    return [found[0] + int(people[(of_class == number) & (code < 0)].sum()), *found[1:]]
