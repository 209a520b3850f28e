"""Where a release may go, and which files it may replace."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from kanon_cli.errors import OutputError
from kanon_cli.release import check_targets, publish, staging
from tests.release.pairs import files_in, only, pair_in, prepare, whole, write_stage


def test_good_targets_are_left_as_they_were(tmp_path: Path) -> None:
    pair = prepare(tmp_path / "out", "replace")
    check_targets(*pair, force=False)
    check_targets(tmp_path / "a" / "b" / "x.csv", tmp_path / "x.json", force=False)
    assert whole(pair) == "old"
    assert only(tmp_path / "out", pair)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def refused(release: Path, report: Path, force: bool = True) -> str:
    """Give the message with which targets are refused."""
    with pytest.raises(OutputError) as caught:
        check_targets(release, report, force)
    return str(caught.value)


def test_targets_that_cannot_be_written_are_refused_with_the_reason(tmp_path: Path) -> None:
    report = tmp_path / "x.json"
    (tmp_path / "file").write_text("")
    (tmp_path / "loop").symlink_to("loop")
    os.mkfifo(tmp_path / "pipe")
    assert "is a folder" in refused(tmp_path, report)
    assert "is a file, not a folder" in refused(tmp_path / "file" / "x.csv", report)
    assert "is a file, not a folder" in refused(tmp_path / "file" / "deep" / "x.csv", report)
    assert "not a regular file" in refused(tmp_path / "pipe", report)
    assert "leads nowhere" in refused(tmp_path / "loop", report)
    assert "File name too long" in refused(tmp_path / ("n" * 256), report)
    assert "cannot be the name" in refused(tmp_path / "a\0b", report)
    assert "cannot be the name" in refused(tmp_path / "a\ud800b", report)
    assert "the same file" in refused(report, report)
    assert "inside the other" in refused(tmp_path / "x", tmp_path / "x" / "report.json")
    assert files_in(tmp_path) == ["file", "loop", "pipe"]


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder in which even root makes no files")
def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    assert "/proc: the folder cannot be written" in refused(Path("/proc/new/x.csv"), tmp_path / "x.json")
    assert "/proc: the folder cannot be written" in refused(tmp_path / "x.csv", Path("/proc/x.json"))
    with pytest.raises(OutputError, match="/proc"), staging(tmp_path / "new" / "x.csv", Path("/proc/new/x.json")):
        pytest.fail("the stage opened")
    assert list(tmp_path.iterdir()) == []


def test_both_targets_are_judged_at_once(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    assert refused(tmp_path / "a", tmp_path / "b").count("is a folder") == 2


@pytest.mark.parametrize(
    "report", [None, "", "{}", "{" * 100_000, '{"output": {"sha256": "0"}}', '{"output": 3}', "\xff"]
)
def test_a_file_that_kanon_did_not_make_needs_force(tmp_path: Path, report: str | None) -> None:
    pair = pair_in(tmp_path)
    pair[0].write_text("somebody's")
    if report is not None:
        pair[1].write_text(report, encoding="latin-1")
    message = refused(*pair, force=False)
    assert str(pair[0]) in message
    assert "--force" in message
    check_targets(*pair, force=True)
    with staging(*pair) as stage:
        publish(write_stage(stage, "new"))
    assert whole(pair) == "new"


def test_a_pair_in_the_middle_of_a_switch_is_looked_at_again_after_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair = prepare(tmp_path / "out", "replace")
    report = pair[1].read_text()
    pair[1].write_text('{"output": {"sha256": "of the release before"}}')

    @contextlib.contextmanager
    def wait_for_the_other_run(_: Path) -> Iterator[None]:
        pair[1].write_text(report)
        yield

    monkeypatch.setattr("kanon_cli.release.targets.locked", wait_for_the_other_run)
    check_targets(*pair, force=False)
    assert whole(pair) == "old"


def test_the_report_of_another_release_is_not_written_over(tmp_path: Path) -> None:
    """hospital.csv and hospital.parquet have the same default report."""
    other, report = tmp_path / "hospital.parquet", tmp_path / "hospital.report.json"
    other.write_text("old")
    sha256 = hashlib.sha256(b"old").hexdigest()
    report.write_text(json.dumps({"output": {"sha256": sha256, "path": "../out/hospital.parquet"}}))
    assert str(report) in refused(tmp_path / "hospital.csv", report, force=False)
    other.unlink()
    check_targets(tmp_path / "hospital.csv", report, force=False)


def test_a_report_target_that_is_no_report_needs_force(tmp_path: Path) -> None:
    pair = pair_in(tmp_path)
    pair[1].write_text("notes")
    assert str(pair[1]) in refused(*pair, force=False)
    pair[1].write_text('{"output": {"sha256": "of a release that was removed"}}')
    check_targets(*pair, force=False)


def test_a_file_that_appears_during_the_run_is_not_overwritten(tmp_path: Path) -> None:
    pair = pair_in(tmp_path)
    with pytest.raises(OutputError, match="kanon did not make"), staging(*pair) as stage:
        sealed = write_stage(stage, "new")
        pair[0].write_text("somebody's")
        publish(sealed)
    assert pair[0].read_text() == "somebody's"
    assert files_in(tmp_path) == ["hospital.csv"]
