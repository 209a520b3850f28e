"""delta-disclosure privacy."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from pydantic import Field

from kanon_cli.models.base import BoolArray, FloatArray, Ratio, SecretModel
from kanon_cli.models.evidence import Evidence, newcomers


def disclosures(evidence: Evidence, column: str, present: bool) -> FloatArray:
    """[class] the largest |ln(p/q)|, p and q being a value's shares of the class and of the table.

    Missing values are taken for the value, or for another, whatever gives more. `present`: a value that the class
    doesn't have is left out; otherwise it gives infinity.
    """
    table = evidence.table(column)
    known = np.flatnonzero(table.counts[0])
    counts, everybody, gone = table.counts[0][known], int(table.people[0]), int(table.missing[0])
    found = []
    for block in evidence.blocks(column):
        inside, people = block.counts[:, known], block.people[:, None]
        elsewhere = np.minimum(gone - block.missing[:, None], (table.possible - table.counts)[:, known])
        most = block.possible[:, known] * everybody / (people * (counts + newcomers(table, block)[:, known]))
        least = inside * everybody / (people * (counts + elsewhere))
        if present:
            least = np.where(inside > 0, least, 1.0)
        with np.errstate(divide="ignore"):
            worst = np.maximum(np.maximum(np.log(most), -np.log(least)), 0.0)
        found.append(worst.max(axis=1, initial=0.0))
    return np.concatenate(found)


def disclosure(evidence: Evidence, column: str, present: bool = False) -> float:
    """The largest |ln(p/q)| of any class."""
    return float(disclosures(evidence, column, present).max())


class Delta(SecretModel):
    """The shares of every sensitive value in a class and in the table differ by less than a factor of exp(delta).

    With q for the share of a value in the table and p in a class, |ln(p/q)| < delta. A value that a class doesn't have
    breaks it; with `present` such values are left out, which is how several tools read it.

    Guarantee: belief that a person has a value, or hasn't, changes by less than a factor of exp(delta). `present` does
    not promise the second. Missing values are taken for the value or for another, whatever is worse.
    Source: Brickell and Shmatikov 2008.
    """

    name: ClassVar[str] = "delta"
    survives_union: ClassVar[bool] = False  # `present`: a value that one of them lacks becomes rare
    key: ClassVar[str] = "privacy.delta"
    at_most: ClassVar[bool] = True

    delta: float = Field(gt=0)
    present: bool = False

    @property
    def figure(self) -> str:  # type: ignore[override]  # two kinds of one promise
        """The kind by its name."""
        return "delta_present" if self.present else "delta"

    @property
    def required(self) -> dict[str, float]:
        """{"delta": delta}."""
        return {self.figure: self.delta}

    @property
    def ratio(self) -> Ratio:
        """How far the share of a value may be from that in the table."""
        return Ratio(log=self.delta, absent=not self.present)

    @property
    def limit(self) -> float:
        """What |ln(p/q)| stays below."""
        return self.delta

    def achieved(self, evidence: Evidence, column: str) -> float:
        """The largest |ln(p/q)|."""
        return disclosure(evidence, column, self.present)

    def kept_in(self, evidence: Evidence, column: str) -> BoolArray:
        """[class] whether all shares are near those of the table."""
        kept: BoolArray = disclosures(evidence, column, self.present) < self.delta
        return kept
