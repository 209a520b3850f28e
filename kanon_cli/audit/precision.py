"""How exact the released cells of a column still are."""

from __future__ import annotations

import numpy as np

from kanon_cli.measures.base import Column, FloatArray
from kanon_cli.measures.lm import Lm

STEPS = (0.0, 0.05, 0.1, 0.25, 0.5)  # the largest share of the domain that cells of a step cover; then come the others


def precision(column: Column | None) -> list[dict[str, float]] | None:
    """Count the rows by how much of the domain their cell spans: nothing, up to 5 %, ..., all; None if that is unknown.

    It tells what became of a column without a single value of it.
    """
    if column is None:
        return None
    span: FloatArray = Lm().price(column.footprint)
    edges = [*STEPS, float(np.nextafter(1.0, 0.0)), 1.0]
    step_of = np.searchsorted(edges, np.clip(span, 0.0, 1.0))
    rows = np.bincount(step_of, weights=column.rows, minlength=len(edges)).astype(np.int64).tolist()
    ends = [*STEPS, 1.0, 1.0]
    starts = [0.0, *STEPS, 1.0]
    return [{"from": low, "to": high, "rows": count} for low, high, count in zip(starts, ends, rows, strict=True)]
