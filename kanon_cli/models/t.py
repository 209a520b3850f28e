"""t-closeness."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

import numpy as np
from pydantic import Field

from kanon_cli.models.base import BoolArray, SecretModel, are_at_most, exact
from kanon_cli.models.evidence import Evidence, IntArray, Secret


def _moved(difference: IntArray, secret: Secret) -> tuple[IntArray, int, int]:
    """[class] what has to be moved times how far, the way that counts as 1, and how far a missing value may lie."""
    values = difference.shape[1]
    if secret.is_ordered:  # edges of a line that is held in its middle: each moves what lies beyond it
        middle = (values - 1) // 2
        before = np.cumsum(difference, axis=1)[:, :middle]
        beyond = np.cumsum(difference[:, ::-1], axis=1)[:, : max(values - 1 - middle, 0)]
        far = max(values - 1 - middle, 0)
        return np.abs(before).sum(axis=1) + np.abs(beyond).sum(axis=1), max(values - 1, 1), far
    if secret.tree is None or len(secret.tree.label) == 1:
        return np.abs(difference).sum(axis=1), 2, 1
    tree = secret.tree
    sums = np.concatenate([np.zeros((len(difference), 1), dtype=np.int64), np.cumsum(difference, axis=1)], axis=1)
    moved = np.zeros(len(difference), dtype=np.int64)
    for node in range(1, len(tree.label)):
        rise = int(tree.height[tree.parent[node]] - tree.height[node])
        moved += rise * np.abs(sums[:, tree.last[node] + 1] - sums[:, tree.first[node]])
    return moved, 2 * int(tree.height[0]), int(tree.height[0])


def distances(evidence: Evidence, column: str) -> tuple[IntArray, IntArray]:
    """[class] numerator and denominator of how far its sensitive values are from the table's."""
    secret, table = evidence.secret(column), evidence.table(column)
    everything, gone = int(table.totals[0]), int(table.missing[0])
    numerators, denominators = [], []
    for block in evidence.blocks(column):
        totals = block.totals
        difference = everything * block.counts - totals[:, None] * table.counts
        moved, whole, far = _moved(difference, secret)
        unknown = block.missing * (everything - totals) + totals * (gone - block.missing)
        denominators.append(whole * totals * everything)
        numerators.append(np.minimum(moved + far * unknown, denominators[-1]))
    return np.concatenate(numerators), np.concatenate(denominators)


def closeness(evidence: Evidence, column: str) -> float:
    """The t of the worst class."""
    numerators, denominators = distances(evidence, column)
    return float((numerators / denominators).max())


class T(SecretModel):
    """The sensitive values of a class are at most t away from those of the table: t-closeness.

    The distance is the least share of rows times way that has to be moved to turn one distribution into the other. The
    way between two values is 1, the largest: any two names are as far apart as can be. Numbers are as far apart as
    their ranks, from 0 for the same to 1 for the least and the largest; values with a taxonomy as far as the height of
    the lowest node that covers both, divided by the height of the root.

    Guarantee: who finds a person's class learns little more about their sensitive value than the table tells of
    everybody. Where values are missing, both distributions could be any that values in their place give: what is
    compared with t is no less than the largest distance between two such.
    Source: Li, Li and Venkatasubramanian 2007.
    """

    name: ClassVar[str] = "t"
    survives_union: ClassVar[bool] = True
    key: ClassVar[str] = "privacy.t"
    figure: ClassVar[str] = "t"
    at_most: ClassVar[bool] = True

    t: float = Field(ge=0, le=1)

    @property
    def required(self) -> dict[str, float]:
        """{"t": t}."""
        return {"t": self.t}

    @property
    def largest_distance(self) -> Fraction:
        """A class may be t away from the table."""
        return exact(self.t)

    @property
    def limit(self) -> float:
        """The largest distance."""
        return self.t

    def achieved(self, evidence: Evidence, column: str) -> float:
        """The distance of the worst class."""
        return closeness(evidence, column)

    def kept_in(self, evidence: Evidence, column: str) -> BoolArray:
        """[class] whether it is close to the table."""
        return are_at_most(*distances(evidence, column), exact(self.t))
