"""Algorithms side by side: each run is a `kanon run --dry-run` of its own, and what is done is kept."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from kanon_cli.errors import KanonError, Mistake
from kanon_cli.events import Observer
from kanon_cli.release.disk import refusing
from kanon_cli.report.comparison import pictures
from kanon_cli.report.facts import Facts
from kanon_cli.report.html import page_of, standalone
from kanon_cli.report.shapes import Story
from kanon_cli.spec.model import Spec
from kanon_cli.tables.sources import find, sha256
from kanon_cli.version import VERSION

PAUSE = 0.05  # seconds between two looks at the runs
STOPPED = (-2, -15, 130, 143)  # how a run ends that was asked to end
BROKEN = 1


@dataclass(frozen=True)
class Entry:
    """One run of a comparison."""

    algorithm: str
    k: int
    measure: str

    def __str__(self) -> str:
        return f"{self.algorithm}, k = {self.k}, {self.measure}"

    def changes(self, spec: Spec) -> list[str]:
        """What --set makes of the spec; a part that the spec itself names keeps its options."""
        changes = [f"privacy.k={self.k}"]
        if self.algorithm != spec.algorithm.name:
            changes.append(f"algorithm={self.algorithm}")
        if self.measure != spec.measure.name:
            changes.append(f"measure={self.measure}")
        return changes


@dataclass(frozen=True)
class Result:
    """What came of a run: its report, or why there is none."""

    entry: Entry
    report: Facts
    reason: str | None = None
    exit_code: int = 0

    @property
    def loss(self) -> float | None:
        """The loss by the measure that was minimised, as the auditor found it."""
        return self.report.number("utility", self.entry.measure)

    @property
    def bound(self) -> float | None:
        """What any release loses at least."""
        return self.report.number("utility", "bound", self.entry.measure)

    @property
    def seconds(self) -> float | None:
        """How long the algorithm took, reading, compiling and checking left out."""
        return self.report.number("timing", "cluster")


@dataclass(frozen=True)
class Comparison:
    """What is compared, and where its results are kept."""

    spec: Spec
    sets: tuple[str, ...]  # of the command line
    entries: tuple[Entry, ...]
    folder: Path
    threads: int | None = None  # of a run; None: as the spec says

    def file_of(self, entry: Entry) -> Path:
        """Where the result of a run is kept: the name changes with all that the result depends on."""
        digest = hashlib.sha256(f"{self._basis()}{entry}".encode()).hexdigest()[:12]
        return self.folder / "runs" / f"{entry.algorithm}-{entry.measure}-{entry.k}-{digest}.json"

    def _basis(self) -> str:
        spec = self.spec
        taxonomies = [column.taxonomy.file for column in spec.quasi_identifiers.values() if column.taxonomy]
        files = [*find(spec.locate(spec.input.path)), *(spec.locate(file) for file in taxonomies if file)]
        return f"{VERSION} {spec.sha256} {sha256(files)} {self.threads} "


def compare(comparison: Comparison, jobs: int, observer: Observer) -> list[Result]:
    """Make every run that has no result yet, some at a time, and keep each result as soon as it is there."""
    with refusing(comparison.folder):
        (comparison.folder / "runs").mkdir(parents=True, exist_ok=True)
    file_of = {entry: comparison.file_of(entry) for entry in comparison.entries}
    known = {entry: _load(entry, file) for entry, file in file_of.items()}
    waiting = [entry for entry, result in known.items() if result is None]
    for done, result in enumerate(_work(comparison, waiting, jobs, observer), start=1):
        _store(file_of[result.entry], result)
        known[result.entry] = result
        observer.progress(done / len(waiting), str(result.entry))
    return [result for result in known.values() if result is not None]


def _work(comparison: Comparison, waiting: Sequence[Entry], jobs: int, observer: Observer) -> Iterator[Result]:
    queue = list(reversed(waiting))
    running: list[_Run] = []
    done = 0
    try:
        while queue or running:
            while queue and len(running) < jobs:
                running.append(_Run.start(comparison, queue.pop()))
            ended = [run for run in running if run.process.poll() is not None]
            for run in ended:
                running.remove(run)
                done += 1
                yield run.result()
            if not ended:
                observer.progress(done / len(waiting), ", ".join(str(run.entry) for run in running))
                time.sleep(PAUSE)
    finally:
        for run in running:
            run.process.terminate()  # it cleans up behind itself
        for run in running:
            run.process.wait()


@dataclass(frozen=True)
class _Run:
    """A run that goes on in a process of its own."""

    entry: Entry
    process: subprocess.Popen[bytes]
    out: IO[bytes]
    err: IO[bytes]

    @classmethod
    def start(cls, comparison: Comparison, entry: Entry) -> _Run:
        changes = [*comparison.sets, *entry.changes(comparison.spec), "output.html=", "limits={}"]
        if comparison.threads is not None:
            changes.append(f"engine.threads={comparison.threads}")
        nowhere = comparison.file_of(entry).with_suffix(".csv")  # a dry run writes there, and takes it away
        command = [sys.executable, "-m", "kanon_cli", "run", str(comparison.spec.source), "--output", str(nowhere)]
        command += [f"--set={change}" for change in changes]
        command += ["--dry-run", "--json", "--quiet", "--log-format", "json"]
        out, err = tempfile.TemporaryFile(), tempfile.TemporaryFile()  # noqa: SIM115  `result` closes them
        return cls(entry, subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err), out, err)  # noqa: S603  kanon itself

    def result(self) -> Result:
        """What came of it. A defect is no result: it ends the comparison."""
        code = self.process.returncode
        with self.out, self.err:
            self.out.seek(0)
            self.err.seek(0)
            said, told = self.out.read(), self.err.read()
        if code == 0:
            return Result(self.entry, Facts(json.loads(said)))
        reason = _reason(told)
        if code == BROKEN or code in STOPPED:
            raise KanonError(Mistake(f"the run of {self.entry} broke off: {reason}"))
        return Result(self.entry, Facts({}), reason, code)


def _reason(told: bytes) -> str:
    """The mistakes of a run, from the last event that it told of."""
    for line in reversed(told.decode("utf-8", "replace").splitlines()):
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if isinstance(event, dict) and event.get("event") == "error":
            return "; ".join(mistake["what"] for mistake in event["mistakes"])
    return "it said nothing"


def _store(file: Path, result: Result) -> None:
    """Keep a result: its file is there as a whole or not at all."""
    content = {"report": result.report.content, "reason": result.reason, "exit_code": result.exit_code}
    _put(file, json.dumps(content, indent=1) + "\n")


def _put(file: Path, text: str) -> None:
    part = file.with_name(f".{file.name}.part")
    with refusing(file):
        part.write_text(text, encoding="utf-8")
        part.replace(file)


def _load(entry: Entry, file: Path) -> Result | None:
    """Take up a result that was kept; None if there is none that can be read."""
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None
    match content:
        case {"report": dict(report), "reason": str() | None as reason, "exit_code": int(code)}:
            return Result(entry, Facts(report), reason, code)
    return None


def rows(results: Sequence[Result]) -> list[dict[str, Any]]:
    """The results as a table: a row a run, a key a column, the same for all."""
    measures: dict[str, None] = {}
    for result in results:
        measures |= dict.fromkeys(name for name in result.report.block("utility").content if _is_loss(result, name))
    return [
        {
            "algorithm": result.entry.algorithm,
            "k": result.entry.k,
            "measure": result.entry.measure,
            "loss": result.loss,
            "bound": result.bound,
            "seconds": result.seconds,
            "total_seconds": result.report.number("timing", "total"),
            "classes": result.report.number("classes", "count"),
            **{f"utility_{name}": result.report.number("utility", name) for name in measures},
            "reason": result.reason,
        }
        for result in results
    ]


def write(folder: Path, found: Sequence[dict[str, Any]], story: Story) -> None:
    """Write the results as a table, as JSON, as pictures and as a page."""
    files = {f"{name}": standalone(picture) for name, picture in pictures(story).items()}
    files["results.json"] = json.dumps(list(found), indent=1, ensure_ascii=False) + "\n"
    files["index.html"] = page_of(story)
    table = io.StringIO()
    writer = csv.DictWriter(table, list(found[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(found)
    files["results.csv"] = table.getvalue()
    for name, text in files.items():
        _put(folder / name, text)


def _is_loss(result: Result, name: str) -> bool:
    return not isinstance(result.report.at("utility", name), Mapping)
