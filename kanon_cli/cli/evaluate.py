"""`kanon evaluate`: what a release is good for."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kanon_cli.cli.guard import guard
from kanon_cli.cli.options import Debug, Force, Html, Json, Quiet, Sets
from kanon_cli.cli.voices import LogFormat, voice_for


def evaluate(
    spec: Annotated[Path, typer.Argument(metavar="SPEC", help="The spec of the release.", show_default=False)],
    target: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="What is to be learned: a sensitive or kept column; default: the first."),
    ] = None,
    measures: Annotated[
        str | None, typer.Option(metavar="NAME,...", help="Releases by these measures; default: the spec's.")
    ] = None,
    folds: Annotated[int, typer.Option(metavar="N", min=2, max=20, help="Parts of the cross-validation.")] = 5,
    rows: Annotated[int, typer.Option(metavar="N", min=100, help="Learn from so many rows at the most.")] = 20_000,
    sets: Sets = None,
    html: Html = None,
    force: Force = False,
    quiet: Quiet = False,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Train classifiers on the original and on its release, and say how much less they learn. Nothing is published.

    Needs scikit-learn: pip install 'kanon-cli[evaluate]'. Association rules are counted too, those that survive and
    those that are new.
    """
    voice = voice_for(LogFormat.text, quiet, debug)
    with guard(voice):
        from kanon_cli import evaluating
        from kanon_cli.cli.compare import check_measures
        from kanon_cli.cli.telling import put_page, show
        from kanon_cli.release.pages import check_page
        from kanon_cli.report.evaluation import tell_evaluation
        from kanon_cli.spec.parse import parse
        from kanon_cli.version import VERSION

        first = parse(spec, sets or (), need_output=False)
        names = check_measures(measures, first.measure.name)
        specs = [
            first if name == first.measure.name else parse(spec, [*(sets or ()), f"measure={name}"], need_output=False)
            for name in names
        ]
        if html is not None:
            check_page(html, [spec], force)
        terms = evaluating.Terms(evaluating.choose_target(first, target), folds, rows, first.seed)
        found = evaluating.evaluate(specs, terms, voice)
        voice.rest()
        story = tell_evaluation(first.name or spec.name, found, VERSION)
        if html is not None:
            put_page(story, html, spec, force)
        show(story, found, as_json, quiet)
