"""One spec after the other: read them all, see that they don't get in each other's way, and work on each."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from kanon_cli import pipeline
from kanon_cli.cli.failures import Failure
from kanon_cli.cli.voices import Voice
from kanon_cli.errors import Mistake, SpecError
from kanon_cli.spec.model import Spec
from kanon_cli.spec.parse import parse
from kanon_cli.spec.paths import same
from kanon_cli.spec.targets import page_of, targets_of


@dataclass(frozen=True)
class Planned:
    """A spec file, and what is in it or why that cannot be read."""

    path: Path
    content: Spec | Exception

    @property
    def spec(self) -> Spec:
        """The spec that was read."""
        if isinstance(self.content, Exception):
            raise self.content
        return self.content

    @property
    def targets(self) -> tuple[Path, ...]:
        """The files that it writes."""
        if not isinstance(self.content, Spec):
            return ()
        page = page_of(self.content)
        return (*targets_of(self.content), *([] if page is None else [page]))


@dataclass(frozen=True)
class Outcome:
    """What became of one spec: a run, or a failure."""

    spec: Path
    seconds: float
    run: pipeline.Run | None = None
    failure: Failure | None = None


def plan(paths: Sequence[Path], sets: Sequence[str], output: str | None, report: str | None) -> list[Planned]:
    """Read every spec. One that is wrong doesn't keep the others back; two that write the same file do."""
    given = [name for name, value in (("--output", output), ("--report", report)) if value is not None]
    if len(paths) > 1 and given:
        hint = "run each spec by itself, or set `output` in the specs"
        raise SpecError(
            *(Mistake(f"{name} goes with a single spec", got=f"{len(paths)} specs", hint=hint) for name in given)
        )
    twice = [second for first, second in combinations(paths, 2) if same(first, second)]
    if twice:
        raise SpecError(*(Mistake("this spec is given twice", where=str(path)) for path in dict.fromkeys(twice)))
    planned = [Planned(path, _read(path, sets, output, report)) for path in paths]
    clashes = [_clash(first, second) for first, second in combinations(planned, 2)]
    if any(clashes):
        raise SpecError(*(clash for clash in clashes if clash))
    return planned


def _read(path: Path, sets: Sequence[str], output: str | None, report: str | None) -> Spec | Exception:
    try:
        return parse(path, sets, output=output, report=report)
    except Exception as error:  # kept for the spec's turn
        return error


def _clash(first: Planned, second: Planned) -> Mistake | None:
    """Find a file that both would write."""
    for target in second.targets:
        if any(same(target, other) for other in first.targets):
            what = f"writes a file that {first.path} writes too"
            hint = "give each an output of its own"
            return Mistake(what, where=str(second.path), path="output", got=os.path.realpath(target), hint=hint)
    return None


def work(planned: Sequence[Planned], voice: Voice, force: bool, dry_run: bool) -> Iterator[Outcome]:
    """Run one spec after the other, past those that fail; say what went wrong as soon as it does."""
    for item in planned:
        voice.begin(str(item.path), len(planned) > 1)
        yield _attempt(item, voice, force, dry_run)


def _attempt(item: Planned, voice: Voice, force: bool, dry_run: bool) -> Outcome:
    started = time.perf_counter()
    try:
        run = pipeline.run(item.spec, voice, force=force, dry_run=dry_run)
    except Exception as error:  # a defect, too, concerns this spec only; `fail` tells it
        return Outcome(item.path, time.perf_counter() - started, failure=voice.fail(error))
    seconds = time.perf_counter() - started
    voice.rest()
    files = {"release": str(run.release), "report": str(run.report_file)}
    if run.page is not None:
        files["page"] = str(run.page)
    voice.done(**files, published=run.published, seconds=round(seconds, 3))
    return Outcome(item.path, seconds, run)
