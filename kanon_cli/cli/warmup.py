"""`kanon warmup`: compile the kernels before they are needed."""

from __future__ import annotations

from typing import Annotated

import typer

from kanon_cli.cli import results
from kanon_cli.cli.guard import guard
from kanon_cli.cli.options import Debug, Quiet
from kanon_cli.cli.voices import LogFormat, voice_for


def warmup(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME",
            help="An algorithm, starting, bound, recombining, reshaping, repair, suppression or exact; default: all.",
            show_default=False,
        ),
    ] = None,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Compile kernels now, with all cores, for example while a container image is built, so that no run has to wait.

    The compiled code is kept in KANON_CACHE_DIR, by default in ~/.cache/kanon, for this version of kanon and this
    kind of processor.
    """
    voice = voice_for(LogFormat.text, quiet, debug)
    with guard(voice):
        from rich.text import Text

        from kanon_cli import warmup as kernels
        from kanon_cli.cli.page import duration
        from kanon_cli.compiling import NAMES, compile_all
        from kanon_cli.errors import Mistake, SpecError, did_you_mean

        wrong = [name for name in names or () if name not in NAMES]
        if wrong:
            mistakes = [
                Mistake(f"there is nothing called {name!r} to compile", hint=did_you_mean(name, NAMES))
                for name in wrong
            ]
            raise SpecError(*mistakes)
        asked = names or NAMES
        missing = [name for name in asked if kernels.needed(name)]

        def say(name: str, what: str) -> None:
            if not quiet:
                results.show([Text(f"{name}: {what}")])

        for name in asked:
            if name not in missing:
                say(name, "was compiled before")
        if missing:
            voice.stage("compile")
            compile_all(missing, lambda name, seconds: say(name, f"compiled in {duration(seconds)}"))
            voice.rest()
