"""The report of a run: what was made, from what, how and how well."""

from __future__ import annotations

import datetime
import importlib.metadata
import platform

import numpy as np

from kanon_cli import bounding
from kanon_cli.algorithms.base import Covering, Grouping
from kanon_cli.audit.gather import gather
from kanon_cli.audit.inspection import Finding
from kanon_cli.intake import Intake
from kanon_cli.report.model import About, AlgorithmFacts, FileFacts, Report, SpecFacts
from kanon_cli.reporting import (
    achieved_by,
    attribute_blocks,
    bound_entries,
    classes_block,
    privacy_block,
    promised,
    suppressed_block,
    utility_block,
)
from kanon_cli.spec.model import Spec
from kanon_cli.spec.targets import output_of
from kanon_cli.version import VERSION

SEARCH_LOSSES = 40  # losses of a search that the report shows at the most


def make_report(
    spec: Spec,
    intake: Intake,
    finding: Finding,
    result: Grouping | Covering,
    bound: bounding.Bound | None,
    checksum: str,
    timing: dict[str, float],
) -> Report:
    """Put together what is known about the release."""
    return Report(
        kanon=About(version=VERSION),
        spec=SpecFacts(name=spec.name, sha256=spec.sha256),
        input=FileFacts(path=spec.input.path, rows=intake.rows, sha256=intake.sha256),
        output=FileFacts(path=output_of(spec).path, rows=finding.evidence.rows, sha256=checksum),
        privacy=privacy_block(
            finding,
            promised(spec.models),
            finding.verdicts,
            spec.models,
            achieved_by(finding, spec.models),
            before=gather(intake.columns, list(intake.kinds), ()),
        ),
        classes=classes_block(finding),
        suppressed_rows=intake.rows - finding.evidence.rows,
        suppressed=suppressed_block(finding, spec.privacy.most_left_out(intake.rows)),
        utility=utility_block(finding, output_of(spec).fairness) | bound_entries(finding, spec.measure.name, bound),
        attributes=attribute_blocks(finding, intake.kinds),
        algorithm=algorithm_facts(spec, result),
        timing=timing,
        environment=environment(),
    )


def algorithm_facts(spec: Spec, result: Grouping | Covering) -> AlgorithmFacts:
    """What the algorithm was told, and what it says of its work."""
    groups = {"groups": result.groups} if isinstance(result, Grouping) else {}
    return AlgorithmFacts(
        name=spec.algorithm.name,
        parameters=spec.algorithm.model_dump(),
        seed=None if spec.algorithm.secret_seed else spec.seed,
        measure=spec.measure.name,
        **{**groups, **result.facts, **search_facts(result)},
    )


def search_facts(result: Grouping | Covering) -> dict[str, list[float]]:
    """How the loss fell while an algorithm went on: a few of many losses, the first and the last among them."""
    if not result.losses:
        return {}
    places = np.unique(np.linspace(0, len(result.losses) - 1, SEARCH_LOSSES).round().astype(int))
    return {"losses": [round(result.losses[at], 6) for at in places]}


def environment() -> dict[str, str]:
    """Where and when the release was made, and with what."""
    return {
        "made": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        "machine": platform.machine(),
        "system": platform.system(),
        **{name: importlib.metadata.version(name) for name in ("numpy", "numba", "pyarrow")},
    }
