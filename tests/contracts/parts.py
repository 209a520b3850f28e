"""Every part of every family, with its options turned, as parameters of the laws."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, get_args, get_origin

import pytest

from kanon_cli import algorithms, backends, measures, models
from kanon_cli.algorithms.base import Algorithm
from kanon_cli.measures.base import CellMeasure, Measure
from kanon_cli.parts import Part, load

FAMILIES = {
    "algorithms": algorithms.TABLE,
    "models": models.TABLE,
    "measures": measures.TABLE,
    "backends": backends.TABLE,
}


def _variants(part: type[Part]) -> Iterator[tuple[str, Part]]:
    """The part as it is by default, and with each option that is a choice of a few turned."""
    yield part.name, part()
    for name, field in part.model_fields.items():
        choices = (True, False) if field.annotation is bool else get_args(field.annotation)
        if field.annotation is not bool and get_origin(field.annotation) is not Literal:
            continue
        for choice in choices:
            if choice != field.default:
                yield f"{part.name}-{name}={choice}", part(**{name: choice})


EVERY_ALGORITHM = [
    (label, part)
    for name in algorithms.TABLE
    for label, part in _variants(load(algorithms.TABLE, name, Algorithm))
    if isinstance(part, Algorithm)
]
ALGORITHMS = [pytest.param(part, id=label) for label, part in EVERY_ALGORITHM if part.keeps == "k"]
ANYTIME = [pytest.param(part, id=label) for label, part in EVERY_ALGORITHM if part.keeps == "k" and part.anytime]
RECODERS = [pytest.param(part, id=label) for label, part in EVERY_ALGORITHM if part.keeps != "k"]
MEASURES = [load(measures.TABLE, name, Measure) for name in measures.TABLE]
CELL_MEASURES = [measure for measure in MEASURES if issubclass(measure, CellMeasure)]
MINIMISED = [measure() for measure in CELL_MEASURES if not measure.by_row]
OBJECTIVES = [pytest.param(measure, id=measure.name) for measure in MINIMISED]
BY_ROW = [pytest.param(measure(), id=measure.name) for measure in CELL_MEASURES if measure.by_row]
PARTS = [
    pytest.param(family, name, load(table, name, Part), id=f"{family}-{name}")
    for family, table in FAMILIES.items()
    for name in table
]
