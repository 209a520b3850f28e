"""The table that a spec names, read by the roles of its columns and checked against the spec."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from kanon_cli.audit.secrets import secret_of
from kanon_cli.errors import DataError, Mistake, SpecError, did_you_mean
from kanon_cli.events import Observer
from kanon_cli.models.evidence import Evidence
from kanon_cli.spec.model import Spec
from kanon_cli.spec.tables import layout_of, load_kinds, load_meanings
from kanon_cli.tables.columns import TextColumn
from kanon_cli.tables.decode import column_names
from kanon_cli.tables.domains import Domain, build
from kanon_cli.tables.kinds import Kind, Meaning
from kanon_cli.tables.read import header, read
from kanon_cli.tables.sources import Layout, find, layout_for, sha256

IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Intake:
    """A table as the spec sees it."""

    files: tuple[Path, ...]
    layout: Layout
    sha256: str
    rows: int
    columns: dict[str, TextColumn]  # quasi-identifiers, sensitive and kept columns, in the input's order
    kinds: dict[str, Kind]  # by quasi-identifier, in the input's order
    plain: tuple[str, ...]  # columns that are released as they are, in the input's order
    sensitive: tuple[str, ...]
    meanings: dict[str, Meaning]  # by sensitive column
    unit: TextColumn | None  # whose row it is; read, never released

    @property
    def secrets(self) -> dict[str, TextColumn]:
        """The sensitive columns."""
        return {name: self.columns[name] for name in self.sensitive}


def take_in(spec: Spec, observer: Observer) -> Intake:
    """Read the spec's table: only the columns that have a role, each as exactly the text that was written."""
    kinds = load_kinds(spec)
    meanings = load_meanings(spec)
    files = find(spec.locate(spec.input.path))
    before = _states(files)
    layout = layout_of(spec, files[0])
    names = header(files, layout)
    _check_columns(spec, names)
    kept = {*spec.sensitive, *spec.keep, *_unlisted(spec, names, observer)}
    wanted = [name for name in names if name in kinds or name in kept]
    unit = spec.privacy.unit
    columns = read(files, layout, wanted if unit is None else [*wanted, unit])
    people = check_unit(unit, columns.pop(unit)) if unit is not None else None
    _check_released_names(spec, wanted)
    _check_null_text(spec, columns)
    checksum = sha256(files)
    if _states(files) != before:
        raise DataError(Mistake("the table changed while it was read", where=spec.input.path, hint="run kanon again"))
    return Intake(
        files=files,
        layout=layout,
        sha256=checksum,
        rows=next(iter(columns.values())).rows,
        columns=columns,
        kinds={name: kinds[name] for name in wanted if name in kinds},
        plain=tuple(name for name in wanted if name in kept),
        sensitive=spec.sensitive,
        meanings=meanings,
        unit=people,
    )


def check_unit(name: str, column: TextColumn) -> TextColumn:
    """Refuse rows of which it is not known whose they are: they could not be counted."""
    if column.missing:
        first = int(np.flatnonzero(column.code_of < 0)[0]) + 1
        many = f"{column.missing:,} rows don't say whose they are, the first is row {first}"
        what = f"row {first} doesn't say whose it is" if column.missing == 1 else many
        raise DataError(Mistake(what, path=name, hint="leave them out of the table, or give each a name of its own"))
    return column


def _states(files: Sequence[Path]) -> list[tuple[int, int, int]]:
    """What changes when a file is written or replaced."""
    return [(state.st_ino, state.st_size, state.st_mtime_ns) for state in (file.stat() for file in files)]


def _check_null_text(spec: Spec, columns: Mapping[str, TextColumn]) -> None:
    """Refuse a text release that could not tell a missing value from an empty text."""
    if spec.output is None or spec.input.null_values or not layout_for(spec.output.path).is_text:
        return
    has_missing = any(column.missing for column in columns.values())
    if has_missing and any("" in column.text.to_pylist() for column in columns.values()):
        raise SpecError(
            Mistake(
                "a missing value and an empty text would look alike in a text file",
                path="input.null_values",
                hint="list a text there that stands for a missing value, or write Parquet",
            )
        )


def _check_columns(spec: Spec, names: tuple[str, ...]) -> None:
    """Every column that the spec names must be there: a misspelt identifier must not be released as something else."""
    roles = {
        "quasi_identifiers": tuple(spec.quasi_identifiers),
        "sensitive": spec.sensitive,
        "identifiers": spec.identifiers,
        "keep": spec.keep,
        "privacy.unit": (spec.privacy.unit,) if spec.privacy.unit else (),
        "output.fairness": (spec.output.fairness,) if spec.output and spec.output.fairness else (),
    }
    named = {name for columns in roles.values() for name in columns}
    known = names if named & set(names) else ()  # a first line with no known name may be data: it is not quoted
    mistakes = [
        Mistake(f"the table has no column {name!r}", where=spec.input.path, path=role, hint=did_you_mean(name, known))
        for role, columns in roles.items()
        for name in columns
        if name not in names
    ]
    if mistakes and len(names) == 1:
        hint = "check input.delimiter" if spec.input.delimiter else "set input.delimiter"
        raise DataError(Mistake("the header is a single name", where=spec.input.path, hint=hint))
    if mistakes:
        raise DataError(*mistakes)


def _unlisted(spec: Spec, names: tuple[str, ...], observer: Observer) -> tuple[str, ...]:
    """The columns that the spec doesn't name and that are released all the same."""
    named = {*spec.quasi_identifiers, *spec.sensitive, *spec.identifiers, *spec.keep, spec.privacy.unit}
    unlisted = tuple(name for name in names if name not in named)
    listing = ", ".join(unlisted)
    if unlisted and spec.unlisted == "error":
        raise DataError(
            Mistake(
                f"columns without a role: {listing}",
                where=str(spec.input.path),
                path="unlisted",
                hint="give each a role: quasi_identifiers, sensitive, identifiers or keep",
            )
        )
    if unlisted and spec.unlisted == "drop" and "unlisted" not in spec.given:
        observer.warn(f"columns that the spec doesn't name are dropped: {listing}")
    return unlisted if spec.unlisted == "keep" else ()


def _check_released_names(spec: Spec, wanted: list[str]) -> None:
    numeric = spec.output.numeric if spec.output else "interval"
    released: list[str] = []
    for name in wanted:
        column = spec.quasi_identifiers.get(name)
        released += column_names(name, column.type, numeric) if column else (name,)
    twice = sorted({name for name in released if released.count(name) > 1})
    if twice:
        raise SpecError(
            Mistake(
                f"two released columns would have the name {', '.join(twice)}",
                path="output.numeric",
                hint="rename the column in the input, or choose another form for numbers",
            )
        )


def build_domains(intake: Intake) -> dict[str, Domain]:
    """Rank the values of every quasi-identifier; all that is wrong with the data is said at once."""
    domains: dict[str, Domain] = {}
    mistakes: list[Mistake] = []
    for name, kind in intake.kinds.items():
        built = build(name, intake.columns[name], kind)
        if isinstance(built, Domain):
            domains[name] = built
        else:
            mistakes.extend(built)
    if mistakes:
        raise DataError(*mistakes)
    return domains


def evidence_of(intake: Intake, class_of: IntArray, joint: bool, rows: IntArray | None = None) -> Evidence:
    """What a judge would see if these rows (by default all) were released in these classes."""
    columns, unit = intake.secrets, intake.unit
    if rows is not None and len(rows) < intake.rows:  # of values that were left out nobody knows
        columns = {name: column.taking(rows) for name, column in columns.items()}
        unit = None if unit is None else unit.taking(rows)
    secrets = {name: secret_of(name, column, intake.meanings.get(name, Meaning())) for name, column in columns.items()}
    unit_of = None if unit is None else unit.code_of.astype(np.int64)
    return Evidence(class_of, secrets, unit_of, joint)
