"""Association rules: which combinations of one or two items go with a class, in the original and in a release."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

SUPPORT = 0.01  # of a rule: the share of the rows that have its items and its class
LIFT = 1.25  # of a rule: how many times more frequent the class is among the rows with its items


@dataclass(frozen=True)
class Rules:
    """What is known of every possible rule: two items (twice the same one is a rule of one item), and a class."""

    support: FloatArray  # [class, item, item]
    confidence: FloatArray  # [class, item, item]
    holds: BoolArray  # [class, item, item], each pair once


def find(item_of: FloatArray, column_of: IntArray, class_of: IntArray, classes: int) -> Rules:
    """Find the rules; where it is not certain whether a row has an item, it counts by how likely that is."""
    rows, count = item_of.shape
    once = np.triu(np.ones((count, count), dtype=np.bool_)) & (column_of[:, None] != column_of[None, :])
    np.fill_diagonal(once, True)
    antecedent = _joint(item_of)
    support = np.stack([_joint(item_of[class_of == at]) for at in range(classes)]) / rows
    base = np.bincount(class_of, minlength=classes) / rows
    with np.errstate(invalid="ignore", divide="ignore"):  # items that no row has together
        confidence = np.nan_to_num(support * rows / antecedent)
    holds = once & (support >= SUPPORT) & (confidence >= LIFT * base[:, None, None])
    return Rules(support, confidence, holds)


def _joint(item_of: FloatArray) -> FloatArray:
    """[item, item] how many rows have both; on the diagonal, how many have the one."""
    joint: FloatArray = item_of.T @ item_of
    np.fill_diagonal(joint, item_of.sum(axis=0))
    return joint


def hold_against(original: Rules, release: Rules) -> dict[str, float | int | None]:
    """Count the rules of the original that are found in the release too, and those that are only found there."""
    known = int(original.holds.sum())
    survive = int((original.holds & release.holds).sum())
    differs = np.abs(original.confidence - release.confidence)[original.holds]
    return {
        "rules": known,
        "survive": survive,
        "share": survive / known if known else None,
        "new": int((release.holds & ~original.holds).sum()),
        "confidence_change": float(differs.mean()) if known else None,
    }
