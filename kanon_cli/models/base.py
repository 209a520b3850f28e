"""What every privacy model is: a promise about the classes of a finished table, judged on that table alone."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from pydantic import Field

from kanon_cli.models.evidence import Evidence
from kanon_cli.models.links import Ground
from kanon_cli.parts import Part

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]

CLOSE = 1e-9  # quotients that are nearer to a limit are compared in whole numbers


@dataclass(frozen=True)
class Verdict:
    """What a model required of a table and what it found there."""

    model: str
    column: str | None  # the sensitive column it speaks of, if it speaks of one
    required: float
    achieved: float
    holds: bool
    at_most: bool = False  # less is safer


@dataclass(frozen=True)
class Ratio:
    """How far the share of a value in a class may be from its share q in the table; no limit where None."""

    gain: Fraction | None = None  # it is at most (1 + gain) q ...
    by_log: bool = False  # ... and at most (1 - ln q) q
    log: float | None = None  # it is between q exp(-log) and q exp(log), without these
    absent: bool = False  # that is also asked of values that the class doesn't have


class Model(Part):
    """A promise: it says what it asks of a class, so that algorithms can keep it, and judges whether it is kept."""

    survives_union: ClassVar[bool]  # if two classes hold it, so does their union, where rows are counted
    key: ClassVar[str]  # where its number stands in a spec

    @property
    def required(self) -> dict[str, float]:
        """What is promised, by the names of the report: {"k": 10}."""
        raise NotImplementedError

    @property
    def about(self) -> tuple[str, ...]:
        """The sensitive columns that it speaks of."""
        return ()

    @property
    def minimum_size(self) -> int:
        """No class may have fewer rows."""
        return 1

    def kept(self, evidence: Evidence) -> BoolArray:
        """[class] whether the class keeps the promise."""
        raise NotImplementedError

    def check(self, evidence: Evidence) -> list[Verdict]:
        """Judge a table: one verdict, or one for each sensitive column."""
        raise NotImplementedError


class SecretModel(Model):
    """A promise about sensitive columns, about each by itself. What it asks of a class is said in these facts."""

    figure: ClassVar[str]  # the name of what it achieves
    at_most: ClassVar[bool] = False  # less is safer

    columns: tuple[str, ...]

    @property
    def about(self) -> tuple[str, ...]:
        """The sensitive columns that it speaks of."""
        return self.columns

    @property
    def largest_share(self) -> Fraction | None:
        """No sensitive value may have a larger share of a class; None where the model doesn't ask that."""
        return None

    @property
    def least_values(self) -> int:
        """A class has so many different values."""
        return 1

    @property
    def least_entropy(self) -> float:
        """The entropy of the values of a class is at least the logarithm of this."""
        return 1.0

    @property
    def tail(self) -> tuple[Fraction, int] | None:
        """(c, l): the most frequent value is less than c times as frequent as those from the l-th on together."""
        return None

    @property
    def largest_distance(self) -> Fraction | None:
        """The values of a class may be so far from those of the table."""
        return None

    @property
    def ratio(self) -> Ratio:
        """How far the share of each value may be from its share in the table."""
        return Ratio()

    @property
    def is_compared(self) -> bool:
        """Whether it compares the values of a class with those of the table."""
        return self.largest_distance is not None or self.ratio != Ratio()

    @property
    def limit(self) -> float:
        """What a verdict requires."""
        raise NotImplementedError

    def achieved(self, evidence: Evidence, column: str) -> float:
        """What the worst class achieves."""
        raise NotImplementedError

    def kept_in(self, evidence: Evidence, column: str) -> BoolArray:
        """[class] whether the class keeps the promise about one column."""
        raise NotImplementedError

    def kept(self, evidence: Evidence) -> BoolArray:
        """[class] whether the class keeps the promise about all columns."""
        kept: BoolArray = np.all([self.kept_in(evidence, column) for column in self.columns], axis=0)
        return kept

    def check(self, evidence: Evidence) -> list[Verdict]:
        """Compare, for each sensitive column, the worst class with the limit."""
        return [
            Verdict(
                self.figure,
                column,
                self.limit,
                self.achieved(evidence, column),
                bool(self.kept_in(evidence, column).all()),
                self.at_most,
            )
            for column in self.columns
        ]


class KModel(Model):
    """A promise that everybody is hidden among k: a class of k people keeps it."""

    survives_union: ClassVar[bool] = True
    key: ClassVar[str] = "privacy.k"

    k: int = Field(ge=1)

    @property
    def minimum_size(self) -> int:
        """No class may have fewer than k rows."""
        return self.k

    def kept(self, evidence: Evidence) -> BoolArray:
        """[class] whether it has k people, which is enough."""
        kept: BoolArray = evidence.people >= self.k
        return kept


class Notion(KModel):
    """A notion of anonymity: how many rows could be whose, told with the original at hand.

    Without the original, classes tell what is kept at least: each row of a class covers what every other one covers.
    """

    notion: ClassVar[str]  # as a spec says it
    ground: ClassVar[Ground] = "neighbours"  # where promises about sensitive values are judged beside it
    weakness: ClassVar[str | None] = None  # why it is not enough by itself
    figures: ClassVar[tuple[str, ...]]  # of `linkage` that have to be k

    @property
    def required(self) -> dict[str, float]:
        """The figures, each at least k."""
        return dict.fromkeys(self.figures, self.k)

    @property
    def covered(self) -> int:
        """How many rows of the original every released row covers at the least, by the notion alone."""
        return 1 if self.figures == ("1k",) else self.k

    def check(self, evidence: Evidence) -> list[Verdict]:
        """Compare each figure with k."""
        found = linkage(evidence)
        return [Verdict(name, None, self.k, found[name], found[name] >= self.k) for name in self.figures]


def linkage(evidence: Evidence) -> dict[str, int]:
    """Count what could be whose at the least: rows, or people where it is known whose row each is.

    `k1`: original rows that a released row covers; `1k`: released rows that cover an original row; `kk`: the lesser of
    the two; `global_1k`: released rows that may be an original row's own. Rows that are known to be left out hide
    nobody, but are looked for, too: released rows that cover one have to be as many.
    """
    links = evidence.links
    if links is None:
        least = int(evidence.people.min())
        return {"k1": least, "1k": least, "kk": least, "global_1k": least}
    k1 = int(links.persons_by_box.min())
    neighbours, matches = links.neighbours_by_point[links.is_there], links.matches_by_point[links.is_sought]
    if len(matches) == 0:
        return {"k1": k1, "1k": 0, "kk": 0, "global_1k": 0}
    one_k = int(neighbours.min())
    return {"k1": k1, "1k": one_k, "kk": min(k1, one_k), "global_1k": int(matches.min())}


def exact(written: float) -> Fraction:
    """The decimal number that was written, so that 1.3 is 13/10 and not the double nearest to it."""
    return Fraction(repr(written))


def are_at_most(numerator: npt.NDArray[Any], denominator: npt.NDArray[Any], limit: Fraction) -> BoolArray:
    """[place] whether a quotient is at most the limit; in whole numbers where it is close, so no rounding decides."""
    quotient = (numerator / denominator).astype(np.float64)  # of whole numbers of any length
    kept: BoolArray = quotient <= float(limit)
    for at in np.flatnonzero(np.abs(quotient - float(limit)) <= CLOSE * max(1.0, float(limit))).tolist():
        kept[at] = int(numerator[at]) * limit.denominator <= int(denominator[at]) * limit.numerator
    return kept


def finite(figure: float) -> float | None:
    """A figure of a report; None where it has no bound."""
    return figure if math.isfinite(figure) else None
