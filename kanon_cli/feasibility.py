"""Promises that no release of a table can keep, and those that can break after the search."""

from __future__ import annotations

import math

import numpy as np

from kanon_cli.audit.judge import NOTIONS, STRICT
from kanon_cli.errors import Mistake, PromiseError
from kanon_cli.intake import Intake, evidence_of
from kanon_cli.models.base import Model, Notion, Verdict
from kanon_cli.models.evidence import Evidence
from kanon_cli.spec.model import Spec


def check_feasible(spec: Spec, intake: Intake) -> None:
    """Refuse a promise that even the release with all rows in one class would not keep."""
    if intake.rows == 0:
        raise PromiseError(Mistake("the table has no rows", where=spec.input.path))
    coarsest = evidence_of(intake, np.zeros(intake.rows, dtype=np.int64), spec.privacy.joint)
    broken = [
        _unreachable(spec, model, verdict, coarsest)
        for model in spec.models
        for verdict in model.check(coarsest)
        if not verdict.holds
    ]
    if broken:
        raise PromiseError(*dict.fromkeys(broken))  # a notion with two figures says one thing


def _unreachable(spec: Spec, model: Model, verdict: Verdict, coarsest: Evidence) -> Mistake:
    """Say what can be kept instead; where another release may keep more than all rows in one class, only what these do.

    It may where rows can be left out; where people are counted, as a union can have fewer people than its classes; and
    where values are judged among the rows that could be somebody's, not in classes.
    """
    name = model.key.removeprefix("privacy.")
    asked = f"{name} = {verdict.required:.15g}"
    asked += f" with notion {model.notion}" if isinstance(model, Notion) else ""
    asked += f" for {verdict.column!r}" if verdict.column else ""
    counts_people = coarsest.unit_of is not None
    is_best = not model.about or (
        model.survives_union
        and not counts_people
        and spec.privacy.notion == "k"
        and spec.privacy.most_left_out(coarsest.rows) == 0
    )
    everybody, noun = int(coarsest.people[0]), ("person", "people") if counts_people else ("row", "rows")
    return Mistake(
        f"no release of this table can keep {asked}" if is_best else f"not even all rows in one class keep {asked}",
        path=model.key,
        got=None if verdict.column else f"{everybody} {noun[everybody != 1]}",
        hint=_reachable(name, verdict, is_best),
    )


def _reachable(name: str, verdict: Verdict, is_best: bool) -> str:
    if verdict.model in {"k", *NOTIONS} and verdict.achieved < 2:
        return "there is nobody else among whom a person could be hidden"
    most = verdict.achieved * 10_000  # rounded so that what is said can be kept
    if not math.isfinite(most):
        return f"{'it' if is_best else 'one class'} cannot keep it at all: the column has too few different values"
    best = f"{(math.ceil(most) if verdict.at_most else math.floor(most)) / 10_000:.15g}"
    if verdict.model in STRICT:  # it has to stay below its bound
        return f"{'it can' if is_best else 'as one class they'} keep any {name} above {best}"
    if not is_best:
        return f"as one class they keep {name} = {best}"
    return f"the {'smallest' if verdict.at_most else 'largest'} {name} that it can keep is {best}"


def is_breakable(spec: Spec, intake: Intake) -> bool:
    """Whether a promise may be broken that algorithms keep: its union does not survive, or values are people's.

    Nor do algorithms know of values, or combinations of them, that only missing ones may have, or keep promises among
    other rows than their own notion asks for.
    """
    counted = intake.unit is not None or (spec.privacy.joint and len(intake.secrets) > 1)
    elsewhere = spec.algorithm.keeps not in {"k", spec.privacy.notion}
    in_doubt = counted or elsewhere or _is_open(intake)
    return any(not model.survives_union or (model.about and in_doubt) for model in spec.models)


def _is_open(intake: Intake) -> bool:
    evidence = evidence_of(intake, np.zeros(intake.rows, dtype=np.int64), False)
    return any(secret.is_open for secret in evidence.secrets.values())
