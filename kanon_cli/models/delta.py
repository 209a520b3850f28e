"""delta-disclosure privacy."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from pydantic import Field

from kanon_cli.models.base import BoolArray, FloatArray, Ratio, SecretModel
from kanon_cli.models.blocks import Block, newcomers
from kanon_cli.models.evidence import Evidence


def disclosures(evidence: Evidence, column: str, present: bool) -> FloatArray:
    """[class] the largest |ln(p/q)|, p and q being a value's shares of the class and of the table.

    Missing values are taken for the value, or for another, whatever gives more. `present`: a value that the class
    doesn't have is left out; otherwise it gives infinity.
    """
    table = evidence.table(column)
    everybody, gone = int(table.people[0]), int(table.missing[0])

    def largest(block: Block) -> FloatArray:
        there, inside, people = table.at(block.codes), block.counts, block.people[:, None]
        elsewhere = np.minimum(gone - block.settled[:, None], there.possible - there.counts)
        with np.errstate(divide="ignore", invalid="ignore"):  # of what nobody is known to have
            most = np.log(block.possible * everybody / (people * (there.counts + newcomers(there, block))))
            least = np.log(np.where(inside > 0, inside * everybody / (people * (there.counts + elsewhere)), 1.0))
        greatest: FloatArray = np.maximum(most, -least).max(axis=1, initial=0.0)
        return greatest

    found: FloatArray = np.maximum(evidence.worst(column, largest), _of_one_that_may_be_there(evidence, column, table))
    if not present:
        of_class, code, _ = evidence.counts(column)
        lacks_some = np.bincount(of_class[code >= 0], minlength=len(found)) < len(table.codes)
        found[lacks_some & (evidence.sizes < evidence.rows)] = np.inf
    return found


def _of_one_that_may_be_there(evidence: Evidence, column: str, table: Block) -> FloatArray:
    """[class] |ln(p/q)| where one of the missing has the most frequent value that the class is not known to have."""
    of_class, code, _ = evidence.counts(column)
    of_class, code = of_class[code >= 0], code[code >= 0]
    order = np.argsort(-table.counts[0], kind="stable")
    rank = np.argsort(order)[np.searchsorted(table.codes, code)]
    by = np.lexsort((rank, of_class))
    of_class, rank = of_class[by], rank[by]
    place = np.arange(len(by)) - np.searchsorted(of_class, np.arange(len(evidence.sizes)))[of_class]
    has = np.bincount(of_class[rank == place], minlength=len(evidence.sizes))  # so many of the most frequent ones
    blocks = list(evidence.blocks(column))
    missing, settled = (np.concatenate(parts) for parts in zip(*((b.missing, b.settled) for b in blocks), strict=True))
    may_have = np.append(table.counts[0][order], 0)[has] + int(table.missing[0]) - settled + 1
    everybody = int(table.people[0])
    found = np.log(evidence.people * np.minimum(may_have, everybody) / everybody)
    return np.where((missing > 0) & (has < len(order)), np.maximum(found, 0.0), 0.0)


def disclosure(evidence: Evidence, column: str, present: bool = False) -> float:
    """The largest |ln(p/q)| of any class."""
    return float(disclosures(evidence, column, present).max()) + 0.0  # never -0.0


class Delta(SecretModel):
    """The shares of every sensitive value in a class and in the table differ by less than a factor of exp(delta).

    With q for the share of a value in the table and p in a class, |ln(p/q)| < delta. A value that a class doesn't have
    breaks it; with `present` such values are left out, which is how several tools read it.

    Guarantee: belief that a person has a value, or hasn't, changes by less than a factor of exp(delta). `present` does
    not promise the second. Missing values are taken for the value or for another, whatever is worse; with a
    taxonomy also for a leaf that nobody is known to have, which with `strict` only all rows in one class keep.
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
