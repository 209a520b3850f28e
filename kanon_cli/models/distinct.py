"""Distinct l-diversity."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from kanon_cli.models.base import BoolArray, SecretModel
from kanon_cli.models.evidence import Evidence
from kanon_cli.models.l_frequency import kinds, l_distinct


class Distinct(SecretModel):
    """Every class has at least l different sensitive values.

    Guarantee: whoever finds a person's class is left with l values or more. How likely each is, is not promised: one of
    them may have nearly all rows. A missing value is none, but a class in which all are missing has one.
    Source: Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam 2007.
    """

    name: ClassVar[str] = "distinct"
    survives_union: ClassVar[bool] = True
    key: ClassVar[str] = "privacy.diversity.distinct"
    figure: ClassVar[str] = "l_distinct"

    l: int = Field(ge=1)  # noqa: E741  the spec's own name

    @property
    def required(self) -> dict[str, float]:
        """{"distinct": l}."""
        return {"distinct": self.l}

    @property
    def least_values(self) -> int:
        """A class has l different values."""
        return self.l

    @property
    def limit(self) -> float:
        """The least number of different values."""
        return self.l

    def achieved(self, evidence: Evidence, column: str) -> float:
        """The different values of the worst class."""
        return l_distinct(evidence, column)

    def kept_in(self, evidence: Evidence, column: str) -> BoolArray:
        """[class] whether it has enough different values."""
        kept: BoolArray = kinds(evidence, column) >= self.l
        return kept
