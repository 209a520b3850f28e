"""Pages come out whole, after their release, and take no other file's place."""

from __future__ import annotations

from pathlib import Path

import pytest

from kanon_cli.errors import OutputError
from kanon_cli.release.held import Held
from kanon_cli.release.names import new_token, temporary
from kanon_cli.release.pages import check_page, put, waiting
from kanon_cli.report.facts import Facts
from kanon_cli.report.html import page
from tests.report.reports import report

PAGE = page(Facts(report()))


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_a_page_takes_the_place_of_an_older_one(tmp_path: Path) -> None:
    target = tmp_path / "r.html"
    put(target, PAGE, [], force=False)
    put(target, PAGE.replace("Safe", "Safer"), [], force=False)
    assert "Safer" in target.read_text(encoding="utf-8")
    assert names(tmp_path) == {"r.html"}


def test_a_file_that_kanon_did_not_make_is_replaced_only_by_force(tmp_path: Path) -> None:
    target = tmp_path / "r.html"
    target.write_text("<!DOCTYPE html><title>mine</title>", encoding="utf-8")
    with pytest.raises(OutputError, match="did not make"):
        put(target, PAGE, [], force=False)
    assert "mine" in target.read_text(encoding="utf-8")
    put(target, PAGE, [], force=True)
    assert target.read_text(encoding="utf-8") == PAGE


def test_a_page_does_not_overwrite_what_it_is_made_from_even_by_force(tmp_path: Path) -> None:
    source = tmp_path / "r.json"
    source.write_text("{}", encoding="utf-8")
    (tmp_path / "link.html").symlink_to(source)
    with pytest.raises(OutputError, match="belongs to"):
        check_page(tmp_path / "link.html", [source], force=True)


@pytest.mark.parametrize("place", [".", "file/r.html"])
def test_a_place_that_cannot_be_written_is_refused(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(OutputError):
        check_page(tmp_path / place, [], force=False)


def test_a_page_that_nobody_brings_out_leaves_nothing(tmp_path: Path) -> None:
    with waiting(tmp_path / "new" / "r.html", PAGE) as made:
        assert made.held.path.read_text(encoding="utf-8") == PAGE
        assert made.held.path.stat().st_nlink == 1
    assert names(tmp_path) == set()


def test_an_error_after_it_was_written_leaves_the_old_page(tmp_path: Path) -> None:
    target = tmp_path / "r.html"
    put(target, PAGE, [], force=False)
    with pytest.raises(ZeroDivisionError), waiting(target, "new"):
        raise ZeroDivisionError
    assert target.read_text(encoding="utf-8") == PAGE
    assert names(tmp_path) == {"r.html"}


def test_what_a_dead_run_left_is_swept_and_what_a_living_one_holds_is_not(tmp_path: Path) -> None:
    target = tmp_path / "r.html"
    dead, living = (temporary(target, new_token()) for _ in range(2))
    dead.write_text("cut", encoding="utf-8")
    held = Held.make(living)
    put(target, PAGE, [], force=False)
    assert names(tmp_path) == {"r.html", living.name}
    held.drop()


def test_a_link_is_followed(tmp_path: Path) -> None:
    target = tmp_path / "real.html"
    put(target, PAGE, [], force=False)
    (tmp_path / "link.html").symlink_to(target)
    put(tmp_path / "link.html", PAGE + "\n", [], force=False)
    assert (tmp_path / "link.html").is_symlink()
    assert target.read_text(encoding="utf-8") == PAGE + "\n"
