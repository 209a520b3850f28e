"""The commands of kanon, put together."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import Annotated

import typer

from kanon_cli.cli.audit import audit
from kanon_cli.cli.catalogue import algorithms, measures, models
from kanon_cli.cli.compare import compare
from kanon_cli.cli.evaluate import evaluate
from kanon_cli.cli.explain import explain
from kanon_cli.cli.guard import guard
from kanon_cli.cli.report import report
from kanon_cli.cli.run import run
from kanon_cli.cli.schema import schema
from kanon_cli.cli.stopping import heed_signals
from kanon_cli.cli.validate import validate
from kanon_cli.cli.voices import TextVoice
from kanon_cli.cli.warmup import warmup
from kanon_cli.version import VERSION

EXIT_CODES = """\b
Exit codes:
  0  done
  1  a defect in kanon, or too little memory
  2  the command line or the spec is wrong, or the output can't be written
  3  the data is wrong
  4  the promise cannot be met with this data
  5  a release or an audited table falls short of its promise
  6  an engine or an optional package is missing
  7  the release would lose more than its limits
  130 interrupted, 143 terminated"""

# Plain help: rich's panels leave too little of 80 columns for the words, and would load rich for `kanon --help`.
app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)
app.command(
    short_help="Make, check and publish the release of a spec.",
    epilog="Example: kanon run hospital.yaml --set privacy.k=20",
)(run)
app.command(
    short_help="Check specs and their tables; write nothing.",
    epilog="Example: kanon validate configs/*.yaml",
)(validate)
app.command(
    short_help="Say what a table really guarantees.",
    epilog="Example: kanon audit out.csv --qi age,sex,zip --sensitive diagnosis --require k=5",
)(audit)
app.command(
    short_help="List the algorithms, or show one with its options.",
    epilog="Example: kanon algorithms mondrian",
)(algorithms)
app.command(
    short_help="List the privacy models, or show one.",
    epilog="Example: kanon models l",
)(models)
app.command(
    short_help="List the measures of loss, or show one.",
    epilog="Example: kanon measures entropy --json",
)(measures)
app.command(
    short_help="Show a report, in the terminal or as a page.",
    epilog="Example: kanon report out/hospital.report.json --html out/hospital.html",
)(report)
app.command(
    short_help="Run algorithms side by side on one table.",
    epilog="Example: kanon compare hospital.yaml --algorithms all --k 5,10,20,50",
)(compare)
app.command(
    short_help="Say why the loss is what it is.",
    epilog="Example: kanon explain hospital.yaml --set privacy.k=20",
)(explain)
app.command(
    short_help="Say what a release is good for.",
    epilog="Example: kanon evaluate hospital.yaml --target diagnosis --measures lm,entropy",
)(evaluate)
app.command(
    short_help="Print the JSON Schema of the spec or the report.",
    epilog="Example: kanon schema spec > kanon.schema.json",
)(schema)
app.command(
    short_help="Compile the kernels before they are needed.",
    epilog="Example: KANON_CACHE_DIR=/opt/kanon-cache kanon warmup",
)(warmup)


@app.callback(invoke_without_command=True, epilog=EXIT_CODES)
def kanon(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    """Anonymize tables of personal records, and prove what a table keeps.

    A spec names the columns that others may know, the ones to be protected, and what the release has to keep. kanon
    groups similar records, generalizes each group, reads the result back, checks it, and publishes it with a report.
    """
    if version:
        typer.echo(f"kanon {VERSION}")
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help(), err=True)
        raise typer.Exit(2)


def main() -> None:
    """Run the command line and end the process with its exit code."""
    _repair_streams()
    heed_signals()
    try:
        with guard(TextVoice(quiet=False, debug=bool(os.environ.get("KANON_DEBUG")))):
            app(prog_name="kanon")
    except SystemExit as ending:
        _end(ending.code if isinstance(ending.code, int) else 0)


def _end(exit_code: int) -> None:
    """End the process at once: pyarrow's threads abort it now and then while Python shuts down."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # a reader that went away, or a closed stream
            stream.flush()
    os._exit(exit_code)


def _repair_streams() -> None:
    """Stand in for a stream that the caller has closed, which Python leaves as None."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115, PTH123  until the process ends
