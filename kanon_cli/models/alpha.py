"""(alpha, k)-anonymity."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

from pydantic import Field

from kanon_cli.models.base import BoolArray, SecretModel, are_at_most, exact
from kanon_cli.models.evidence import Evidence
from kanon_cli.models.l_frequency import worst_counts


def largest_share(evidence: Evidence, column: str) -> float:
    """The largest share that a sensitive value has of a class, the missing ones counted with it."""
    return float((worst_counts(evidence, column) / evidence.people).max())


class Alpha(SecretModel):
    """No sensitive value has more than the share alpha of a class: (alpha, k)-anonymity.

    Guarantee: whoever finds a person's class guesses their sensitive value right with probability alpha at the most. It
    is l-diversity by frequency with l = 1/alpha; a missing value counts with the most frequent one.
    Source: Wong, Li, Fu and Wang 2006.
    Departs: every value is protected, not a single one.
    """

    name: ClassVar[str] = "alpha"
    survives_union: ClassVar[bool] = True
    key: ClassVar[str] = "privacy.alpha"
    figure: ClassVar[str] = "alpha"
    at_most: ClassVar[bool] = True

    alpha: float = Field(gt=0, le=1)

    @property
    def required(self) -> dict[str, float]:
        """{"alpha": alpha}."""
        return {"alpha": self.alpha}

    @property
    def largest_share(self) -> Fraction:
        """No sensitive value may have more than alpha of a class."""
        return exact(self.alpha)

    @property
    def limit(self) -> float:
        """The largest share."""
        return self.alpha

    def achieved(self, evidence: Evidence, column: str) -> float:
        """The largest share in the worst class."""
        return largest_share(evidence, column)

    def kept_in(self, evidence: Evidence, column: str) -> BoolArray:
        """[class] whether no value has too large a share."""
        return are_at_most(worst_counts(evidence, column), evidence.people, self.largest_share)
