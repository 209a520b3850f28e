"""Who pays for a release: the loss by the size of a row's class, and by the value of a chosen column."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from kanon_cli.audit.portions import View
from kanon_cli.measures.base import CellMeasure

IntArray = npt.NDArray[np.int64]

MOST_GROUPS = 20
LEFT_OUT = "left out"  # rows that are in no class


@dataclass(frozen=True)
class Part:
    """Some rows, and what they lose."""

    rows: int
    loss: float | None
    values: int = 1  # of the chosen column, that the rows have
    left_out: int = 0  # so many of the rows are not in the release: they lose all that there is to lose


def by_size(view: View, objective: CellMeasure, bins: list[tuple[int, int]]) -> dict[str, Part]:
    """The loss of the rows in classes of these sizes, by "from-to" or by the one size, and of those in no class."""
    size_of = view.evidence.sizes[view.evidence.class_of]
    result = {}
    for low, high in bins:
        rows = np.flatnonzero((size_of >= low) & (size_of <= high))
        if len(rows):
            result[str(low) if low == high else f"{low}-{high}"] = _part(view, objective, rows)
    if view.suppressed_rows:
        rows = view.evidence.rows + np.arange(view.suppressed_rows)
        result[LEFT_OUT] = _part(view, objective, rows)
    return result


def by_group(view: View, objective: CellMeasure, group_of: IntArray) -> list[Part]:
    """The loss of each group of rows, the largest group first; those of fewer than k rows are one.

    Rows that were left out come after those of the release, and count in their group.
    """
    _, group_of, sizes = np.unique(group_of, return_inverse=True, return_counts=True)
    order = np.argsort(-sizes, kind="stable")
    kept = int(min((sizes >= view.k).sum(), MOST_GROUPS))
    if sizes[order[kept:]].sum() < view.k:  # too few for a part of their own: they go with the smallest that has one
        kept -= int(kept > 0 and kept < len(sizes))
    chosen = [[int(group)] for group in order[:kept]] + ([order[kept:].tolist()] if kept < len(sizes) else [])
    parts = []
    for groups in chosen:
        rows = np.flatnonzero(np.isin(group_of, groups))
        parts.append(_part(view, objective, rows, len(groups)))
    return parts


def _part(view: View, objective: CellMeasure, rows: IntArray, values: int = 1) -> Part:
    """What these rows lose by the measure that counts; None where the cells don't tell."""
    private = view.private if objective.by_secret else None
    part = replace(view, private=private).part(rows)
    loss = objective.loss(objective.tally(part)) if objective.is_told(part) else None
    return Part(len(rows), loss, values, int((rows >= view.evidence.rows).sum()))
