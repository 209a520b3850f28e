"""`kanon compare`: algorithms side by side on one table."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kanon_cli.cli.guard import guard
from kanon_cli.cli.options import Debug, Json, Quiet, Sets
from kanon_cli.cli.voices import LogFormat, voice_for
from kanon_cli.errors import Mistake, SpecError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kanon_cli.comparing import Comparison

ALL = "all"


def compare(
    spec: Annotated[Path, typer.Argument(metavar="SPEC", help="The spec whose table is used.", show_default=False)],
    algorithms: Annotated[
        str, typer.Option(metavar="all|NAME,...", help="The algorithms; all: that keep the notion.")
    ] = ALL,
    k: Annotated[str | None, typer.Option("--k", metavar="K,...", help="Values of k; default: the spec's.")] = None,
    measures: Annotated[
        str | None, typer.Option(metavar="NAME,...", help="Measures to minimise; default: the spec's.")
    ] = None,
    jobs: Annotated[
        int, typer.Option(metavar="N", min=1, help="Runs at a time; with several, each has its part of the threads.")
    ] = 1,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FOLDER", help="Where results go; default: SPEC-comparison, here."),
    ] = None,
    sets: Sets = None,
    quiet: Quiet = False,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Run algorithms on one table at several k, and show what each loses and how long it takes.

    Every release is read back and checked like any other, and none is published. The folder gets results.csv,
    results.json, pictures, and a page with all of it. Each result is kept as soon as it is there: the same command
    goes on where it was stopped, and runs only what has no result yet.
    """
    voice = voice_for(LogFormat.text, quiet, debug)
    with guard(voice):
        from kanon_cli import comparing, warmup
        from kanon_cli.bounding import NAME
        from kanon_cli.cli.telling import show
        from kanon_cli.compiling import compile_all, kernels_of
        from kanon_cli.report.comparison import tell_comparison
        from kanon_cli.version import VERSION

        plan = _plan(spec, algorithms, k, measures, jobs, output, sets or [])
        names = dict.fromkeys(entry.algorithm for entry in plan.entries)
        kernels = (NAME, *(kernel for name in names for kernel in kernels_of(name, plan.spec.models)))
        if any(map(warmup.needed, kernels)):
            voice.stage("compile")
            compile_all(kernels)  # here, so that runs side by side don't all do it
        voice.stage("cluster")
        rows = comparing.rows(comparing.compare(plan, jobs, voice))
        voice.rest()
        story = tell_comparison(plan.spec.name or spec.name, rows, VERSION)
        comparing.write(plan.folder, rows, story)
        show(story, rows, as_json, quiet)


def _plan(
    path: Path, algorithms: str, k: str | None, measures: str | None, jobs: int, output: Path | None, sets: list[str]
) -> Comparison:
    """Read what is to be compared; what is wrong with the lists is said."""
    from kanon_cli.algorithms import TABLE
    from kanon_cli.comparing import Comparison, Entry
    from kanon_cli.spec.build import keeping
    from kanon_cli.spec.parse import parse

    spec = parse(path, sets, need_output=False)
    names = keeping(spec.privacy.notion) if algorithms == ALL else _names(algorithms)
    wanted = check_measures(measures, spec.measure.name)
    ks = [max(model.minimum_size for model in spec.models)] if k is None else [_whole(text) for text in _names(k)]
    mistakes = [
        *_unknown("--algorithms", names, TABLE),
        *(Mistake("is not a k", where="--k", expected="whole numbers of at least 2") for at in ks if at < 2),
        *(Mistake("is empty", where=where) for where, found in (("--k", ks), ("--algorithms", names)) if not found),
    ]
    if mistakes:
        raise SpecError(*mistakes)
    entries = tuple(Entry(name, at, measure) for measure in wanted for name in names for at in ks)
    folder = output or Path(f"{path.stem}-comparison")
    threads = max(1, len(os.sched_getaffinity(0)) // jobs) if jobs > 1 else None
    return Comparison(spec, tuple(sets), entries, folder, threads)


def check_measures(measures: str | None, default: str) -> list[str]:
    """The measures of a list, all of which can be minimised."""
    from kanon_cli.spec.build import minimisable

    names = [default] if measures is None else _names(measures)
    mistakes = _unknown("--measures", names, minimisable())
    if not names:
        mistakes.append(Mistake("is empty", where="--measures"))
    if mistakes:
        raise SpecError(*mistakes)
    return names


def _names(text: str) -> list[str]:
    return list(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))


def _whole(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() else 0


def _unknown(option: str, names: Iterable[str], known: Iterable[str]) -> list[Mistake]:
    known = list(known)
    return [
        Mistake(f"{name!r} is not known", where=option, expected=" | ".join(known), hint=did_you_mean(name, known))
        for name in names
        if name not in known
    ]
