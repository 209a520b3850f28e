"""A recovery record is believed only as far as what it names bears it out."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest

from kanon_cli.errors import OutputError
from kanon_cli.release import names, recover
from kanon_cli.release.switch import Move, Switch
from tests.release.pairs import cut_switch, files_in, only, whole


def test_a_planted_record_removes_nobodys_file(tmp_path: Path) -> None:
    """A record that names any other file as the report is refused, and nothing is touched."""
    (tmp_path / "pub").mkdir()
    (tmp_path / "other").mkdir()
    victim = tmp_path / "other" / "victim.txt"
    victim.write_text("precious")
    token, release = "0123456789ab", tmp_path / "pub" / "r.csv"
    moves = [
        {"target": "r.csv", "new": "00", "old": None, "temporary": names.temporary(release, token).name},
        {"target": "../other/victim.txt", "new": hashlib.sha256(b"precious").hexdigest(), "old": None},
    ]
    moves[0]["backup"] = names.backup(release, token).name
    moves[1] |= {"temporary": names.temporary(victim, token).name, "backup": names.backup(victim, token).name}
    names.record(release).write_text(json.dumps({"kanon_switch": 1, "token": token, "moves": moves}))
    with pytest.raises(OutputError, match="recovery record"):
        recover(release)
    assert victim.read_text() == "precious"


def test_a_record_that_was_cut_while_it_was_written_changes_nothing(tmp_path: Path) -> None:
    pair = cut_switch(tmp_path / "out")
    record = names.record(pair[0])
    record.write_bytes(record.read_bytes()[:-20])
    assert recover(*pair) == [
        "removed the unfinished recovery record of hospital.csv",
        "removed 2 temporary files of runs that died",
    ]
    assert whole(pair) == "old"
    assert only(tmp_path / "out", pair)


@pytest.mark.parametrize(
    "change",
    [
        {"kanon_switch": 2},
        {"token": "../../etc/pas"},
        {"moves": []},
        {"more": 1},
        {"moves": [{"target": "victim", "temporary": "x", "backup": "y", "new": "0", "old": None}] * 2},
    ],
)
def test_a_record_that_kanon_did_not_write_is_refused(tmp_path: Path, change: dict[str, object]) -> None:
    pair = cut_switch(tmp_path / "out")
    record = names.record(pair[0])
    record.write_text(json.dumps({**json.loads(record.read_text()), **change}))
    before = files_in(tmp_path)
    with pytest.raises(OutputError, match="not written by this version"):
        recover(*pair)
    assert files_in(tmp_path) == before
    assert whole(pair) == "old"


def digest(text: str) -> str:
    """Take the checksum of a text."""
    return hashlib.sha256(text.encode()).hexdigest()


def report_on(release: str) -> str:
    """Say what a report on a release says."""
    return json.dumps({"output": {"sha256": digest(release), "path": "r.csv"}})


def plant(folder: Path, victim: Path, release: tuple[str, str | None], report: tuple[str, str | None]) -> Switch:
    """Write the record of a switch that never was, with the victim as its report."""
    folder.mkdir(exist_ok=True)
    victim.parent.mkdir(exist_ok=True)
    moves = (Move(folder / "r.csv", "0" * 12, *release), Move(victim, "0" * 12, *report))
    switch = Switch(*moves)
    switch.record.write_text(json.dumps(switch.as_json()))
    return switch


@pytest.mark.parametrize("old", [None, "older"])
@pytest.mark.parametrize("content", ["precious", "{", report_on("another release"), "{" * 100_000])
def test_no_file_that_is_not_a_report_of_the_release_is_undone(tmp_path: Path, content: str, old: str | None) -> None:
    victim = tmp_path / "other" / "victim.txt"
    switch = plant(tmp_path / "pub", victim, (digest("new"), None), (digest(content), old and digest(old)))
    victim.write_text(content)
    if old:
        switch.report.backup.write_text(old)
    before = files_in(tmp_path)
    with pytest.raises(OutputError, match="not written by this version"):
        recover(switch.release.target)
    assert victim.read_text() == content
    assert files_in(tmp_path) == before


def test_a_report_of_a_release_that_is_elsewhere_stays(tmp_path: Path) -> None:
    """The planted record tells the truth about whose report it is, but its release was never in this folder."""
    report = tmp_path / "other" / "r.report.json"
    switch = plant(tmp_path / "pub", report, (digest("new"), None), (digest(report_on("new")), None))
    report.write_text(report_on("new"))
    (said,) = recover(switch.release.target)
    assert "left as it is" in said
    assert files_in(tmp_path) == ["other/r.report.json"]


@pytest.mark.parametrize("victim_is_there", [True, False])
def test_a_temporary_file_that_is_no_report_takes_no_name(tmp_path: Path, victim_is_there: bool) -> None:
    victim = tmp_path / "other" / "victim.txt"
    switch = plant(tmp_path / "pub", victim, (digest("new"), None), (digest("evil"), digest("precious")))
    switch.release.target.write_text("new")
    switch.report.temp.write_text("evil")
    if victim_is_there:
        victim.write_text("precious")
    before = files_in(tmp_path)
    with pytest.raises(OutputError, match="not written by this version"):
        recover(switch.release.target)
    assert files_in(tmp_path) == before


def test_a_report_takes_the_place_of_nothing_but_a_report(tmp_path: Path) -> None:
    """In a folder like /tmp others may add files, such as a true report, but not replace the victim."""
    victim = tmp_path / "other" / "victim.txt"
    switch = plant(tmp_path / "pub", victim, (digest("new"), None), (digest(report_on("new")), digest("precious")))
    switch.release.target.write_text("new")
    switch.report.temp.write_text(report_on("new"))
    victim.write_text("precious")
    (said,) = recover(switch.release.target)
    assert said.startswith("undid")
    assert files_in(tmp_path) == ["other/victim.txt"]
    assert victim.read_text() == "precious"


def test_a_cut_switch_over_a_forced_report_is_undone(tmp_path: Path) -> None:
    pair = cut_switch(tmp_path / "out", over="notes")
    assert recover(*pair) == ["undid a switch to a new hospital.csv that was cut in between"]
    assert [path.read_text() for path in pair] == ["old", "notes"]
    assert only(tmp_path / "out", pair)


def test_a_record_that_names_a_pipe_or_a_folder_is_refused_without_waiting_for_it(tmp_path: Path) -> None:
    victim = tmp_path / "other" / "victim.txt"
    switch = plant(tmp_path / "pub", victim, (digest("new"), None), (digest(""), None))
    for make in (Path.mkdir, os.mkfifo):
        make(victim)
        with pytest.raises(OutputError, match="not written by this version"):
            recover(switch.release.target)
        victim.rmdir() if victim.is_dir() else victim.unlink()


@pytest.mark.parametrize("content", ["[" * 100_000, "[]", "3"])
def test_a_record_that_is_no_record_is_refused(tmp_path: Path, content: str) -> None:
    release = tmp_path / "r.csv"
    names.record(release).write_text(content)
    with pytest.raises(OutputError, match="not written by this version"):
        recover(release)


def test_a_record_that_names_what_no_file_can_be_called_is_refused(tmp_path: Path) -> None:
    switch = plant(tmp_path, tmp_path / "victim.txt", (digest("new"), None), (digest(""), None))
    record = switch.record.read_text()
    for bad in ("a\\u0000b", "a\\ud800b"):
        switch.record.write_text(record.replace("victim.txt", bad))
        with pytest.raises(OutputError, match="not written by this version"):
            recover(switch.release.target)
