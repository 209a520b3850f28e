"""The rows of an original that its release lacks: whether some sensitive values are hit harder than others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kanon_cli.audit.gather import row_count
from kanon_cli.tables.columns import TextColumn


@dataclass(frozen=True)
class Lack:
    """How the rows that were left out differ from the table, by sensitive column; no value is named."""

    rows: int
    overrepresented: dict[str, float]  # how many times more frequent a value is among them than in the table, at most
    distance: dict[str, float]  # the share of them that would have to have other values


def lack_of(
    released: Mapping[str, TextColumn], original: Mapping[str, TextColumn], sensitive: Sequence[str]
) -> Lack | None:
    """Compare what is in the original and not in the release with the original; None if nothing is lacking."""
    rows, lacking = row_count(original), row_count(original) - row_count(released)
    if lacking <= 0:
        return None
    overrepresented, distance = {}, {}
    for name in sensitive:
        before, after = _count(original[name]), _count(released[name])
        shares = np.array(list(before.values())) / rows
        gone = np.array([max(count - after.get(text, 0), 0) for text, count in before.items()]) / lacking
        overrepresented[name] = float((gone / shares).max())
        distance[name] = float(np.abs(gone - shares).sum() / 2)
    return Lack(lacking, overrepresented, distance)


def _count(column: TextColumn) -> dict[str | None, int]:
    """How many rows have each value; None is missing."""
    counts = np.bincount(column.code_of + 1, minlength=len(column.text) + 1).tolist()
    found = dict(zip([None, *column.text.to_pylist()], counts, strict=True))
    return {text: count for text, count in found.items() if count}
