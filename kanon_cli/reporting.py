"""From findings to the blocks of a report, the same for a run and for an audit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kanon_cli.audit.inspection import Finding
from kanon_cli.audit.judge import AT_MOST, Figure, achieved, classes, risk
from kanon_cli.bounding import Bound
from kanon_cli.models.base import Model, Verdict, finite
from kanon_cli.report.model import Attribute, BoundFacts, Classes, Suppressed, Verified
from kanon_cli.tables.kinds import Kind


def promised(models: Sequence[Model]) -> dict[str, float]:
    """What the models promise, by the report's names."""
    keys = [key for model in models for key in model.required]
    return {
        key if keys.count(key) == 1 else f"{key}.{'.'.join(model.about)}": value
        for model in models
        for key, value in model.required.items()
    }


def privacy_block(finding: Finding, required: Mapping[str, float], verdicts: Sequence[Verdict]) -> Verified:
    """What was required and what is kept."""
    return Verified(
        required=dict(required),
        achieved=_with(verdicts, achieved(finding.evidence)),
        risk=risk(finding.evidence),
        verified=bool(verdicts) and all(verdict.holds for verdict in verdicts),
        truthful=finding.truthful,
    )


def _with(verdicts: Sequence[Verdict], achieved: Mapping[str, Figure]) -> dict[str, Figure]:
    """Put in what was found where a promise was judged: it has options that a plain figure hasn't."""
    figures = dict(achieved)
    for verdict in verdicts:
        if verdict.model in AT_MOST and verdict.column is not None:
            value, found = finite(verdict.achieved), figures.get(verdict.model, {})
            several = isinstance(achieved["t"], dict)
            figures[verdict.model] = {**found, verdict.column: value} if several and isinstance(found, dict) else value
    return figures


def suppressed_block(finding: Finding, most: int) -> Suppressed | None:
    """The rows that were left out: whether some sensitive values are hit harder."""
    lack = finding.lack
    if lack is None:
        return None
    return Suppressed(
        rows=lack.rows,
        most=most,
        overrepresented=_one_or_all(lack.overrepresented),
        distance=_one_or_all(lack.distance),
    )


def _one_or_all(by_column: dict[str, float]) -> Figure:
    """The one number, or all by column; None where there is no column."""
    if len(by_column) == 1:
        return next(iter(by_column.values()))
    return dict(by_column) or None


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
