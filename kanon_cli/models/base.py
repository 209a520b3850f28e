"""What every privacy model is: a promise about the classes of a finished table, judged on that table alone."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from kanon_cli.models.evidence import Evidence
from kanon_cli.parts import Part


@dataclass(frozen=True)
class Verdict:
    """What a model required of a table and what it found there."""

    model: str
    column: str | None  # the sensitive column it speaks of, if it speaks of one
    required: float
    achieved: float
    holds: bool


class Model(Part):
    """A promise: it says what it asks of a class, so that algorithms can keep it, and judges whether it is kept."""

    survives_union: ClassVar[bool]  # if two classes hold it, so does their union

    @property
    def required(self) -> dict[str, float]:
        """What is promised, by the names of the report: {"k": 10}."""
        raise NotImplementedError

    @property
    def minimum_size(self) -> int:
        """No class may have fewer rows."""
        return 1

    @property
    def largest_share(self) -> Fraction | None:
        """No sensitive value may have a larger share of a class; None where the model doesn't ask that."""
        return None

    def check(self, evidence: Evidence) -> list[Verdict]:
        """Judge a table: one verdict, or one for each sensitive column."""
        raise NotImplementedError
