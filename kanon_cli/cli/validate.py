"""`kanon validate`: is a spec right, and does its table fit it?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kanon_cli.cli import results
from kanon_cli.cli.guard import guard
from kanon_cli.cli.options import Debug, Json, Quiet, Sets, Specs
from kanon_cli.cli.voices import LogFormat, voice_for

if TYPE_CHECKING:
    from rich.text import Text

    from kanon_cli.intake import Intake
    from kanon_cli.spec.model import Spec


def validate(
    specs: Specs,
    sets: Sets = None,
    quiet: Quiet = False,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Check specs, their taxonomies and their tables against each other. Nothing is written.

    All specs are checked; the exit code is that of the first that is wrong. --json prints an array, one object a spec.
    """
    voice = voice_for(LogFormat.text, quiet, debug)
    with guard(voice):
        from kanon_cli import pipeline
        from kanon_cli.spec.parse import parse

        array: list[dict[str, Any]] = []
        codes: list[int] = []
        for path in specs:
            voice.begin(str(path), is_one_of_many=len(specs) > 1)
            try:
                spec = parse(path, sets or (), need_output=False)
                intake = pipeline.check(spec, voice)
            except Exception as error:  # noqa: BLE001
                failure = voice.fail(error)
                codes.append(failure.exit_code)
                array.append({"spec": str(path), "ok": False, "error": failure.as_json()})
                continue
            finally:
                voice.rest()
            array.append({"spec": str(path), "ok": True, **_facts(spec, intake)})
            if not quiet and not as_json:
                results.show(_line(path, spec, intake))
        if as_json:
            results.show_json(array)
        raise SystemExit(codes[0] if codes else 0)
