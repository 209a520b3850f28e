"""Auditing any table, from any tool: what it really guarantees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np

from kanon_cli.audit.inspection import Subject
from kanon_cli.audit.judge import NOTIONS, OF_SECRETS, achieved, attacks, ground_of
from kanon_cli.audit.leaks import Leak, count_serious
from kanon_cli.audit.requiring import check_names, require, requirements, stricter
from kanon_cli.audit.risks import OF_CLASSES, OF_POPULATION, risks
from kanon_cli.audit.silence import Silent, views
from kanon_cli.events import Observer
from kanon_cli.looking import Question, Sight, look
from kanon_cli.models.base import Verdict, finite, linkage
from kanon_cli.models.evidence import Evidence
from kanon_cli.release import recover
from kanon_cli.reporting import achieved_by, attribute_blocks, classes_block, privacy_block, promised, utility_block
from kanon_cli.tables.sources import find, sha256
from kanon_cli.version import VERSION

__all__ = ["Answer", "Question", "audit"]


@dataclass(frozen=True)
class Answer:
    """What was found; `verdicts` are all the requirements, kept or not."""

    block: dict[str, Any]  # ready for JSON, with the report's names
    verdicts: tuple[Verdict, ...]
    leaks: tuple[Leak, ...]

    @property
    def holds(self) -> bool:
        """Whether everything that was required is kept."""
        return all(verdict.holds for verdict in self.verdicts)


def audit(question: Question, observer: Observer) -> Answer:
    """Read a table as a stranger would, find its classes, and judge them."""
    for done in recover(question.table):
        observer.warn(done)
    observer.stage("read")
    wanted = requirements(question.require)
    check_names(wanted, _figures_of(question))
    asks_notions = any(item.figure in NOTIONS for item in wanted)
    sight = look(question, asks_notions, observer)
    evidence = sight.finding.evidence
    models = question.spec.models if question.spec else ()
    ground = ground_of(models)
    risk = risks(evidence, question.threshold, sight.population, ground)
    notions = linkage(evidence) if asks_notions and question.original else {}
    found = {name: figure for name, figure in risk.items() if name != "threshold"}  # that was asked, not found
    figures = achieved_by(sight.finding, models) | notions
    verdicts = (
        *sight.finding.verdicts,
        *require(wanted, {**figures, **found, "leaks": count_serious(sight.leaks)}),
    )
    required = stricter(promised(models), wanted)
    privacy = privacy_block(sight.finding, required, verdicts, models, figures).model_dump() | {"risk": risk}
    return Answer(_block(question, sight, privacy, verdicts), verdicts, sight.leaks)


def _figures_of(question: Question) -> list[str]:
    """The names of all that can be found: what is misspelt, or needs another table, is told before any is read."""
    sensitive = question.spec.sensitive if question.spec else question.sensitive
    found = ["k", *(OF_SECRETS if sensitive else ()), *OF_CLASSES, "leaks"]
    return [*found, *(OF_POPULATION if question.population else ()), *(NOTIONS if question.original else ())]


def _block(question: Question, sight: Sight, privacy: Mapping[str, Any], verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """The answer with the report's names."""
    subject, finding, population = sight.subject, sight.finding, sight.population
    files = find(question.table)
    block: dict[str, Any] = {
        "kanon": {"version": VERSION},
        "table": {
            "path": str(question.table),
            "rows": finding.evidence.rows,
            "people": None if subject.unit_of is None else len(np.unique(subject.unit_of)),
            "sha256": sha256(files),
        },
        "privacy": dict(privacy),
        "classes": classes_block(finding).model_dump(by_alias=True),
        "views": _views(subject, finding.evidence),
        "leaks": [vars(leak) for leak in sight.leaks],
        "requirements": [vars(verdict) | {"achieved": finite(verdict.achieved)} for verdict in verdicts],
    }
    if population is not None:
        unclear = population.not_understood
        block["population"] = {"rows": population.rows, "short": population.short, "not_understood": unclear}
    if finding.truth is not None:
        block["attacks"] = attacks(finding.evidence)
        block["truth"] = vars(finding.truth)
        block["utility"] = utility_block(finding, subject.fairness)
        attributes = attribute_blocks(finding, subject.kinds)
        block["attributes"] = {name: attribute.model_dump() for name, attribute in attributes.items()}
    return block


def _views(subject: Subject, evidence: Evidence) -> dict[str, dict[str, Any]]:
    """What the table keeps in each view of the cells of each sort."""
    own, found = achieved(evidence), {}
    for silent in get_args(Silent):
        seen = views(subject.columns, subject.quasi_identifiers, evidence, silent)
        found[silent] = {
            "rows": seen.rows,
            "own": own,
            "wildcard": seen.wildcard and {"k": seen.wildcard.k, "prosecutor_mean": seen.wildcard.mean_risk},
            "left_out": (achieved(seen.left_out) if seen.rows else own) if seen.left_out else None,
        }
    return found
