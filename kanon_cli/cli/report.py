"""`kanon report`: a report for people, in the terminal or as a page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kanon_cli.cli import results
from kanon_cli.cli.guard import guard
from kanon_cli.cli.options import Debug, Force, Quiet
from kanon_cli.cli.voices import LogFormat, voice_for


def report(
    file: Annotated[
        Path,
        typer.Argument(metavar="REPORT", help="The report of a run, or what `kanon audit --json` printed."),
    ],
    html: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write it as a page for the browser, one file that needs nothing else."),
    ] = None,
    force: Force = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Show a report: whether the release is safe, what was lost, how far that is from the best possible.

    With --html the same goes into a page with pictures, which can be read, sent and printed without kanon.
    """
    voice = voice_for(LogFormat.text, quiet, debug)
    with guard(voice):
        from kanon_cli.report.facts import open_report
        from kanon_cli.report.story import tell

        facts = open_report(file)
        if html is not None:
            from kanon_cli.release.pages import files_of, put
            from kanon_cli.report.html import page

            put(html, page(facts), [file, *files_of(file, html, facts.files())], force)
        if not quiet:
            from kanon_cli.cli.telling import describe

            results.show(describe(tell(facts)))
