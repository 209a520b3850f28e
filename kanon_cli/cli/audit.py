"""`kanon audit`: what a table really guarantees, whoever made it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kanon_cli.cli import results
from kanon_cli.cli.guard import guard
from kanon_cli.cli.options import Debug, Json, Quiet, Sets
from kanon_cli.cli.voices import LogFormat, voice_for
from kanon_cli.errors import Mistake, SpecError, UnsafeError

if TYPE_CHECKING:
    from kanon_cli.spec.model import Spec

NAME = re.compile(r'\s*(?:"((?:[^"]|"")*)"\s*|([^,]*))(?:,|\Z)')  # in quotes, or without


def audit(
    table: Annotated[Path, typer.Argument(metavar="TABLE", help="A file, a folder or a glob.", show_default=False)],
    spec: Annotated[
        Path | None, typer.Option(metavar="SPEC", help="The spec that says the columns and what is required.")
    ] = None,
    sets: Sets = None,
    qi: Annotated[
        str | None, typer.Option(metavar="COLUMN,...", help="The quasi-identifiers, where there is no spec.")
    ] = None,
    sensitive: Annotated[
        str | None, typer.Option(metavar="COLUMN,...", help="The sensitive columns, where there is no spec.")
    ] = None,
    original: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The table it was made from: checks truth, measures losses.")
    ] = None,
    require: Annotated[
        str | None, typer.Option(metavar="k=5,l=2", help="What the table must keep, else exit code 5.")
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Say what a table guarantees, whoever made it: k, l and risks, found in its cells.

    With --spec, what the spec promises is required too. --json prints what was found with the report's names.
    """
    voice = voice_for(LogFormat.text, quiet, debug)
    with guard(voice):
        _check_options(spec, sets, qi, sensitive)
        from kanon_cli import auditing
        from kanon_cli.cli.findings import describe, shortfall

        question = auditing.Question(
            table=table,
            spec=_read_spec(spec, sets),
            quasi_identifiers=_names(qi),
            sensitive=_names(sensitive),
            original=original,
            require=require,
        )
        answer = auditing.audit(question, voice)
        voice.rest()
        if as_json:
            results.show_json(answer.block)
        elif not quiet:
            results.show(describe(answer))
        short = [shortfall(verdict, answer) for verdict in answer.verdicts if not verdict.holds]
        if short:
            raise UnsafeError(*short)


def _check_options(spec: Path | None, sets: list[str] | None, qi: str | None, sensitive: str | None) -> None:
    """Refuse options that would be ignored."""
    if spec is None and sets:
        raise SpecError(Mistake("--set changes a spec, and there is none", hint="add --spec SPEC"))
    idle = [
        name for name, value in (("--qi", qi), ("--sensitive", sensitive)) if spec is not None and value is not None
    ]
    if idle:
        raise SpecError(*(Mistake(f"{name} goes without --spec, which says the columns") for name in idle))


def _read_spec(path: Path | None, sets: list[str] | None) -> Spec | None:
    if path is None:
        return None
    from kanon_cli.spec.parse import parse

    return parse(path, sets or (), need_output=False)


def _names(text: str | None) -> tuple[str, ...]:
    """Split names at commas; one that holds a comma, or begins or ends with a blank, stands in quotes."""
    names = [quoted.replace('""', '"') or plain.strip() for quoted, plain in NAME.findall(text or "")]
    return tuple(dict.fromkeys(name for name in names if name))
