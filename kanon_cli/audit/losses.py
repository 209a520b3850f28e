"""What the cells of a release cover of the original: the ground on which losses are measured."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt

from kanon_cli.audit.covers import Cover, Everything, Listed, Missing, Node, Prefix, Span
from kanon_cli.audit.midpoints import covers_of, gather_classes
from kanon_cli.audit.notation import EXACT
from kanon_cli.audit.reading import Kinds, Numeric, Reading, Table, classes_of, read
from kanon_cli.audit.values import Ranks, Values
from kanon_cli.measures.base import Column, Footprint
from kanon_cli.tables.kinds import Kind

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]


def footprints(
    released: Table, original: Table, kinds: Kinds, numeric: Numeric, witness: IntArray | None = None
) -> dict[str, Column | None]:
    """The footprint of every different cell, by quasi-identifier.

    `witness[row]` is the original row of a released row. Midpoints do not carry their intervals, so without a witness
    a column of midpoints has no footprint: None. A cell that is not understood tells nothing: it costs as much as `*`.
    """
    result: dict[str, Column | None] = {}
    for name, reading in read(released, original, kinds, numeric).items():
        weight = reading.kind.weight
        if not reading.midpoint:
            result[name] = _column(reading.covers, reading.cell_of, reading.values, reading.kind)
        elif witness is None:
            result[name] = None
        else:
            class_of = classes_of(released, kinds, numeric)
            rank_of = reading.values.rank_of[original[name].code_of[witness]]
            covers = covers_of(reading, gather_classes(reading, class_of, rank_of))
            result[name] = _column(covers, class_of, reading.values, reading.kind)
    return result


