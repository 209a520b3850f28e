"""What the tests of publishing are made of: a release with its report, and a disk that can be watched."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kanon_cli.models.base import Verdict
from kanon_cli.release import Sealed, Stage, check_targets, names, publish, recover, seal, staging

HOLDS = [Verdict("k", None, 5, 7, True)]
# Every call that publishing makes to change something on disk: the points at which it can be killed or refused.
CALLS: list[tuple[Any, str]] = [
    *((os, name) for name in ("open", "fsync", "link", "replace", "rename", "unlink", "mkdir", "rmdir", "fchmod")),
    (fcntl, "flock"),
]
SCENARIOS = ["replace", "first", "other folder", "new folders", "no links", "same bytes"]


def pair_in(folder: Path, scenario: str = "replace") -> tuple[Path, Path]:
    """Where the release and the report of a scenario go."""
    if scenario == "new folders":
        return folder / "new" / "deep" / "hospital.csv", folder / "other" / "hospital.report.json"
    if scenario == "other folder":
        (folder / "reports").mkdir(parents=True, exist_ok=True)
        return folder / "hospital.csv", folder / "reports" / "hospital.json"
    return folder / "hospital.csv", folder / "hospital.report.json"


def write_stage(stage: Stage, release: str) -> Sealed:
    """Do what the pipeline does: write and sync the release, seal it, write the report that holds its checksum."""
    stage.release_file.write_text(release)
    stage.sync()
    sealed = seal(stage, HOLDS)
    stage.report_file.write_text(json.dumps({"output": {"sha256": sealed.sha256}, "of": release}))
    return sealed


def release_to(pair: tuple[Path, Path], release: str) -> None:
    """Publish a release in full."""
    recover(*pair)
    check_targets(*pair, force=False)
    with staging(*pair) as stage:
        publish(write_stage(stage, release))


def whole(pair: tuple[Path, Path]) -> str | None:
    """Give the release of a whole pair; None if neither file is there; fail if they don't belong together."""
    release, report = pair
    if not release.exists() and not report.exists():
        return None
    text = release.read_text()
    assert json.loads(report.read_text()) == {
        "output": {"sha256": hashlib.sha256(text.encode()).hexdigest()},
        "of": text,
    }
    return text


def files_in(folder: Path) -> list[str]:
    """List every file below a folder, hidden ones too."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir())


def only(folder: Path, pair: tuple[Path, Path]) -> bool:
    """Say whether a folder holds the pair, or nothing."""
    return files_in(folder) in ([], sorted(str(path.relative_to(folder)) for path in pair))


@contextlib.contextmanager
def each_call(
    before: Callable[[int, str], None], after: Callable[[int, str], None] = lambda _number, _name: None
) -> Iterator[None]:
    """Run functions before and after every call that changes something on disk, with the call's number and name."""
    count = 0

    def watched(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any, **options: Any) -> Any:
            nonlocal count
            count += 1
            number, called = count, "unlock" if args[1:] == (fcntl.LOCK_UN,) else name
            before(number, called)
            result = call(*args, **options)
            after(number, called)
            return result

        return run

    with pytest.MonkeyPatch.context() as patch:
        for module, name in CALLS:
            patch.setattr(module, name, watched(name, getattr(module, name)))
        yield


def prepare(folder: Path, scenario: str) -> tuple[Path, Path]:
    """Make a clean folder with the old pair of a scenario in it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    pair = pair_in(folder, scenario)
    if scenario not in ("first", "new folders"):
        release_to(pair, "old")
    return pair


def new_text(scenario: str) -> str:
    """Say what is released in a scenario."""
    return "old" if scenario == "same bytes" else "new"


@contextlib.contextmanager
def file_system(scenario: str) -> Iterator[None]:
    """Take hard links away where the scenario says so, and the wait for the disk, since no power is cut here."""

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, "no links here")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        if scenario == "no links":
            patch.setattr(os, "link", refuse)
        yield


def leave_dead(target: Path, token: str) -> Path:
    """Leave a temporary file whose owner is dead."""
    path = names.temporary(target, token)
    path.write_text("dead")
    return path


def cut_switch(folder: Path, over: str | None = None) -> tuple[Path, Path]:
    """Leave a switch that was cut after its record was written, and before its first rename.

    `over` is the text of a report that kanon did not make, and that --force lets it replace.
    """
    pair = prepare(folder, "replace")
    if over is not None:
        pair[1].write_text(over)

    def stop(_: object, __: object) -> None:
        raise MemoryError  # stands for a kill: nothing is undone or removed after it

    with pytest.MonkeyPatch.context() as patch, pytest.raises(MemoryError), staging(*pair) as stage:
        patch.setattr("kanon_cli.release.switch.Switch.perform", stop)
        patch.setattr("kanon_cli.release.switch.Switch.back_out", stop)
        patch.setattr("kanon_cli.release.held.Held.drop", lambda held: os.close(held.descriptor))
        patch.setattr("kanon_cli.release.stage._remove_files", lambda _: None)
        publish(write_stage(stage, "new"))
    assert len(files_in(folder)) == 5
    return pair
