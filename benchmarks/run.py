"""Do works and write what they find: `make bench`, or `python -m benchmarks.run [--quick] [WORK ...]`."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from benchmarks import results
from benchmarks.results import Finding, Note, Outcome, Row, Target
from benchmarks.setting import PICTURES, PROJECT, Setting, Unavailable
from benchmarks.shapes import Panel
from benchmarks.works import TABLE

QUICK = PROJECT / "out" / "benchmarks"  # quick runs never touch what is published
Measure = Callable[[Setting], Iterator[Finding]]


def main(arguments: Sequence[str]) -> None:
    """Do the named works, or all; or only draw their pictures anew."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description="Measure loss, speed and memory.")
    parser.add_argument("works", nargs="*", metavar="WORK", help=f"what to measure; default: all of {', '.join(TABLE)}")
    parser.add_argument("--quick", action="store_true", help=f"cut tables, to try a work; writes to {QUICK}")
    parser.add_argument("--draw", action="store_true", help="measure nothing, draw the pictures of earlier results")
    given = parser.parse_args(arguments)
    if unknown := [name for name in given.works if name not in TABLE]:
        parser.error(f"no such work: {', '.join(unknown)}; there are {', '.join(TABLE)}")
    folder = QUICK if given.quick else results.RESULTS
    for name in given.works or TABLE:
        work = import_module(TABLE[name])
        if not given.draw:
            results.save(do(name, (work.__doc__ or "").strip(), work.measure, given.quick), folder)
        if (folder / f"{name}.json").exists():
            pictures = QUICK if given.quick else PICTURES
            draw(results.load(folder / f"{name}.json"), getattr(work, "PANELS", ()), pictures / f"bench-{name}.svg")


def do(name: str, title: str, measure: Measure, is_quick: bool) -> Outcome:
    """Do one work, saying what it finds as it finds it."""
    return Outcome.of(name, title, is_quick, list(_findings(name, title, measure, is_quick)))


def _findings(name: str, title: str, measure: Measure, is_quick: bool) -> Iterator[Finding]:
    print(f"{name}: {title}", flush=True)
    with tempfile.TemporaryDirectory(prefix="kanon-bench-") as folder:
        try:
            for found in measure(Setting(is_quick, Path(folder))):
                print(f"  {said(found)}", flush=True)
                yield found
        except Unavailable as reason:
            print(f"  skipped: {reason}", flush=True)
            yield Note(f"Not measured. {reason}")


def said(found: Finding) -> str:
    """A finding in one line."""
    match found:
        case Row(at, got):
            pairs = (f"{key} {value:.4g}" for key, value in got.items())
            return f"{' '.join(f'{key}={value}' for key, value in at.items())}: {', '.join(pairs)}"
        case Target():
            return "target: " + ", ".join(results.target_cells(found))
        case Note(text):
            return text


def draw(outcome: Outcome, panels: Sequence[Panel], path: Path) -> None:
    """Draw what was measured, if there is anything to draw and matplotlib is there."""
    if not panels:
        return
    if find_spec("matplotlib") is None:
        print("  no picture: matplotlib is missing (pip install 'kanon-cli[bench]')", flush=True)
        return
    from benchmarks.pictures import picture

    picture(outcome.rows, panels, path)


if __name__ == "__main__":
    main(sys.argv[1:])
