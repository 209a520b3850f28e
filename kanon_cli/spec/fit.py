"""Do the parts of a spec fit together? What no single key can tell."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from kanon_cli import algorithms, measures, models
from kanon_cli.algorithms.base import IMPLIED, Algorithm
from kanon_cli.documents import Value, ValuePath
from kanon_cli.errors import suggest
from kanon_cli.models.base import Notion
from kanon_cli.parts import load
from kanon_cli.spec import paths
from kanon_cli.spec.build import chosen_algorithm
from kanon_cli.spec.later import LATER_FIGURES, LATER_NAMES, NOT_YET
from kanon_cli.spec.model import COMPRESSIONS, SUFFIXES, TEXT_SUFFIXES, Input, Node, Output, Privacy, QuasiIdentifier
from kanon_cli.spec.overrides import show
from kanon_cli.spec.source import Source
from kanon_cli.tables.sources import is_encoding

N = TypeVar("N", bound=Node)

_ENDINGS = (*SUFFIXES, *(text + packed for text in TEXT_SUFFIXES for packed in COMPRESSIONS))
# Promises that are judged on classes: with another notion people are not looked for in classes.
ONLY_WITH_K = ("unit", "diversity", "t", "joint", "suppression")
_ELSEWHERE = "write it to another place"
_TYPE_OF_SOURCE = {"file": "categorical", "mask": "categorical", "intervals": "numeric", "calendar": "date"}


def check(source: Source, need_output: bool) -> None:
    """Note everything that does not fit."""
    _check_roles(source)
    _check_columns(source)
    _check_input(source)
    _check_output(source, need_output)
    _check_taxonomy_files(source)
    _check_limits(source)
    _check_notion(source)
    if source.get(("privacy", "l")) is not None and not source.get(("sensitive",)):
        what = "l-diversity is about sensitive columns, and there are none"
        source.complain(("privacy", "l"), what, hint="name them with `sensitive: column`")


def _check_notion(source: Source) -> None:
    """Refuse a notion that is weak, or that the algorithm, the release or the other promises do not go with."""
    privacy = _typed(source, Privacy, ("privacy",))
    if privacy is None:
        return
    notion, key = privacy.notion, ("privacy", "notion")
    name = chosen_algorithm(source)
    if name in algorithms.TABLE:
        _check_keeps(source, notion, load(algorithms.TABLE, name, Algorithm))
    if notion == "k":
        return
    weakness = load(models.TABLE, models.NOTIONS[notion], Notion).weakness
    if weakness and not privacy.accept_weak:
        what = f"is not safe by itself: {weakness}"
        source.complain(key, what, expected="k | (k,k) | global-(1,k)", hint="or set privacy.accept_weak: true")
    if source.get(("output", "numeric")) == "midpoint":
        what = f"does not go with {notion}: a midpoint does not say whose it could be"
        source.complain(("output", "numeric"), what, expected="interval | bounds")
    for other in ONLY_WITH_K:
        if getattr(privacy, other) != Privacy.model_fields[other].default:
            source.complain(("privacy", other), f"goes with the notion k only, not with {notion}")


def _check_keeps(source: Source, notion: str, algorithm: type[Algorithm]) -> None:
    if notion in IMPLIED[algorithm.keeps]:
        return
    fitting = [name for name in algorithms.TABLE if notion in IMPLIED[load(algorithms.TABLE, name, Algorithm).keeps]]
    what = f"keeps {algorithm.keeps}, which is less than {notion}"
    hint = f"set privacy.notion: {algorithm.keeps}" if notion == "k" else None
    source.complain(("algorithm", "name"), what, expected=" | ".join(fitting), hint=hint)


def _typed(source: Source, node: type[N], path: ValuePath) -> N | None:
    """The mapping at a path, typed; None if there is none or if it has mistakes, which are noted already."""
    if source.is_wrong(path):
        return None
    try:
        return node.model_validate(source.get(path))
    except ValidationError:
        return None


def _mapping(source: Source, key: str) -> Mapping[str, Value]:
    value = source.get((key,))
    return value if isinstance(value, dict) else {}


def _check_roles(source: Source) -> None:
    columns = _mapping(source, "quasi_identifiers")
    if isinstance(source.get(("quasi_identifiers",)), dict) and not columns:
        source.complain(("quasi_identifiers",), "there are no quasi-identifiers", expected="at least one column")
    role_of: dict[str, str] = dict.fromkeys(columns, "quasi_identifiers")
    for at, name in enumerate(source.listed):
        if isinstance(name, str) and name in source.listed[:at]:
            source.complain(("quasi_identifiers", at), "is named twice")
    for role in ("sensitive", "identifiers", "keep"):
        names = source.get((role,))
        for at, name in enumerate(names if isinstance(names, list) else []):
            if not isinstance(name, str):
                continue
            if name in role_of:
                twice = "is named twice" if role_of[name] == role else f"has two roles: it is in {role_of[name]} too"
                source.complain((role, at), twice, hint="a column has one role")
            role_of.setdefault(name, role)


def _check_columns(source: Source) -> None:
    for name in _mapping(source, "quasi_identifiers"):
        path = ("quasi_identifiers", name)
        column = _typed(source, QuasiIdentifier, path)
        if column is not None:
            _check_column(source, path, column)


def _check_column(source: Source, path: ValuePath, column: QuasiIdentifier) -> None:
    taxonomy = column.taxonomy
    if column.generalize == "set" and (taxonomy is not None or column.type != "categorical"):
        what = "sets are for categorical columns without a taxonomy"
        source.complain((*path, "generalize"), what, hint="leave out the taxonomy or generalize: set")
    if taxonomy is None:
        return
    given = [key for key in _TYPE_OF_SOURCE if getattr(taxonomy, key) not in (None, False)]
    if len(given) != 1:
        what = f"a taxonomy comes from one source, not from {' and '.join(given) if given else 'none'}"
        source.complain((*path, "taxonomy"), what, expected="one of " + " | ".join(_TYPE_OF_SOURCE))
        return
    fitting = _TYPE_OF_SOURCE[given[0]]
    if column.type != fitting:
        name = "a taxonomy file" if given[0] == "file" else given[0]
        what = f"{name} is for {fitting} columns, and this one is {column.type}"
        source.complain((*path, "taxonomy", given[0]), what, hint=f"write type: {fitting}, or another taxonomy")
    widths = taxonomy.intervals or ()
    for at, (narrow, wide) in enumerate(pairwise(widths), start=1):
        if wide <= narrow or wide % narrow != 0:
            what = f"is not {'a multiple of' if wide > narrow else 'larger than'} the width before it"
            source.complain((*path, "taxonomy", "intervals", at), what, hint="for example [5, 10, 50]")


def _check_input(source: Source) -> None:
    table = _typed(source, Input, ("input",))
    if table is None:
        return
    if not is_encoding(table.encoding):
        hint = suggest(table.encoding, ("utf-8", "latin-1", "cp1252", "utf-16", "iso-8859-15"))
        hint = f"did you mean {hint}?" if hint else "for example utf-8, latin-1 or cp1252"
        source.complain(("input", "encoding"), "is not a known text encoding", hint=hint)
    for key in ("delimiter", "quote"):
        if getattr(table, key) in ("\n", "\r"):
            source.complain(("input", key), "cannot be a line break")
    if table.delimiter == table.quote:
        source.complain(("input", "delimiter"), "is the quote too", hint="the two have to differ")


def _check_output(source: Source, need_output: bool) -> None:
    if source.get(("output",)) is None:
        if need_output:
            source.complain(("output",), "is missing", hint="write `output: path`, or use --output")
        return
    release, report = _path(source, ("output", "path")), _path(source, ("output", "report"))
    if release is None:
        return
    if not release.lower().endswith(_ENDINGS):
        what, hint = "its ending is not that of a format", ".gz, .zst or .bz2 may follow .csv and .tsv"
        source.complain(("output", "path"), what, expected=" | ".join(SUFFIXES), hint=hint)
    folder = Path(source.document.name).absolute().parent
    _check_overwriting(source, ("output", "path"), "the release", folder / release)
    key = ("output", "path" if report is None else "report")
    report_file = folder / Output(path=release, report=report).report_path
    _check_overwriting(source, key, "the report", report_file)
    if paths.same(folder / release, report_file):
        source.complain(key, "the report would overwrite the release", hint=_ELSEWHERE)


def _check_taxonomy_files(source: Source) -> None:
    """Refuse a taxonomy that is the table itself: what is wrong with a taxonomy is said with its labels."""
    folder = Path(source.document.name).absolute().parent
    table = _path(source, ("input", "path"))
    for name in _mapping(source, "quasi_identifiers"):
        key = ("quasi_identifiers", name, "taxonomy", "file")
        file = _path(source, key)
        if file is not None and table is not None and paths.is_among(folder / file, folder / table):
            source.complain(key, "is the input, or one of its files", hint="a taxonomy has a file of its own")


def _check_overwriting(source: Source, key: ValuePath, what: str, file: Path) -> None:
    """Note if a file to be written is one that is read."""
    spec = Path(source.document.name).absolute()
    read = {"the spec": spec}
    for name in _mapping(source, "quasi_identifiers"):
        taxonomy = _path(source, ("quasi_identifiers", name, "taxonomy", "file"))
        if taxonomy is not None:
            read[f"the taxonomy of {show((name,))}"] = spec.parent / taxonomy
    for name, kept in read.items():
        if paths.same(file, kept):
            source.complain(key, f"{what} would overwrite {name}", hint=_ELSEWHERE)
    table = _path(source, ("input", "path"))
    if table is not None and paths.is_among(file, spec.parent / table):
        source.complain(key, f"{what} would overwrite the input, or be one of its files", hint=_ELSEWHERE)


def _path(source: Source, key: ValuePath) -> str | None:
    """The text of a path that has nothing wrong with it."""
    path = source.get(key)
    return path if isinstance(path, str) and path and not source.is_wrong(key) else None


def _check_limits(source: Source) -> None:
    for name in _mapping(source, "limits"):
        if name in measures.TABLE:
            continue
        later = name in LATER_NAMES["measure"] or name in LATER_FIGURES
        near = suggest(name, measures.TABLE)
        hint = f"did you mean {near}?" if near and not later else None
        what = NOT_YET if later else "is not a known measure"
        source.complain(("limits", name), what, expected=" | ".join(measures.TABLE), hint=hint, at_key=True)
