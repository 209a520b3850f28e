"""Killed, ended, raced or locked out: the folder holds one whole pair."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest

from kanon_cli.errors import OutputError
from kanon_cli.release import disk, names, publish, recover, staging
from tests.release.pairs import SCENARIOS, only, prepare, whole, write_stage
from tests.release.processes import command, in_fresh_process


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_kill_at_any_point_ends_in_a_whole_pair(tmp_path: Path, scenario: str) -> None:
    result = in_fresh_process(f"kill_publishing_everywhere(Path({str(tmp_path / 'out')!r}), {scenario!r})")
    assert result["points"] > 25
    assert result["turn"] < result["points"] - 5


@pytest.mark.parametrize(
    ("scenario", "lose"), [("replace", ""), ("replace", "release"), ("first", "release"), ("other folder", "report")]
)
def test_a_recovery_that_is_killed_too_is_recovered(tmp_path: Path, scenario: str, lose: str) -> None:
    result = in_fresh_process(f"kill_recovery_everywhere(Path({str(tmp_path / 'out')!r}), {scenario!r}, {lose!r})")
    before = "None" if scenario == "first" else "old"
    assert result["ends"] == sorted({"new", before} if lose else {"new"})


@pytest.mark.parametrize("scenario", ["replace", "first", "other folder", "no links"])
def test_a_kill_while_a_failed_switch_is_undone_ends_in_a_whole_pair(tmp_path: Path, scenario: str) -> None:
    result = in_fresh_process(f"kill_undoing_everywhere(Path({str(tmp_path / 'out')!r}), {scenario!r})")
    assert result["points"] > 5
    # A kill before anything was brought back lets the recovery finish the switch.
    assert result["ends"] == sorted({"None" if scenario == "first" else "old", "new"})


def test_two_runs_to_one_target_end_in_a_whole_pair(tmp_path: Path) -> None:
    assert in_fresh_process(f"race(Path({str(tmp_path / 'out')!r}), 20)") == {"rounds": 20}


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs the names of open files")
def test_everything_is_safe_on_disk_before_the_first_rename(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pair = prepare(tmp_path / "out", "replace")
    steps: list[str] = []
    with staging(*pair) as stage:
        known = {stage.release_file: "release", stage.report_file: "report", names.record(pair[0]): "record"}
        sync, link, rename = os.fsync, os.link, os.replace

        def watch_sync(descriptor: int) -> None:
            steps.append("sync " + known.get(Path(f"/proc/self/fd/{descriptor}").readlink(), "folder"))
            sync(descriptor)

        def watch_link(source: Path, target: Path) -> None:
            steps.append("link")
            link(source, target)

        def watch_rename(source: Path, target: Path) -> None:
            steps.append("rename " + known[Path(source)])
            rename(source, target)

        for name, watch in (("fsync", watch_sync), ("link", watch_link), ("replace", watch_rename)):
            monkeypatch.setattr(os, name, watch)
        publish(write_stage(stage, "new"))
    assert steps == [
        *("sync release", "sync release", "sync report"),  # when it is written; when both have got their modes
        *("sync record", "sync folder", "link", "link", "sync folder"),
        *("rename release", "rename report", "sync folder"),
    ]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_run_that_is_ended_leaves_the_old_pair_and_what_it_left_is_swept(tmp_path: Path, number: int) -> None:
    pair = prepare(tmp_path / "out", "replace")
    arguments, environment = command(f"wait_in_stage(Path({str(tmp_path / 'out')!r}))")
    with subprocess.Popen(arguments, env=environment, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        hidden = Path(run.stdout.readline().strip())
        assert recover(*pair) == []  # it lives, so its files are its own
        assert hidden.exists()
        run.send_signal(number)
        run.wait()
    assert whole(pair) == "old"
    assert hidden.exists()
    assert recover(pair[0]) == ["removed 2 temporary files of runs that died"]
    assert only(tmp_path / "out", pair)


def test_a_lock_that_nobody_lets_go_of_ends_in_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk, "PATIENCE", 0.05)
    pair = prepare(tmp_path / "out", "replace")
    with (
        pytest.raises(OutputError, match="another program holds the lock"),
        staging(*pair) as stage,
        disk.locked(pair[0].parent),
    ):
        publish(write_stage(stage, "new"))
    assert whole(pair) == "old"
    assert only(tmp_path / "out", pair)
