"""What the algorithm has found, completed: promises that it cannot count, and rows to be left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from kanon_cli import closing, crowding, settling
from kanon_cli.algorithms.base import Covering, Grouping, Terms
from kanon_cli.audit.gather import group
from kanon_cli.drafting import quasi_cells
from kanon_cli.feasibility import is_breakable
from kanon_cli.intake import Intake, evidence_of
from kanon_cli.problem import Problem
from kanon_cli.spec.model import Spec
from kanon_cli.spec.targets import output_of
from kanon_cli.tables.domains import Domain

BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]


def complete(
    spec: Spec,
    intake: Intake,
    domains: Mapping[str, Domain],
    problem: Problem,
    result: Grouping | Covering,
    terms: Terms,
) -> tuple[Grouping | Covering, BoolArray]:
    """Make sure of what algorithms can't, and leave rows out if the spec allows it; say which.

    They can't tell people from rows where values are counted, nor see that groups which are released alike are one
    class, or that their boxes cover each other's rows. That matters to promises that two classes can keep and their
    union not.
    """
    breakable = is_breakable(spec, intake)
    most = spec.privacy.most_left_out(intake.rows)
    if isinstance(result, Covering):
        thinned = crowding.settle(spec, intake, problem, result, breakable, most, terms)
        return thinned.covering, thinned.left_out

    def judge(rows: IntArray, group_of: IntArray) -> BoolArray:
        return kept_groups(spec, intake, domains, problem, breakable, rows, group_of)

    found = settling.settle(problem, result.group_of, judge, breakable, most, result.left_out)
    facts = dict(result.facts)
    if found.unified:
        facts["settled"] = found.unified
    if found.left_out.any():
        facts["groups"] = int(found.group_of.max())  # the last one is left out
    return replace(result, group_of=found.group_of, facts=facts), found.left_out


def kept_groups(
    spec: Spec,
    intake: Intake,
    domains: Mapping[str, Domain],
    problem: Problem,
    breakable: bool,
    rows: IntArray,
    group_of: IntArray,
) -> BoolArray:
    """[group] whether it keeps everything where only these rows are released, in these groups.

    Where promises can break, what is judged are the classes that the released cells make.
    """
    class_of = group_of
    if breakable:
        part = closing.close(problem.rank_of[:, rows], group_of.astype(np.int32))
        of_rows = {name: replace(domain, rank_of=domain.rank_of[rows]) for name, domain in domains.items()}
        cells = quasi_cells(intake, of_rows, part, output_of(spec).numeric)
        class_of = group([column.code_of for column in cells.values()], len(rows))
    evidence = evidence_of(intake, class_of, spec.privacy.joint, rows)
    kept: BoolArray = np.all([model.kept(evidence) for model in spec.models], axis=0)
    kept = kept[class_of[np.unique(group_of, return_index=True)[1]]]
    if breakable and spec.privacy.notion != "k":
        is_hidden = crowding.hidden_rows(spec, intake, problem, rows, part.lo[:, group_of], part.hi[:, group_of])
        kept[group_of[~is_hidden[rows]]] = False
    return kept
