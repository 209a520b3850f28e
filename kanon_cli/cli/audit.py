"""`kanon audit`: what a table really guarantees, whoever made it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kanon_cli.cli import results
from kanon_cli.cli.guard import guard
from kanon_cli.cli.options import Debug, Json, Quiet, Sets, several
from kanon_cli.cli.voices import LogFormat, voice_for
from kanon_cli.errors import DataError, Mistake, OutputError, SpecError, UnsafeError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kanon_cli.auditing import Question
    from kanon_cli.report.checks import Check
    from kanon_cli.spec.model import Spec

NAME = re.compile(r'\s*(?:"((?:[^"]|"")*)"\s*|([^,]*))(?:,|\Z)')  # in quotes, or without


def audit(
    table: Annotated[Path, typer.Argument(metavar="TABLE", help="A file, a folder or a glob.", show_default=False)],
    spec: Annotated[
        Path | None, typer.Option(metavar="SPEC", help="The spec that says the columns and what is required.")
    ] = None,
    sets: Sets = None,
    qi: Annotated[list[str] | None, several("COLUMN,...", "The quasi-identifiers, where there is no spec.")] = None,
    sensitive: Annotated[
        list[str] | None, several("COLUMN,...", "The sensitive columns, where there is no spec.")
    ] = None,
    taxonomy: Annotated[
        list[str] | None, several("COLUMN=FILE", "The taxonomy of a quasi-identifier, where there is no spec.")
    ] = None,
    original: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The table it was made from: checks truth, measures losses.")
    ] = None,
    population: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The people it was drawn from: tells the journalist's risk.")
    ] = None,
    unit: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="The column that says whose row it is: people are counted, not rows."),
    ] = None,
    delimiter: Annotated[
        str | None,
        typer.Option(metavar="SIGN", help="What stands between the cells of a line; default: by the ending."),
    ] = None,
    encoding: Annotated[str, typer.Option(metavar="NAME", help="The encoding of the table.")] = "utf-8",
    null: Annotated[
        list[str] | None, several("TEXT", "A text that stands for a missing value, as an empty cell does.")
    ] = None,
    threshold: Annotated[
        float, typer.Option(metavar="SHARE", min=0, max=1, help="Count the rows with a higher risk than this.")
    ] = 0.2,
    require: Annotated[list[str] | None, several("k=5,l=2", "What the table must keep, else exit code 5.")] = None,
    junit: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the checks as JUnit XML.")] = None,
    sarif: Annotated[Path | None, typer.Option(metavar="FILE", help="Write what is wrong as SARIF 2.1.0.")] = None,
    as_json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Say what a table guarantees, whoever made it: k, l and risks, found in its cells, and what else it gives away.

    With --spec, what the spec promises is required too. --json prints what was found with the report's names.
    """
    voice = voice_for(LogFormat.text, quiet, debug)
    with guard(voice):
        _check_options(spec, sets, {"--qi": qi, "--sensitive": sensitive, "--taxonomy": taxonomy})
        from kanon_cli import auditing
        from kanon_cli.cli.findings import checks, describe, shortfall

        question = auditing.Question(
            table=table,
            spec=_read_spec(spec, sets),
            quasi_identifiers=_names(qi),
            sensitive=_names(sensitive),
            taxonomies=_taxonomies(taxonomy or ()),
            original=original,
            population=population,
            unit=unit,
            delimiter=delimiter,
            encoding=encoding,
            null_values=null or (),
            threshold=threshold,
            require=require or (),
        )
        needed = _files_of(question)
        _check_places(junit, sarif, needed)
        answer = auditing.audit(question, voice)
        voice.rest()
        if as_json:
            results.show_json(answer.block)
        elif not quiet:
            results.show(describe(answer))
        _write_for_pipelines(checks(answer), str(table), junit, sarif, needed)
        short = [shortfall(verdict, answer) for verdict in answer.verdicts if not verdict.holds]
        if short:
            raise UnsafeError(*short)


def _files_of(question: Question) -> list[Path]:
    """List the files that are audited or say how, and what the spec names beside them: they are never written over."""
    paths = [question.table, question.original, question.population, *question.taxonomies.values()]
    named = question.spec.files if question.spec else ()
    return [file for path in (*paths, *named) if path is not None for file in _found(path)]


def _found(path: Path) -> tuple[Path, ...]:
    from kanon_cli.tables.sources import find

    try:
        return find(path)
    except DataError:  # whoever reads it says what is wrong with it
        return (path,)


def _check_places(junit: Path | None, sarif: Path | None, needed: Sequence[Path]) -> None:
    """Refuse, before any work is done, files for pipelines that would take the place of another or of each other."""
    from kanon_cli.release.names import real
    from kanon_cli.release.pages import check_place

    for file in (junit, sarif):
        if file is not None:
            check_place(file, needed)
    if junit is not None and sarif is not None and real(junit) == real(sarif):
        what, hint = "--junit and --sarif name the same file", "give each a file of its own"
        raise OutputError(Mistake(what, where=str(junit), hint=hint))


def _write_for_pipelines(
    found: Sequence[Check], table: str, junit: Path | None, sarif: Path | None, needed: Sequence[Path]
) -> None:
    """Write what was checked into files that other programs read."""
    from kanon_cli.audit.leaks import RULES
    from kanon_cli.release.pages import put
    from kanon_cli.report import checks
    from kanon_cli.report import junit as as_junit
    from kanon_cli.report import sarif as as_sarif

    if junit:
        put(junit, as_junit.junit(found, table), needed, force=True)
    if sarif:
        put(sarif, as_sarif.sarif(found, table, checks.REQUIREMENT_RULES | RULES), needed, force=True)


def _check_options(spec: Path | None, sets: list[str] | None, columns: Mapping[str, object]) -> None:
    """Refuse options that would be ignored."""
    if spec is None and sets:
        raise SpecError(Mistake("--set changes a spec, and there is none", hint="add --spec SPEC"))
    idle = [name for name, value in columns.items() if spec is not None and value]
    if idle:
        raise SpecError(*(Mistake(f"{name} goes without --spec, which says the columns") for name in idle))


def _read_spec(path: Path | None, sets: list[str] | None) -> Spec | None:
    if path is None:
        return None
    from kanon_cli.spec.parse import parse

    return parse(path, sets or (), need_output=False)


def _names(texts: Sequence[str] | None) -> tuple[str, ...]:
    """Split names at commas; one that holds a comma, or begins or ends with a blank, stands in quotes."""
    found = [pair for text in texts or () for pair in NAME.findall(text)]
    names = [quoted.replace('""', '"') or plain.strip() for quoted, plain in found]
    return tuple(dict.fromkeys(name for name in names if name))


def _taxonomies(written: Sequence[str]) -> dict[str, Path]:
    """Read COLUMN=FILE; the name of a column may have a `=` in it."""
    pairs = [text.rpartition("=") for text in written]
    wrong = [text for text, (name, _, file) in zip(written, pairs, strict=True) if not (name and file)]
    if wrong:
        raise SpecError(
            *(Mistake("not a taxonomy", "--taxonomy", expected="COLUMN=FILE", got=repr(it)) for it in wrong)
        )
    return {name.strip(): Path(file) for name, _, file in pairs}
