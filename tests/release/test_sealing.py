"""Only what was checked and did not change since is published."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from kanon_cli.errors import KanonError, OutputError, UnsafeError
from kanon_cli.models.base import Verdict
from kanon_cli.release import Sealed, publish, seal, staging
from tests.release.pairs import HOLDS, files_in, only, pair_in, prepare, whole, write_stage


def test_a_broken_promise_is_named_and_nothing_is_sealed(tmp_path: Path) -> None:
    verdicts = [*HOLDS, Verdict("t", "diagnosis", 0.2, 0.31, False), Verdict("k", None, 5, 4, False)]
    with staging(*pair_in(tmp_path)) as stage, pytest.raises(UnsafeError) as caught:
        seal(stage, verdicts)
    message = str(caught.value)
    assert len(caught.value.mistakes) == 2
    assert all(word in message for word in ("t of column 'diagnosis'", "expected 0.2", "got 0.31", "expected 5, got 4"))


def test_a_release_that_nobody_checked_is_not_sealed(tmp_path: Path) -> None:
    with staging(*pair_in(tmp_path)) as stage, pytest.raises(UnsafeError, match="no promise was checked"):
        seal(stage, [])


def test_nobody_else_makes_a_sealed(tmp_path: Path) -> None:
    with staging(*pair_in(tmp_path)) as stage:
        with pytest.raises(KanonError, match="only seal"):
            Sealed(stage, "0" * 64, tuple(HOLDS), object())
        with pytest.raises((TypeError, ValueError)):
            dataclasses.replace(write_stage(stage, "new"), sha256="0" * 64)  # type: ignore[call-arg]  # the key is missing


def test_a_release_that_changed_after_its_seal_is_not_published(tmp_path: Path) -> None:
    pair = prepare(tmp_path / "out", "replace")
    with pytest.raises(UnsafeError, match="changed after it was checked"), staging(*pair) as stage:
        sealed = write_stage(stage, "new")
        stage.release_file.write_text("swapped")
        publish(sealed)
    assert whole(pair) == "old"
    assert only(tmp_path / "out", pair)


def test_a_temporary_file_that_was_replaced_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="replaced"), staging(*pair_in(tmp_path)) as stage:
        (tmp_path / "other").write_text("new")
        (tmp_path / "other").replace(stage.release_file)
        seal(stage, HOLDS)
    assert files_in(tmp_path) == []


@pytest.mark.parametrize("report", ["", "[]", "{", '{"output": {"sha256": "0"}}'])
def test_a_report_on_another_release_is_a_defect(tmp_path: Path, report: str) -> None:
    pair = prepare(tmp_path / "out", "replace")
    with pytest.raises(KanonError, match="checksum") as caught, staging(*pair) as stage:
        sealed = write_stage(stage, "new")
        stage.report_file.write_text(report)
        publish(sealed)
    assert caught.value.exit_code == 1
    assert whole(pair) == "old"


def test_a_stage_that_is_over_seals_and_publishes_nothing(tmp_path: Path) -> None:
    pair = pair_in(tmp_path)
    with staging(*pair) as stage:
        sealed = write_stage(stage, "new")
        publish(sealed)
        with pytest.raises(KanonError, match="after its end"):
            publish(sealed)
    with staging(*pair) as stage:
        sealed = write_stage(stage, "newer")
    for late in (lambda: publish(sealed), lambda: seal(stage, HOLDS)):
        with pytest.raises(KanonError, match="after its end"):
            late()
    assert whole(pair) == "new"
