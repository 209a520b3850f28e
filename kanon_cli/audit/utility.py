"""Every measure of a release, taken from its cells and classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kanon_cli import measures
from kanon_cli.measures.base import CellMeasure, Column, Measure, Release
from kanon_cli.models.evidence import Evidence
from kanon_cli.parts import load


@dataclass(frozen=True)
class Utility:
    """What a release lost: by measure, with further figures, and by column in the measure that counts most."""

    losses: dict[str, float | None]  # None where the cells don't tell
    details: dict[str, dict[str, float]]
    by_column: dict[str, float | None]


def measure_all(
    columns: Mapping[str, Column | None], evidence: Evidence, k: int, objective: CellMeasure, suppressed_rows: int = 0
) -> Utility:
    """Take every measure there is; those of cells only where the cells of all columns tell what they cover."""
    known = {name: column for name, column in columns.items() if column is not None}
    release = Release(known, evidence.sizes, suppressed_rows, k)
    losses: dict[str, float | None] = {}
    details: dict[str, dict[str, float]] = {}
    for name in measures.TABLE:
        measure = load(measures.TABLE, name, Measure)()
        if isinstance(measure, CellMeasure) and len(known) < len(columns):
            losses[name] = None
            continue
        tally = measure.tally(release)
        losses[name] = measure.loss(tally)
        if further := measure.details(tally):
            details[name] = further
    by_column = objective.by_column(release)
    return Utility(losses, details, {name: by_column.get(name) for name in columns})
