"""The rows of an original that its release lacks: whether some sensitive values are hit harder than others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kanon_cli.audit.gather import row_count
from kanon_cli.audit.secrets import counts_of
from kanon_cli.tables.columns import TextColumn
from kanon_cli.tables.kinds import Meaning

MOST_VALUES = 20  # that are told one by one


@dataclass(frozen=True)
class Lack:
    """How the rows that were left out differ from the table, by sensitive column; no value is named."""

    rows: int
    overrepresented: dict[str, float]  # how many times more frequent a value is among them than in the table, at most
    distance: dict[str, float]  # the share of them that would have to have other values
    by_value: dict[str, list[tuple[int, int]]]  # rows and those left out of each value, the most frequent first


def lack_of(
    released: Mapping[str, TextColumn],
    original: Mapping[str, TextColumn],
    sensitive: Sequence[str],
    meanings: Mapping[str, Meaning],
) -> Lack | None:
    """Compare what is in the original and not in the release with the original; None if nothing is lacking."""
    rows, lacking = row_count(original), row_count(original) - row_count(released)
    if lacking <= 0:
        return None
    overrepresented, distance, by_value = {}, {}, {}
    for name in sensitive:
        before, after = counts_of(name, (original[name], released[name]), meanings.get(name, Meaning()))
        before, after = before[before > 0], after[before > 0]
        left_out = np.maximum(before - after, 0)
        shares, gone = before / rows, left_out / lacking
        overrepresented[name] = float((gone / shares).max())
        distance[name] = float(np.abs(gone - shares).sum() / 2)
        by_value[name] = _by_frequency(list(zip(before.tolist(), left_out.tolist(), strict=True)))
    return Lack(lacking, overrepresented, distance, by_value)


def _by_frequency(counts: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The most frequent values first, and all that are rarer than the first few together."""
    falling = sorted(counts, reverse=True)
    told, rest = falling[:MOST_VALUES], falling[MOST_VALUES:]
    return [*told, (sum(rows for rows, _ in rest), sum(gone for _, gone in rest))] if rest else told
