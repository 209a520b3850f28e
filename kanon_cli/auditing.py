"""Auditing any table, from any tool: what it really guarantees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kanon_cli.audit.gather import row_count
from kanon_cli.audit.inspection import Finding, Original, Subject, inspect
from kanon_cli.audit.judge import achieved, attacks, ground_of, require, requirements
from kanon_cli.audit.reading import Numeric
from kanon_cli.errors import DataError, Mistake, SpecError
from kanon_cli.events import Observer
from kanon_cli.intake import layout_of, load_kinds, null_text
from kanon_cli.measures.lm import Lm
from kanon_cli.models.base import Verdict
from kanon_cli.release import recover
from kanon_cli.reporting import attribute_blocks, classes_block, privacy_block, promised, utility_block
from kanon_cli.spec.model import Spec
from kanon_cli.tables.kinds import Kind
from kanon_cli.tables.read import header, read
from kanon_cli.tables.sources import find, layout_for, sha256
from kanon_cli.version import VERSION


@dataclass(frozen=True)
class Question:
    """What is to be audited, and against what."""

    table: Path
    spec: Spec | None = None  # says the columns and what they must keep
    quasi_identifiers: Sequence[str] = ()  # where there is no spec
    sensitive: Sequence[str] = ()
    original: Path | None = None
    require: str | None = None  # "k=5,l=2"


@dataclass(frozen=True)
class Answer:
    """What was found; `verdicts` are all the requirements, kept or not."""

    block: dict[str, Any]  # ready for JSON, with the report's names
    verdicts: tuple[Verdict, ...]

    @property
    def holds(self) -> bool:
        """Whether everything that was required is kept."""
        return all(verdict.holds for verdict in self.verdicts)


def audit(question: Question, observer: Observer) -> Answer:
    """Read a table as a stranger would, find its classes, and judge them."""
    for done in recover(question.table):
        observer.warn(done)
    observer.stage("read")
    spec = question.spec
    kinds: Mapping[str, Kind | None] = load_kinds(spec) if spec else dict.fromkeys(question.quasi_identifiers)
    sensitive = spec.sensitive if spec else tuple(question.sensitive)
    wanted = requirements(question.require, bool(sensitive)) if question.require else []
    if not kinds:
        raise SpecError(Mistake("no quasi-identifiers are named", hint="say --spec SPEC or --qi a,b,c"))
    numeric: Numeric = spec.output.numeric if spec and spec.output else "interval"
    if spec and spec.privacy.notion != "k" and question.original is None:
        what = f"whether a table keeps {spec.privacy.notion} can only be told beside its original"
        raise SpecError(Mistake(what, where=str(question.table), hint="say --original FILE"))
    subject = _read_subject(question, kinds, sensitive, numeric)
    original = _read_original(question, subject) if question.original else None
    observer.stage("verify")
    models = spec.models if spec else ()
    finding = inspect(subject, models, spec.measure if spec else Lm(), original, attack=True)
    verdicts = [*finding.verdicts, *require(wanted, achieved(finding.evidence, ground_of(models)))]
    required = {**promised(models), **dict(wanted)}
    return Answer(_block(question, finding, subject, required, verdicts), tuple(verdicts))


def _read_subject(
    question: Question, kinds: Mapping[str, Kind | None], sensitive: Sequence[str], numeric: Numeric
) -> Subject:
    """Read what tells classes apart and what is sensitive; with an original, all other columns too."""
    files = find(question.table)
    null_values = question.spec.input.null_values if question.spec else ("",)
    layout = layout_for(files[0], null_values=tuple(dict.fromkeys((*null_values, null_text(null_values)))))
    names = header(files, layout)
    identifiers = question.spec.identifiers if question.spec else ()
    shell = Subject({}, kinds, sensitive, numeric, identifiers)
    wanted = dict.fromkeys([*shell.quasi_identifiers, *sensitive, *(name for name in identifiers if name in names)])
    if question.original:
        wanted |= dict.fromkeys(names)
    subject = replace(shell, columns=read(files, layout, list(wanted)))
    if row_count(subject.columns) == 0:
        raise DataError(Mistake("the table has no rows", where=str(question.table)))
    return subject


def _read_original(question: Question, subject: Subject) -> Original:
    """Read the columns of the original that the table speaks of."""
    path = question.original or question.table
    files = find(path)
    layout = layout_of(question.spec, path) if question.spec else layout_for(files[0])
    names = header(files, layout)
    plain = [name for name in subject.columns if name not in subject.quasi_identifiers]
    known = tuple(name for name in plain if name in names or name in subject.sensitive)  # a sensitive one must be there
    invented = tuple(name for name in plain if name not in known)
    return Original(read(files, layout, [*subject.kinds, *known]), known, invented=invented)


def _block(
    question: Question,
    finding: Finding,
    subject: Subject,
    required: Mapping[str, float],
    verdicts: Sequence[Verdict],
) -> dict[str, Any]:
    """The answer with the report's names."""
    files = find(question.table)
    block: dict[str, Any] = {
        "kanon": {"version": VERSION},
        "table": {"path": str(question.table), "rows": finding.evidence.rows, "sha256": sha256(files)},
        "privacy": privacy_block(
            finding, required, verdicts, question.spec.models if question.spec else ()
        ).model_dump(),
        "classes": classes_block(finding).model_dump(by_alias=True),
        "requirements": [vars(verdict) for verdict in verdicts],
    }
    if finding.truth is not None:
        block["attacks"] = attacks(finding.evidence)
        block["truth"] = vars(finding.truth)
        block["utility"] = utility_block(finding)
        attributes = attribute_blocks(finding, subject.kinds)
        block["attributes"] = {name: attribute.model_dump() for name, attribute in attributes.items()}
    return block
