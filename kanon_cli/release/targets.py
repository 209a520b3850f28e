"""Whether a release and its report may be written where the spec says."""

from __future__ import annotations

import errno
import json
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from kanon_cli.errors import Mistake, OutputError
from kanon_cli.release.disk import HINTS, checksum, locked, reason, refusing
from kanon_cli.release.held import Held
from kanon_cli.release.names import new_token, real, temporary


def check_targets(release: Path, report: Path, force: bool) -> None:
    """Refuse, before any work is done, a place that cannot be written or a file that kanon did not make.

    kanon made a release if the report beside it holds its checksum; a report that belongs to another release, which is
    still there, is not written over. A symbolic link is followed: the file it leads to is the target. `force`
    allows a file that kanon did not make, and nothing else.
    """
    release, report = real(release), real(report)
    mistakes = [mistake for target in (release, report) if (mistake := obstacle(target)) is not None]
    if release == report:
        mistakes.append(Mistake("the release and its report are the same file", where=str(release)))
    elif release in report.parents or report in release.parents:
        mistakes.append(Mistake(f"one cannot lie inside the other: {report}", where=str(release)))
    if mistakes:
        raise OutputError(*dict.fromkeys(mistakes))
    if not force and (stranger := foreign_file(release, report)) is not None:
        raise OutputError(not_ours(stranger))


def not_ours(path: Path) -> Mistake:
    """Say that kanon did not make this file."""
    return Mistake(
        "there is a file that kanon did not make, or that was changed or lost its partner since",
        where=str(path),
        expected="no file, or a release and the report with its checksum",
        hint="choose another output, or replace the file with --force",
    )


def foreign_file(release: Path, report: Path) -> Path | None:
    """Find the file at one of the targets that kanon did not make, if there is one."""
    with refusing(release):
        stranger = foreign_file_now(release, report)
        if stranger is None or not release.parent.is_dir():
            return stranger
        with locked(release.parent):  # another run may have been in the middle of its switch: look again
            return foreign_file_now(release, report)


def foreign_file_now(release: Path, report: Path) -> Path | None:
    """Do the same for a caller who holds the lock of the release's folder."""
    found = checksum(release)
    promise = read_promise(report)
    if found is not None:
        return None if promise is not None and found == promise.sha256 else release
    if promise is None:
        return report if report.exists() else None
    other = release.parent / promise.name
    is_taken = promise.name not in {"", release.name} and checksum(other) == promise.sha256
    return report if is_taken else None


@dataclass(frozen=True)
class Promise:
    """The release that a report speaks of."""

    sha256: str
    name: str  # of its file; empty if the report doesn't say


def read_promise(report: Path) -> Promise | None:
    """Read which release a report speaks of; None if it is missing, or not a report."""
    try:
        with report.open("rb") as file:
            if file.read(1) != b"{":  # do not read a large table to learn that it is not a report
                return None
            content = json.loads(b"{" + file.read())
    except FileNotFoundError:
        return None
    except (ValueError, RecursionError):  # not JSON, so not a report
        return None
    match content:
        case {"output": {"sha256": str(sha256), "path": str(path)}}:
            return Promise(sha256, Path(path).name)
        case {"output": {"sha256": str(sha256)}}:
            return Promise(sha256, "")
    return None


def obstacle(target: Path) -> Mistake | None:
    """Find what stands in the way of writing this file, if anything does."""
    where = str(target)
    try:
        if target.is_dir():
            return Mistake("this is a folder", where=where, expected="a file", hint="add a file name")
        if target.is_symlink():
            return Mistake("this symbolic link leads nowhere", where=where)
        if target.exists() and not target.is_file():
            return Mistake("this is not a regular file", where=where)
        folder = target.parent
        while not folder.exists():
            folder = folder.parent
        if not folder.is_dir():
            return Mistake("this is a file, not a folder", where=str(folder), hint="choose another folder")
        return _unwritable(folder, target)
    except OSError as error:
        return Mistake(f"cannot be written: {reason(error)}", where=where)


def _unwritable(folder: Path, target: Path) -> Mistake | None:
    """Find out why the target or its folder cannot be made in this folder, if so, by making something like it."""
    try:
        if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        if folder == target.parent:
            _try_file(temporary(target, new_token()))
        else:  # the folder is still to be made: a file here would never be swept if this process were killed now
            _try_folder(folder / f".kanon-{new_token()}")
    except OSError as error:
        return Mistake(
            f"the folder cannot be written: {reason(error)}",
            where=str(folder),
            hint=HINTS.get(error.errno or 0, "choose another folder"),
        )
    return None


def _try_file(probe: Path) -> None:
    """Make a file and remove it, even if an interrupt comes before anybody knows that it was made."""
    try:
        Held.make(probe).drop()
    finally:
        with suppress(OSError):
            probe.unlink(missing_ok=True)


def _try_folder(probe: Path) -> None:
    """Do the same with a folder."""
    try:
        probe.mkdir()
        probe.rmdir()
    finally:
        with suppress(OSError):
            probe.rmdir()
