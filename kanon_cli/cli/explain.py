"""`kanon explain`: why the loss is what it is."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kanon_cli.cli.guard import guard
from kanon_cli.cli.options import Debug, Force, Html, Json, Quiet, Sets
from kanon_cli.cli.voices import LogFormat, voice_for

EFFORT = 20


def explain(
    spec: Annotated[Path, typer.Argument(metavar="SPEC", help="The spec to explain.", show_default=False)],
    sets: Sets = None,
    effort: Annotated[
        int, typer.Option(metavar="N", min=0, help="Work per record of each of the many searches.")
    ] = EFFORT,
    html: Html = None,
    force: Force = False,
    quiet: Quiet = False,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Find out what the loss comes from, before or after a release is made. Nothing is published.

    Column by column: what the others would save without it, at half its weight, and with a finer taxonomy. Then the
    values and the rows that lose most, and what another k would lose. Values are named only if many rows have them.
    """
    voice = voice_for(LogFormat.text, quiet, debug)
    with guard(voice):
        from kanon_cli import explaining
        from kanon_cli.cli.telling import put_page, show
        from kanon_cli.release.pages import check_page
        from kanon_cli.report.explanation import tell_explanation
        from kanon_cli.spec.parse import parse
        from kanon_cli.version import VERSION

        read = parse(spec, sets or (), need_output=False)
        if html is not None:
            check_page(html, [spec], force)
        found = explaining.explain(read, effort, voice)
        voice.rest()
        story = tell_explanation(read.name or spec.name, found, VERSION)
        if html is not None:
            put_page(story, html, spec, force)
        show(story, found, as_json, quiet)
