"""`kanon run`: releases, one by one or as a batch."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from kanon_cli.cli import results
from kanon_cli.cli.guard import guard
from kanon_cli.cli.options import Debug, Force, Json, Quiet, Sets, Specs
from kanon_cli.cli.voices import LogFormat, voice_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kanon_cli.cli.batch import Outcome


def run(
    specs: Specs,
    sets: Sets = None,
    output: Annotated[
        str | None, typer.Option(metavar="FILE", help="Where the release goes, in place of the spec's output.")
    ] = None,
    report: Annotated[
        str | None, typer.Option(metavar="FILE", help="Where the report goes, in place of the spec's output.report.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Do everything but publish.")] = False,
    force: Force = False,
    quiet: Quiet = False,
    as_json: Json = False,
    log_format: Annotated[LogFormat, typer.Option(help="How the lines on stderr are written.")] = LogFormat.text,
    debug: Debug = False,
) -> None:
    """Make the release that a spec describes, check it, and publish it with its report.

    Several specs are a batch: it goes on past failures and ends with a table; its exit code is that of the first
    failure. --json prints the report; for a batch, an array with the report or the error of each spec.
    """
    voice = voice_for(log_format, quiet, debug)
    with guard(voice):
        from kanon_cli.cli.batch import plan, work
        from kanon_cli.cli.summary import summarize, tabulate

        planned = plan(specs, sets or (), output, report)
        is_batch = len(planned) > 1
        talks = not quiet and not as_json
        outcomes: list[Outcome] = []
        for outcome in work(planned, voice, force, dry_run):
            outcomes.append(outcome)
            if outcome.run and talks:
                results.show(summarize(outcome.run, str(outcome.spec) if is_batch else None))
        if is_batch and talks:
            results.show(tabulate(outcomes))
        if as_json:
            _print_json(outcomes)
        raise SystemExit(next((outcome.failure.exit_code for outcome in outcomes if outcome.failure), 0))


def _print_json(outcomes: Sequence[Outcome]) -> None:
    """Print the report as its file has it; for a batch, an array."""
    if len(outcomes) == 1:
        if outcomes[0].run:
            results.write(outcomes[0].run.report.text(), "utf-8")
        return
    array = []
    for outcome in outcomes:
        if outcome.run:
            array.append(json.loads(outcome.run.report.text()))
        elif outcome.failure:
            array.append({"spec": str(outcome.spec), "error": outcome.failure.as_json()})
    results.show_json(array)
