"""The tables that an audit is about, read as a stranger would and held against each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from kanon_cli.audit.gather import row_count
from kanon_cli.audit.inspection import Finding, Original, Subject, inspect
from kanon_cli.audit.leaks import Leak, leaks
from kanon_cli.audit.linking import origins
from kanon_cli.audit.reading import Numeric
from kanon_cli.audit.risks import THRESHOLD, Population, people_behind
from kanon_cli.audit.truth import check_rows
from kanon_cli.errors import DataError, Mistake, SpecError
from kanon_cli.events import Observer
from kanon_cli.intake import check_unit
from kanon_cli.measures.lm import Lm
from kanon_cli.spec.model import Spec
from kanon_cli.spec.tables import forbidden, layout_of, load_kinds, load_meanings, null_text
from kanon_cli.tables.columns import TextColumn
from kanon_cli.tables.kinds import Kind, Meaning
from kanon_cli.tables.read import header, read
from kanon_cli.tables.sources import Layout, find, layout_for
from kanon_cli.tables.taxonomy_files import load


@dataclass(frozen=True)
class Question:
    """What is to be audited, and against what."""

    table: Path
    spec: Spec | None = None  # says the columns and what they must keep
    quasi_identifiers: Sequence[str] = ()  # where there is no spec
    sensitive: Sequence[str] = ()
    taxonomies: Mapping[str, Path] = field(default_factory=dict)  # by quasi-identifier
    original: Path | None = None
    population: Path | None = None
    unit: str | None = None  # the column of the table that says whose row it is; no part of the release
    delimiter: str | None = None  # how the table is written, and without a spec the other tables; None: by the ending
    encoding: str = "utf-8"
    null_values: Sequence[str] = ()  # texts that stand for a missing value, besides an empty one
    threshold: float = THRESHOLD  # rows with a higher risk are counted
    require: Sequence[str] = ()  # "k=5, l=2, t<=0.3"


@dataclass(frozen=True)
class Sight:
    """What was seen of a table."""

    subject: Subject
    finding: Finding
    population: Population | None
    leaks: tuple[Leak, ...]


def look(question: Question, asks_notions: bool, observer: Observer) -> Sight:
    """Read the tables and hold them against each other."""
    spec = question.spec
    kinds: Mapping[str, Kind | None] = load_kinds(spec) if spec else _kinds(question)
    if not kinds:
        raise SpecError(Mistake("no quasi-identifiers are named", hint="say --spec SPEC or --qi a,b,c"))
    twice = [name for name in question.sensitive if name in kinds]
    if twice:
        raise SpecError(*(Mistake("is a quasi-identifier, too", "--sensitive", got=repr(name)) for name in twice))
    numeric: Numeric = spec.output.numeric if spec and spec.output else "interval"
    if spec and spec.privacy.notion != "k" and question.original is None:
        what = f"whether a table keeps {spec.privacy.notion} can only be told beside its original"
        raise SpecError(Mistake(what, where=str(question.table), hint="say --original FILE"))
    unit = spec.privacy.unit if spec and question.unit is None else None
    if unit is not None and question.original is None:
        raise _nameless(question, "the table doesn't say whose its rows are, and the spec counts people")
    subject = _read_subject(question, kinds, spec.sensitive if spec else tuple(question.sensitive), numeric, observer)
    original = _read_original(question, subject) if question.original else None
    people = _read_people(question, subject) if question.population else None
    observer.stage("verify")
    if unit is not None and original is not None:
        subject = replace(subject, unit_of=_units_of_original(question, unit, subject, original))
    measure = spec.measure if spec else Lm()
    finding = inspect(subject, spec.models if spec else (), measure, original, attack=True, notions=asks_notions)
    population = people_behind(subject.columns, people, kinds, numeric, finding.evidence) if people else None
    is_true = finding.truth is None or finding.truth.holds
    return Sight(subject, finding, population, tuple(leaks(subject, original, is_true)))


def _kinds(question: Question) -> dict[str, Kind | None]:
    """What is known of the quasi-identifiers without a spec: a taxonomy or nothing."""
    strangers = [name for name in question.taxonomies if name not in question.quasi_identifiers]
    if strangers:
        raise SpecError(
            *(Mistake("is no quasi-identifier", "--taxonomy", name, hint="name it with --qi") for name in strangers)
        )
    files = question.taxonomies
    return {
        name: Kind(taxonomy=load(files[name]), file=str(files[name])) if name in files else None
        for name in question.quasi_identifiers
    }


def _read_subject(
    question: Question,
    kinds: Mapping[str, Kind | None],
    sensitive: Sequence[str],
    numeric: Numeric,
    observer: Observer,
) -> Subject:
    """Read all columns: those that nobody names may give away as much as the others."""
    files = find(question.table)
    null_values = question.spec.input.null_values if question.spec else ("",)
    null_values = tuple(dict.fromkeys((*null_values, null_text(null_values), *question.null_values)))
    layout = layout_for(files[0], delimiter=question.delimiter, encoding=question.encoding, null_values=null_values)
    names = header(files, layout)
    identifiers = forbidden(question.spec) if question.spec else ()
    meanings = load_meanings(question.spec) if question.spec else dict.fromkeys(sensitive, Meaning(hides=True))
    joint = question.spec is not None and question.spec.privacy.joint
    fairness = question.spec.output.fairness if question.spec and question.spec.output else None
    shell = Subject({}, kinds, sensitive, numeric, identifiers, meanings, joint=joint, fairness=fairness)
    present = [name for name in names if question.original or name in identifiers]
    unit = _unit_of(question, [*shell.quasi_identifiers, *sensitive])
    needed = [*shell.quasi_identifiers, *sensitive, *present, *unit]
    columns = _read_columns(files, layout, names, needed, observer)
    if row_count(columns) == 0:
        raise DataError(Mistake("the table has no rows", where=str(question.table)))
    unit_of = next((check_unit(name, columns.pop(name)).code_of.astype(np.int64) for name in unit), None)
    return replace(shell, columns=columns, unit_of=unit_of)


def _unit_of(question: Question, others: Sequence[str]) -> list[str]:
    """The column of the table that tells people apart, if one is named."""
    if question.unit in others:
        what = "is a quasi-identifier or sensitive, too"
        raise SpecError(
            Mistake(what, "--unit", got=repr(question.unit), hint="name the column that tells people apart")
        )
    return [] if question.unit is None else [question.unit]


def _nameless(question: Question, what: str) -> SpecError:
    """Refuse to count rows where people were promised."""
    hint = (
        "say --unit COLUMN of the audited table, or --original with the rows in the same order (output.order: input); "
        "kanon run itself has counted the people of its release, and says so in the report"
    )
    return SpecError(Mistake(what, where=str(question.table), hint=hint))


def _units_of_original(question: Question, unit: str, subject: Subject, original: Original) -> npt.NDArray[np.int64]:
    """[row] whose row it is, told by an original whose rows stand in the same order, or fit one class only."""
    origin_of = _origins(subject, original)
    if origin_of is None:
        what = "the rows are neither in the original's order nor does each fit one class only"
        raise _nameless(question, f"{what}, so it can't be told whose they are")
    path = question.original or question.table
    found = read(find(path), _layout_beside(question, path), [unit])[unit]
    return check_unit(unit, found).code_of.astype(np.int64)[origin_of]


def _origins(subject: Subject, original: Original) -> npt.NDArray[np.int64] | None:
    """[row] the row of the original that it comes from, or one that is like that in all that is counted."""
    rows, columns = row_count(subject.columns), original.columns
    if rows != row_count(columns):
        return None
    plain = [name for name in original.plain if name in columns]
    order = np.arange(rows)
    if check_rows(subject.columns, columns, subject.kinds, plain, order, subject.numeric).holds:
        return order
    return origins(subject.columns, columns, {**subject.kinds, **dict.fromkeys(plain, Kind())}, subject.numeric)


def _read_columns(
    files: Sequence[Path], layout: Layout, names: Sequence[str], needed: Sequence[str], observer: Observer
) -> dict[str, TextColumn]:
    """Read all columns, in the table's order; one that can't be read and that nobody needs is told and left out."""
    try:
        return read(files, layout, list(dict.fromkeys((*names, *needed))))
    except DataError:
        columns = read(files, layout, list(dict.fromkeys(needed)))
    for name in names:
        if name not in columns:
            try:
                columns |= read(files, layout, [name])
            except DataError as error:
                observer.warn(f"not looked at for leaks: {error}")
    return {name: columns[name] for name in names if name in columns}


def _read_original(question: Question, subject: Subject) -> Original:
    """Read the columns of the original that the table speaks of."""
    path = question.original or question.table
    files = find(path)
    layout = _layout_beside(question, files[0])
    names = header(files, layout)
    plain = [name for name in subject.columns if name not in subject.quasi_identifiers]
    known = tuple(name for name in plain if name in names or name in subject.sensitive)  # a sensitive one must be there
    invented = tuple(name for name in plain if name not in known)
    columns = read(files, layout, [*subject.kinds, *known])
    if row_count(columns) == 0:
        raise DataError(Mistake("the original has no rows", where=str(path)))
    most = question.spec.privacy.most_left_out(row_count(columns)) if question.spec else None
    return Original(columns, known, invented=invented, most_left_out=most)


def _layout_beside(question: Question, path: Path) -> Layout:
    """How a table that the audited one is held against is written: as the spec says, else as the audited one."""
    if question.spec is not None:
        return layout_of(question.spec, path)
    null_values = ("", *question.null_values)
    if not layout_for(path).is_text:
        return layout_for(path, null_values=null_values)
    return layout_for(path, delimiter=question.delimiter, encoding=question.encoding, null_values=null_values)


def _read_people(question: Question, subject: Subject) -> dict[str, TextColumn]:
    """Read the columns of the population that the quasi-identifiers speak of."""
    path = question.population or question.table
    people = read(find(path), _layout_beside(question, find(path)[0]), list(subject.kinds))
    if row_count(people) == 0:
        raise DataError(Mistake("the population has no rows", where=str(path)))
    return people
