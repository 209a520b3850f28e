"""A disk that is full or fails leaves the old pair, and the error names the file."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kanon_cli.errors import OutputError
from kanon_cli.release import names, publish, recover, staging
from tests.release.pairs import (
    SCENARIOS,
    each_call,
    file_system,
    new_text,
    only,
    pair_in,
    prepare,
    release_to,
    whole,
    write_stage,
)


def test_a_full_disk_while_the_release_is_written(tmp_path: Path) -> None:
    pair = prepare(tmp_path / "out", "replace")
    with pytest.raises(OutputError) as caught, staging(*pair):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert str(pair[0]) in str(caught.value)
    assert "No space left on device" in str(caught.value)
    assert whole(pair) == "old"
    assert only(tmp_path / "out", pair)


def test_errors_of_the_stage_name_the_target_and_others_pass_through(tmp_path: Path) -> None:
    pair = pair_in(tmp_path)
    with pytest.raises(OutputError, match=r"hospital\.report\.json: cannot be written"), staging(*pair) as stage:
        raise PermissionError(errno.EACCES, "no", str(stage.report_file))
    with pytest.raises(FileNotFoundError), staging(*pair):
        (tmp_path / "input.csv").read_text()
    with pytest.raises(OSError, match="scratch"), staging(*pair):
        raise OSError(errno.ENOSPC, "full", "scratch")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Mount a file system of 64 KiB."""
    folder, mount, umount = tmp_path / "disk", shutil.which("mount"), shutil.which("umount")
    folder.mkdir()
    if mount is None or umount is None:
        pytest.skip("there is no mount command")
    made = subprocess.run(
        [mount, "-t", "tmpfs", "-o", "size=64k", "none", str(folder)], capture_output=True, check=False
    )
    if made.returncode != 0:
        pytest.skip("mounting is not permitted here")
    yield folder
    subprocess.run([umount, str(folder)], check=True)


@pytest.mark.parametrize("fill", ["release", "report", "rest"])
def test_a_disk_that_is_really_full(small_disk: Path, fill: str) -> None:
    pair = prepare(small_disk / "out", "replace")
    with pytest.raises(OutputError, match="No space left on device"), staging(*pair) as stage:
        if fill == "release":
            stage.release_file.write_bytes(b"x" * 100_000)
        sealed = write_stage(stage, "new")
        if fill == "report":
            stage.report_file.write_bytes(b"x" * 100_000)
        with contextlib.suppress(OSError), (small_disk / "filler").open("wb", buffering=0) as file:
            while file.write(b"x" * 4096):
                pass
        publish(sealed)
    (small_disk / "filler").unlink(missing_ok=True)
    assert whole(pair) == "old"
    assert only(small_disk / "out", pair)


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("lasting", [False, True], ids=["once", "from then on"])
def test_a_disk_error_at_any_point_leaves_the_old_pair(tmp_path: Path, scenario: str, lasting: bool) -> None:
    removing, ends = ("unlink", "rmdir", "unlock"), []
    for point in range(1, 200):
        pair = prepare(tmp_path / "out", scenario)
        before, failed = whole(pair), ""

        def fail(number: int, name: str, point: int = point) -> None:
            nonlocal failed
            if number == point or (lasting and failed and name not in removing):
                failed = failed or name
                if name != "unlock":  # closing the folder unlocks it too, and neither can fail
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        try:
            with file_system(scenario), each_call(fail):
                release_to(pair, new_text(scenario))
            outcome = new_text(scenario)
        except OutputError as error:
            assert "No space left on device" in str(error)
            assert str(tmp_path) in str(error)
            outcome = before or ""
        settled = not names.record(pair[0]).exists()
        assert settled or lasting or failed == "unlink", point  # undoing needs the disk too
        if settled:
            assert whole(pair) == (outcome or None), point
            assert only(tmp_path / "out", pair) or failed in removing, point
        recover(*pair)
        assert only(tmp_path / "out", pair)
        ends.append(whole(pair))
        if not failed:
            break
    assert len(ends) > 25
    assert set(ends) == {before, new_text(scenario)}


@pytest.fixture
def report_elsewhere(tmp_path: Path, small_disk: Path) -> tuple[Path, Path]:
    """Give a pair whose report alone lies on a small disk, which is full."""
    (tmp_path / "out").mkdir()
    pair = tmp_path / "out" / "hospital.csv", small_disk / "hospital.json"
    with contextlib.suppress(OSError), (small_disk / "filler").open("wb", buffering=0) as file:
        while file.write(b"x" * 4096):
            pass
    return pair


def test_a_full_disk_is_blamed_on_the_report_that_lies_there(report_elsewhere: tuple[Path, Path]) -> None:
    release, report = report_elsewhere
    with pytest.raises(OutputError, match="No space left on device") as caught, staging(release, report) as stage:
        write_stage(stage, "new")
    assert str(report) in str(caught.value)
    assert str(release) not in str(caught.value)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs the names of open files")
@pytest.mark.parametrize("scenario", ["other folder", "no links"])
@pytest.mark.parametrize("of", ["release", "report"])
def test_an_error_while_publishing_names_the_file_it_came_from(tmp_path: Path, scenario: str, of: str) -> None:
    """Every call of publishing that has to do with one file or its folder is refused once."""
    pair = tmp_path / "releases" / "hospital.csv", tmp_path / "reports" / "hospital.json"
    folder, refusals = pair[of == "report"].parent, 0
    for point in range(1, 50):
        for target in pair:
            shutil.rmtree(target.parent, ignore_errors=True)
        release_to(pair, "old")
        left = point

        def refuse(call: Any, name: str) -> Any:
            def run(first: Any, *more: Any, **options: Any) -> Any:
                nonlocal left
                if scenario == "no links" and name == "link":
                    raise OSError(errno.EPERM, os.strerror(errno.EPERM), str(first))
                path = Path(f"/proc/self/fd/{first}").readlink() if isinstance(first, int) else Path(first)
                left -= folder in (path, path.parent)
                if not left:
                    left = -1000  # once
                    names = () if isinstance(first, int) else (str(first),)
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), *names)
                return call(first, *more, **options)

            return run

        with pytest.MonkeyPatch.context() as patch, staging(*pair) as stage:
            sealed = write_stage(stage, "new")
            for name in ("fsync", "fchmod", "link", "replace"):
                patch.setattr(os, name, refuse(getattr(os, name), name))
            try:
                publish(sealed)
            except OutputError as error:
                refusals += 1
                assert str(error).startswith(f"{pair[of == 'report']}: cannot be written: No space"), point
        if left > 0:
            break
    assert refusals > 3
