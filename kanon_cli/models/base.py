"""What every privacy model is: a promise about the classes of a finished table, judged on that table alone."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from pydantic import Field

from kanon_cli.models.evidence import Evidence, Ground
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


class Notion(Model):
    """A notion of anonymity: how many rows could be whose, told with the original at hand.

    Without the original, classes tell what is kept at least: each row of a class covers what every other one covers.
    """

    survives_union: ClassVar[bool] = True
    notion: ClassVar[str]  # as a spec says it
    ground: ClassVar[Ground] = "neighbours"  # where promises about sensitive values are judged beside it
    weakness: ClassVar[str | None] = None  # why it is not enough by itself
    figures: ClassVar[tuple[str, ...]]  # of `linkage` that have to be k

    k: int = Field(ge=1)

    @property
    def required(self) -> dict[str, float]:
        """The figures, each at least k."""
        return dict.fromkeys(self.figures, self.k)

    @property
    def minimum_size(self) -> int:
        """A class of k rows keeps every notion."""
        return self.k

    def check(self, evidence: Evidence) -> list[Verdict]:
        """Compare each figure with k."""
        found = linkage(evidence)
        return [Verdict(name, None, self.k, found[name], found[name] >= self.k) for name in self.figures]


def linkage(evidence: Evidence) -> dict[str, int]:
    """Count what could be whose at the least.

    `k1`: original rows that a released row covers; `1k`: released rows that cover an original row; `kk`: the lesser of
    the two; `global_1k`: released rows that may be an original row's own.
    """
    links = evidence.links
    if links is None:
        least = int(evidence.sizes.min())
        return {"k1": least, "1k": least, "kk": least, "global_1k": least}
    k1 = int(links.persons_by_box.min())
    neighbours, matches = links.neighbours_by_point[links.is_there], links.matches_by_point[links.is_there]
    if len(neighbours) == 0:
        return {"k1": k1, "1k": 0, "kk": 0, "global_1k": 0}
    one_k = int(neighbours.min())
    return {"k1": k1, "1k": one_k, "kk": min(k1, one_k), "global_1k": int(matches.min())}
