"""From findings to the blocks of a report, the same for a run and for an audit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kanon_cli.audit.inspection import Finding
from kanon_cli.audit.judge import achieved, classes, ground_of, risk
from kanon_cli.bounding import Bound
from kanon_cli.models.base import Model, Notion, Verdict
from kanon_cli.report.model import Attribute, BoundFacts, Classes, Verified
from kanon_cli.tables.kinds import Kind


def promised(models: Sequence[Model]) -> dict[str, float]:
    """What the models promise, by the report's names."""
    return {key: value for model in models for key, value in model.required.items()}


def privacy_block(
    finding: Finding, required: Mapping[str, float], verdicts: Sequence[Verdict], models: Sequence[Model] = ()
) -> Verified:
    """What was required and what is kept."""
    ground = ground_of(models)
    return Verified(
        notion=next((model.notion for model in models if isinstance(model, Notion)), "k"),
        weakness=next((model.weakness for model in models if isinstance(model, Notion)), None),
        required=dict(required),
        achieved=achieved(finding.evidence, ground),
        risk=risk(finding.evidence, ground),
        verified=bool(verdicts) and all(verdict.holds for verdict in verdicts),
        truthful=finding.truthful,
    )


def classes_block(finding: Finding) -> Classes:
    """How many classes, how large."""
    return Classes.model_validate(classes(finding.evidence))


def utility_block(finding: Finding) -> dict[str, Any]:
    """The losses, and further figures under `details`."""
    if finding.utility is None:
        return {}
    return {**finding.utility.losses, "details": finding.utility.details}


def bound_entries(finding: Finding, measure: str, bound: Bound) -> dict[str, Any]:
    """What any release loses at least by the spec's measure, and under `details` how that is known."""
    details: Mapping[str, Any] = finding.utility.details if finding.utility else {}
    facts = BoundFacts(kind=bound.kind, rows=bound.rows, confidence=bound.confidence)
    return {"bound": {measure: bound.loss}, "details": {**details, "bound": {measure: facts}}}


def attribute_blocks(finding: Finding, kinds: Mapping[str, Kind | None]) -> dict[str, Attribute]:
    """One block for each quasi-identifier."""
    blocks = {}
    for name, attribute in (finding.attributes or {}).items():
        kind = kinds[name] or Kind()
        blocks[name] = Attribute(**vars(attribute), type=kind.type, weight=kind.weight)
    return blocks
