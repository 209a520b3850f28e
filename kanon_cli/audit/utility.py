"""Every measure of a release, taken from its cells and classes."""

from __future__ import annotations

import math
from dataclasses import dataclass

from kanon_cli import measures
from kanon_cli.audit.portions import View
from kanon_cli.measures.base import CellMeasure, Measure
from kanon_cli.parts import load


@dataclass(frozen=True)
class Utility:
    """What a release lost: by measure, with further figures, and by column in the measure that counts most."""

    losses: dict[str, float | None]  # None where the cells don't tell
    details: dict[str, dict[str, float]]
    by_column: dict[str, float | None]


def measure_all(view: View, objective: CellMeasure) -> Utility:
    """Take every measure there is; one that is not told, or not finite, is None."""
    release = view.whole
    losses: dict[str, float | None] = {}
    details: dict[str, dict[str, float]] = {}
    for name in measures.TABLE:
        measure = objective if name == objective.name else load(measures.TABLE, name, Measure)()
        losses[name] = None
        if not measure.is_told(release):
            continue
        tally = measure.tally(release)
        loss = measure.loss(tally)
        if math.isfinite(loss):
            losses[name] = loss
            if further := measure.details(tally):
                details[name] = further
    by_column = objective.by_column(release)
    return Utility(losses, details, {name: by_column.get(name) for name in view.traces})
