"""The next command finishes or undoes what was cut in between."""

from __future__ import annotations

import errno
import fcntl
import os
from pathlib import Path

import pytest

from kanon_cli.release import names, publish, recover, staging
from kanon_cli.release.held import Held
from tests.release.pairs import cut_switch, files_in, leave_dead, only, pair_in, prepare, whole, write_stage


def test_recovery_of_folders_that_are_not_there_or_hold_nothing_does_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for folder in (tmp_path, tmp_path / "none" / "deep", tmp_path / "file", Path("/proc"), Path("/")):
        assert recover(folder / "x.csv", folder / "x.json") == []
    assert recover(Path("/")) == []


def test_only_dead_files_of_this_target_are_swept(tmp_path: Path) -> None:
    release, report = pair_in(tmp_path, "other folder")
    dead = [leave_dead(release, "0" * 12), leave_dead(tmp_path / "beside.json", "0" * 12), leave_dead(report, "1" * 12)]
    others = [leave_dead(tmp_path / "other.csv", "2" * 12), tmp_path / ".hospital.csv.kanon-mine.tmp"]
    others[1].touch()
    held = Held.make(names.temporary(release, "3" * 12))
    assert recover(release, report) == ["removed 3 temporary files of runs that died"]
    assert [path.exists() for path in [*dead, *others, held.path]] == [False] * 3 + [True] * 3
    held.drop()
    assert recover(release, report) == []


def test_what_a_sweep_could_not_remove_is_found_by_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    release, report = pair_in(tmp_path)
    leave_dead(release, "0" * 12)
    leave_dead(report, "0" * 12)
    removed: list[Path] = []
    remove = os.unlink

    def remove_once(path: Path) -> None:
        if removed:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        removed.append(path)
        remove(path)

    with monkeypatch.context() as patch:
        patch.setattr(os, "unlink", remove_once)
        assert recover(release) == ["removed 1 temporary file of runs that died"]
    assert recover(release) == ["removed 1 temporary file of runs that died"]
    assert files_in(tmp_path) == []


def test_a_file_swept_between_its_making_and_its_lock_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock, times = fcntl.flock, 0

    def sweep_first(descriptor: int, operation: int) -> None:
        nonlocal times
        times += 1
        if times == 1:
            (tmp_path / "x").unlink()
        lock(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", sweep_first)
    held = Held.make(tmp_path / "x")
    held.check()
    held.drop()
    assert times == 2


def test_a_cut_switch_is_finished_by_the_next_command(tmp_path: Path) -> None:
    pair = cut_switch(tmp_path / "out")
    assert recover(pair[0]) == ["finished a switch to a new hospital.csv that was cut in between"]
    assert whole(pair) == "new"
    assert only(tmp_path / "out", pair)


def test_a_cut_switch_is_finished_by_the_next_to_publish(tmp_path: Path) -> None:
    pair = prepare(tmp_path / "out", "replace")
    with staging(*pair) as stage:
        sealed = write_stage(stage, "newer")
        pair[0].parent.rename(tmp_path / "kept")
        cut_switch(tmp_path / "out")
        for path in (tmp_path / "kept").glob(".*.tmp"):
            path.rename(tmp_path / "out" / path.name)
        publish(sealed)
    assert whole(pair) == "newer"
    assert only(tmp_path / "out", pair)


def test_a_cut_switch_in_a_folder_that_was_moved_is_finished_there(tmp_path: Path) -> None:
    cut_switch(tmp_path / "out")
    (tmp_path / "out").rename(tmp_path / "moved")
    recover(tmp_path / "moved" / "hospital.csv")
    assert whole(pair_in(tmp_path / "moved")) == "new"


def test_a_file_that_was_changed_after_the_cut_is_left_as_it_is(tmp_path: Path) -> None:
    pair = cut_switch(tmp_path / "out")
    pair[0].write_text("somebody's")
    (said,) = recover(*pair)
    assert "left as it is" in said
    assert pair[0].read_text() == "somebody's"
    assert only(tmp_path / "out", pair)


def test_temporary_files_that_changed_after_the_cut_are_not_published(tmp_path: Path) -> None:
    pair = cut_switch(tmp_path / "out")
    next(pair[0].parent.glob(".hospital.csv.kanon-*.tmp")).write_text("swapped")
    assert recover(*pair) == ["undid a switch to a new hospital.csv that was cut in between"]
    assert whole(pair) == "old"
    assert only(tmp_path / "out", pair)


def test_a_cut_switch_in_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    pair = cut_switch(tmp_path / "out")

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    with pytest.MonkeyPatch.context() as patch:
        for name in ("link", "replace", "unlink"):
            patch.setattr(os, name, refuse)
        assert recover(*pair) == [
            "a switch of hospital.csv was cut in between and cannot be settled here: Read-only file system"
        ]
    assert whole(pair) == "old"
    recover(*pair)
    assert whole(pair) == "new"
