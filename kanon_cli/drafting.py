"""The candidate for a release: its cells, and the file that holds them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from kanon_cli import closing
from kanon_cli.algorithms.base import Covering, Grouping
from kanon_cli.audit.reading import Numeric
from kanon_cli.clock import Clock
from kanon_cli.intake import Intake
from kanon_cli.problem import Problem
from kanon_cli.release import Stage
from kanon_cli.spec.model import Output
from kanon_cli.spec.tables import null_text
from kanon_cli.tables import decode
from kanon_cli.tables.domains import Domain
from kanon_cli.tables.sources import layout_for
from kanon_cli.tables.write import write

BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]


def quasi_cells(
    intake: Intake, domains: Mapping[str, Domain], recoding: closing.Recoding, numeric: Numeric
) -> dict[str, decode.Cells]:
    """The released columns of the quasi-identifiers."""
    cells: dict[str, decode.Cells] = {}
    for at, (name, domain) in enumerate(domains.items()):
        boxes = decode.Boxes(recoding.lo[at], recoding.hi[at], recoding.box_of, recoding.is_closure)
        cells |= decode.release_cells(name, domain, boxes, numeric, intake.columns[name].arrow_type)
    return cells


def write_candidate(
    intake: Intake,
    domains: Mapping[str, Domain],
    problem: Problem,
    result: Grouping | Covering,
    left_out: BoolArray,
    output: Output,
    stage: Stage,
    clock: Clock,
) -> IntArray:
    """Write the generalized table to the stage; give the original row of each released row."""
    clock.stage("release")
    released = quasi_cells(intake, domains, closing.recode(problem.rank_of, result), output.numeric)
    cells: dict[str, decode.Cells] = {}
    for name, column in intake.columns.items():
        if name in domains:
            names = decode.column_names(name, domains[name].kind.type, output.numeric)
            cells |= {part: released[part] for part in names}
        else:
            cells[name] = decode.release_plain(column)
    order = np.arange(intake.rows)
    if output.order == "sorted":
        order = decode.sorted_order(list(cells.values()))
    order = order[~left_out[order]]
    clock.stage("write")
    typed = not layout_for(stage.release).is_text
    columns = {name: column.as_arrow(order, typed) for name, column in cells.items()}
    write(columns, stage.release_file, stage.release, null_text(intake.layout.null_values))
    stage.sync()
    return order
