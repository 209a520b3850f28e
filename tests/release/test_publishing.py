"""A release and its report appear together, with the modes and the names that were asked for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kanon_cli.release import names, publish, recover, staging
from kanon_cli.release.held import usual_mode
from tests.release.pairs import files_in, only, pair_in, prepare, release_to, whole, write_stage


def test_a_release_appears_with_its_report_and_nothing_else(tmp_path: Path) -> None:
    pair = pair_in(tmp_path)
    release_to(pair, "first")
    assert whole(pair) == "first"
    release_to(pair, "second")
    assert whole(pair) == "second"
    assert only(tmp_path, pair)
    assert recover(*pair) == []


def test_nothing_is_visible_before_publishing_and_nothing_is_left_without_it(tmp_path: Path) -> None:
    pair = prepare(tmp_path / "out", "replace")
    with staging(*pair) as stage:
        write_stage(stage, "new")
        assert whole(pair) == "old"
        assert stage.release_file.parent == pair[0].parent
        assert stage.release_file.name.startswith(".hospital.csv.kanon-")
        assert {stage.release_file.stat().st_mode & 0o777, stage.report_file.stat().st_mode & 0o777} == {0o600}
    assert whole(pair) == "old"
    assert only(tmp_path / "out", pair)


def test_folders_made_for_an_unpublished_release_go_away_and_others_stay(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    with staging(tmp_path / "old" / "a" / "b" / "x.csv", tmp_path / "old" / "c" / "x.json") as stage:
        (tmp_path / "old" / "c" / "somebody's").touch()
        assert stage.release_file.exists()
    assert files_in(tmp_path) == ["old/c/somebody's"]
    assert not (tmp_path / "old" / "a").exists()


def test_modes_are_those_of_the_replaced_files_or_the_usual_ones(tmp_path: Path) -> None:
    pair = pair_in(tmp_path)
    old_umask = os.umask(0o027)
    try:
        release_to(pair, "first")
        assert [path.stat().st_mode & 0o777 for path in pair] == [0o640, 0o640]
        pair[0].chmod(0o604)
        release_to(pair, "second")
        assert [path.stat().st_mode & 0o777 for path in pair] == [0o604, 0o640]
        assert usual_mode(tmp_path / "new") == 0o640
        assert os.umask(0o027) == 0o027
    finally:
        os.umask(old_umask)


def test_a_symbolic_link_stays_and_the_file_behind_it_is_replaced(tmp_path: Path) -> None:
    behind = pair_in(tmp_path / "behind")
    front = (tmp_path / "link.csv", tmp_path / "link.json")
    for link, target in zip(front, behind, strict=True):
        link.symlink_to(target)
    release_to(front, "first")
    release_to(front, "second")
    assert whole(behind) == "second"
    assert [link.is_symlink() for link in front] == [True, True]
    assert only(tmp_path / "behind", behind)


def test_a_target_in_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    release_to((Path("x.csv"), Path("x.report.json")), "first")
    release_to((Path("x.csv"), Path("x.report.json")), "second")
    assert whole((tmp_path / "x.csv", tmp_path / "x.report.json")) == "second"
    assert len(files_in(tmp_path)) == 2


@pytest.mark.parametrize(
    "name", ["ä ö\n.csv", "患者.csv", "n" * 200 + ".csv", "n" * 255, "患" * 85, ".hidden", "x.kanon-0123456789ab.tmp"]
)
def test_any_name_that_the_file_system_takes(tmp_path: Path, name: str) -> None:
    pair = (tmp_path / name, tmp_path / "report.json")
    release_to(pair, "first")
    with staging(*pair) as stage:
        hidden = [stage.release_file, names.backup(pair[0], stage.token), names.record(pair[0])]
        assert max(len(os.fsencode(path.name)) for path in hidden) <= 255
        publish(write_stage(stage, "second"))
    assert whole(pair) == "second"
    assert only(tmp_path, pair)


def test_long_names_that_begin_alike_have_hidden_names_of_their_own(tmp_path: Path) -> None:
    one, other = tmp_path / ("n" * 250 + "1"), tmp_path / ("n" * 250 + "2")
    assert names.temporary(one, "0" * 12) != names.temporary(other, "0" * 12)
    assert names.record(one) != names.record(other)
