"""From findings to the blocks of a report, the same for a run and for an audit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kanon_cli.audit.breakdown import Part
from kanon_cli.audit.inspection import Finding
from kanon_cli.audit.judge import AT_MOST, Figure, achieved, classes, ground_of, risk
from kanon_cli.bounding import Bound
from kanon_cli.models.base import Model, Notion, Verdict, finite
from kanon_cli.models.evidence import Evidence
from kanon_cli.report.model import Attribute, BoundFacts, Classes, LeftOut, Suppressed, Verified
from kanon_cli.tables.kinds import Kind


def promised(models: Sequence[Model]) -> dict[str, float]:
    """What the models promise, by the report's names."""
    keys = [key for model in models for key in model.required]
    return {
        key if keys.count(key) == 1 else f"{key}.{'.'.join(model.about)}": value
        for model in models
        for key, value in model.required.items()
    }


def achieved_by(finding: Finding, models: Sequence[Model]) -> dict[str, Figure]:
    """What a table keeps of each promise; of those that models make, with their options."""
    return _with(finding.verdicts, achieved(finding.evidence, ground_of(models)))


def privacy_block(
    finding: Finding,
    required: Mapping[str, float],
    verdicts: Sequence[Verdict],
    models: Sequence[Model],
    figures: Mapping[str, Figure],
    before: Evidence | None = None,
) -> Verified:
    """What was required and what is kept; with the classes of the original, what the risk was."""
    return Verified(
        notion=next((model.notion for model in models if isinstance(model, Notion)), "k"),
        weakness=next((model.weakness for model in models if isinstance(model, Notion)), None),
        required=dict(required),
        achieved=dict(figures),
        risk=risk(finding.evidence, ground_of(models)),
        risk_before=None if before is None else risk(before),
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
        by_value={
            column: [LeftOut(rows=rows, left_out=gone) for rows, gone in counts]
            for column, counts in lack.by_value.items()
        },
    )


def _one_or_all(by_column: dict[str, float]) -> Figure:
    """The one number, or all by column; None where there is no column."""
    if len(by_column) == 1:
        return next(iter(by_column.values()))
    return dict(by_column) or None


def classes_block(finding: Finding) -> Classes:
    """How many classes, how large."""
    return Classes.model_validate(classes(finding.evidence))


def utility_block(finding: Finding, fairness: str | None) -> dict[str, Any]:
    """The losses, further figures under `details`, who pays, and what two columns tell about each other."""
    if finding.utility is None:
        return {}
    block: dict[str, Any] = {**finding.utility.losses, "details": finding.utility.details}
    block["by_size"] = {
        sizes: {"rows": part.rows, "loss": part.loss} for sizes, part in (finding.by_size or {}).items()
    }
    block["pairs"] = {
        first: {second: dict(zip(("before", "after"), told, strict=True)) for second, told in others.items()}
        for first, others in (finding.pairs or {}).items()
    }
    if finding.by_group is not None:
        block["fairness"] = _fairness(fairness or "", finding.by_group)
    return block


def _fairness(column: str, parts: Sequence[Part]) -> dict[str, Any]:
    """The loss by groups, the largest first: ranks and sizes, no values."""
    losses = [part.loss for part in parts if part.loss is not None]
    groups = [{"rank": rank, **vars(part)} for rank, part in enumerate(parts, start=1)]
    return {"column": column, "gap": max(losses) - min(losses) if losses else None, "groups": groups}


def bound_entries(finding: Finding, measure: str, bound: Bound | None) -> dict[str, Any]:
    """What any release loses at least by the spec's measure, and under `details` how that is known."""
    if bound is None:
        return {"bound": {}}
    details: Mapping[str, Any] = finding.utility.details if finding.utility else {}
    loss = finding.utility.losses[measure] if finding.utility else None
    gap = None if loss is None else loss - bound.loss
    facts = BoundFacts(kind=bound.kind, rows=bound.rows, confidence=bound.confidence, gap=gap)
    return {"bound": {measure: bound.loss}, "details": {**details, "bound": {measure: facts}}}


def attribute_blocks(finding: Finding, kinds: Mapping[str, Kind | None]) -> dict[str, Attribute]:
    """One block for each quasi-identifier."""
    blocks = {}
    for name, attribute in (finding.attributes or {}).items():
        kind = kinds[name] or Kind()
        blocks[name] = Attribute(**vars(attribute), type=kind.type, weight=kind.weight)
    return blocks
