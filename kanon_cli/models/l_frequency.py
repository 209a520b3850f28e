"""l-diversity by frequency, and the other ways to say how diverse a class is."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from pydantic import Field

from kanon_cli.models.base import Model, Verdict
from kanon_cli.models.evidence import Evidence, IntArray


def worst_counts(evidence: Evidence, column: str) -> IntArray:
    """[class] rows that may share one sensitive value: the most frequent value's and the missing ones.

    A missing value may be any value, so it is counted with the most frequent one: diversity is never overstated.
    """
    of_class, code, rows = evidence.counts(column)
    most = np.zeros(len(evidence.sizes), dtype=np.int64)
    np.maximum.at(most, of_class[code >= 0], rows[code >= 0])
    np.add.at(most, of_class[code < 0], rows[code < 0])
    return most


def l_frequency(evidence: Evidence, column: str) -> float:
    """The largest l such that no sensitive value has more than 1/l of a class."""
    return float((evidence.sizes / worst_counts(evidence, column)).min())


def l_distinct(evidence: Evidence, column: str) -> int:
    """The smallest number of different sensitive values in a class; missing is none, but all missing counts as one."""
    of_class, code, _ = evidence.counts(column)
    present = np.bincount(of_class[code >= 0], minlength=len(evidence.sizes))
    return int(np.maximum(present, 1).min())


def l_entropy(evidence: Evidence, column: str) -> float:
    """The smallest exp(entropy) of the sensitive values in a class, the missing ones counted with the most frequent."""
    of_class, code, rows = evidence.counts(column)
    worst = worst_counts(evidence, column)
    order = np.lexsort((code, -rows, code < 0, of_class))  # the most frequent present value of each class comes first
    of_class, rows = of_class[order], rows[order].astype(np.float64)
    leads = np.r_[True, of_class[1:] != of_class[:-1]]
    rows[leads] = worst[of_class[leads]]
    rows[~leads & (code[order] < 0)] = 0.0
    shares: npt.NDArray[np.float64] = rows / evidence.sizes[of_class]
    terms = np.zeros_like(shares)
    np.log(shares, out=terms, where=shares > 0)
    entropy = np.bincount(of_class, weights=-shares * terms, minlength=len(evidence.sizes))
    return float(np.exp(entropy.min()))


class LFrequency(Model):
    """No sensitive value has more than 1/l of a class.

    Guarantee: whoever finds a person's class guesses their sensitive value right with probability 1/l at the most. Any
    real l >= 1 can be asked for; a missing value counts with the most frequent one.
    Source: Goldberger and Tassa 2010, section 7 (after Xiao and Tao 2006).
    """

    name: ClassVar[str] = "l"
    survives_union: ClassVar[bool] = True

    l: float = Field(ge=1)  # noqa: E741  the spec's own name
    columns: tuple[str, ...]

    @property
    def required(self) -> dict[str, float]:
        """{"l": l}."""
        return {"l": self.l}

    @property
    def exact(self) -> Fraction:
        """The decimal number that was written, so that 1.3 is 13/10 and not the double nearest to it."""
        return Fraction(repr(self.l))

    @property
    def largest_share(self) -> Fraction | None:
        """No sensitive value may have more than 1/l of a class."""
        return 1 / self.exact

    def check(self, evidence: Evidence) -> list[Verdict]:
        """Compare, for each sensitive column, the worst class with l; in whole numbers, so that no rounding decides."""
        verdicts = []
        for column in self.columns:
            worst = worst_counts(evidence, column)
            holds = all(
                int(rows) * self.exact.numerator <= int(size) * self.exact.denominator
                for rows, size in {*zip(worst.tolist(), evidence.sizes.tolist(), strict=True)}
            )
            verdicts.append(Verdict("l_frequency", column, self.l, l_frequency(evidence, column), holds))
        return verdicts
