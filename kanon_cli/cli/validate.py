"""`kanon validate`: whether a spec is right, and whether its table fits it."""

from __future__ import annotations

from typing import Any

from kanon_cli.cli import results
from kanon_cli.cli.guard import guard
from kanon_cli.cli.options import Debug, Json, Quiet, Sets, Specs
from kanon_cli.cli.voices import LogFormat, voice_for


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
        from kanon_cli.cli.checking import check, describe

        array: list[dict[str, Any]] = []
        codes: list[int] = []
        for path in specs:
            voice.begin(str(path), is_one_of_many=len(specs) > 1)
            try:
                facts = check(path, sets or (), voice)
            except Exception as error:  # whatever it is, the other specs are checked too; `fail` tells it
                failure = voice.fail(error)
                codes.append(failure.exit_code)
                array.append({"spec": str(path), "error": failure.as_json()})
                continue
            voice.rest()
            array.append(facts)
            if not quiet and not as_json:
                results.show(describe(facts))
        if as_json:
            results.show_json(array)
        raise SystemExit(next(iter(codes), 0))
