"""k-anonymity."""

from __future__ import annotations

from typing import ClassVar

from kanon_cli.models.base import KModel, Verdict
from kanon_cli.models.evidence import Evidence


def smallest_class(evidence: Evidence) -> int:
    """The k that a table really has: people, where it is known whose row each is, else rows."""
    return int(evidence.people.min())


class K(KModel):
    """Every row shares its quasi-identifier cells with at least k - 1 others.

    Guarantee: whoever knows a person's quasi-identifiers finds at least k rows that could be theirs, all with the same
    cells, so a guess is right with probability 1/k at the most. With `privacy.unit`, k different people are there.
    Source: Samarati and Sweeney 1998.
    """

    name: ClassVar[str] = "k"

    @property
    def required(self) -> dict[str, float]:
        """{"k": k}."""
        return {"k": self.k}

    def check(self, evidence: Evidence) -> list[Verdict]:
        """Compare the smallest class with k."""
        achieved = smallest_class(evidence)
        return [Verdict("k", None, self.k, achieved, achieved >= self.k)]
