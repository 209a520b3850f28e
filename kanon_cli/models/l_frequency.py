"""l-diversity by frequency, and the other ways to say how diverse a class is."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from pydantic import Field

from kanon_cli.models.base import BoolArray, SecretModel, are_at_most, exact
from kanon_cli.models.blocks import IntArray
from kanon_cli.models.evidence import Evidence


def worst_counts(evidence: Evidence, column: str) -> IntArray:
    """[class] people, or rows, that may share one sensitive value: the most frequent value's and the missing ones.

    A missing value may be any value, so it is counted with the most frequent one: diversity is never overstated. Who
    has both, where people are counted, is counted once.
    """
    of_class, code, people, unsure = evidence.tally(column)
    return _with_missing(evidence, of_class, code, people - unsure)


def _with_missing(evidence: Evidence, of_class: IntArray, code: IntArray, counts: IntArray) -> IntArray:
    """[class] the largest count of a value, and that of the missing ones with it."""
    most = np.zeros(len(evidence.sizes), dtype=np.int64)
    np.maximum.at(most, of_class[code >= 0], counts[code >= 0])
    np.add.at(most, of_class[code < 0], counts[code < 0])
    return most


def l_frequency(evidence: Evidence, column: str) -> float:
    """The largest l such that no sensitive value has more than 1/l of a class."""
    return float((evidence.people / worst_counts(evidence, column)).min())


def l_distinct(evidence: Evidence, column: str) -> int:
    """The smallest number of different sensitive values in a class."""
    return int(kinds(evidence, column).min())


def l_entropy(evidence: Evidence, column: str) -> float:
    """The smallest exp(entropy) of the sensitive values in a class."""
    return float(np.exp(entropies(evidence, column).min()))


def kinds(evidence: Evidence, column: str) -> IntArray:
    """[class] how many different sensitive values it has; missing is none, but all missing counts as one."""
    of_class, code, _ = evidence.counts(column)
    found: IntArray = np.maximum(np.bincount(of_class[code >= 0], minlength=len(evidence.sizes)), 1).astype(np.int64)
    return found


def lacking_counts(evidence: Evidence, column: str) -> tuple[IntArray, IntArray, IntArray]:
    """The counts by class and code; of people, all their rows without a value, since these may be different ones."""
    of_class, code, counts = evidence.counts(column)
    return of_class, code, np.where(code < 0, evidence.lacking(column)[of_class], counts)


def entropies(evidence: Evidence, column: str) -> npt.NDArray[np.float64]:
    """[class] the entropy of its sensitive values in nats, the missing ones counted with the most frequent.

    Where people are counted, each of their rows without a value is taken for another person's: no values in their place
    give less then.
    """
    of_class, code, counts = lacking_counts(evidence, column)
    worst = _with_missing(evidence, of_class, code, counts)
    order = np.lexsort((code, -counts, code < 0, of_class))  # the most frequent present value of each class comes first
    of_class, counts = of_class[order], counts[order].astype(np.float64)
    leads = np.r_[True, of_class[1:] != of_class[:-1]]
    counts[leads] = worst[of_class[leads]]
    counts[~leads & (code[order] < 0)] = 0.0
    totals = np.bincount(of_class, weights=counts, minlength=len(evidence.sizes))
    shares: npt.NDArray[np.float64] = counts / totals[of_class]
    terms = np.zeros_like(shares)
    np.log(shares, out=terms, where=shares > 0)
    return np.bincount(of_class, -shares * terms, len(evidence.sizes)).astype(np.float64)


class LFrequency(SecretModel):
    """No sensitive value has more than 1/l of a class.

    Guarantee: whoever finds a person's class guesses their sensitive value right with probability 1/l at the most. Any
    real l >= 1 can be asked for; a missing value counts with the most frequent one.
    Source: Goldberger and Tassa 2010, section 7 (after Xiao and Tao 2006).
    """

    name: ClassVar[str] = "l"
    survives_union: ClassVar[bool] = True
    key: ClassVar[str] = "privacy.l"
    figure: ClassVar[str] = "l_frequency"

    l: float = Field(ge=1)  # noqa: E741  the spec's own name

    @property
    def required(self) -> dict[str, float]:
        """{"l": l}."""
        return {"l": self.l}

    @property
    def exact(self) -> Fraction:
        """The number that was written."""
        return exact(self.l)

    @property
    def largest_share(self) -> Fraction:
        """No sensitive value may have more than 1/l of a class."""
        return 1 / self.exact

    @property
    def limit(self) -> float:
        """The least l."""
        return self.l

    def achieved(self, evidence: Evidence, column: str) -> float:
        """The l of the worst class."""
        return l_frequency(evidence, column)

    def kept_in(self, evidence: Evidence, column: str) -> BoolArray:
        """[class] whether no value has too large a share."""
        return are_at_most(worst_counts(evidence, column), evidence.people, self.largest_share)
