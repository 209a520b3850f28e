"""The place where a release and its report are written before anybody may see them."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from kanon_cli.errors import KanonError
from kanon_cli.release.disk import refusing, sync_folder
from kanon_cli.release.held import Held
from kanon_cli.release.names import backup, new_token, real, temporary
from kanon_cli.release.targets import foreign_file

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS)


@dataclass
class Stage:
    """Two hidden files beside their targets. The writer fills them; `seal` and `publish` bring them out."""

    release: Path
    report: Path
    token: str
    temps: tuple[Held, Held]  # of the release, of the report
    over_foreign: bool  # a file that kanon did not make was there from the start, so its replacement was allowed
    is_open: bool = True
    is_sealed: bool = False
    published: bool = False

    @property
    def release_file(self) -> Path:
        """Where to write the release."""
        return self.temps[0].path

    @property
    def report_file(self) -> Path:
        """Where to write the report."""
        return self.temps[1].path

    def sync(self) -> None:
        """Bring the written release to the disk, before it is read back."""
        with refusing(self.release):
            os.fsync(self.temps[0].descriptor)

    @contextmanager
    def refusing(self) -> Iterator[None]:
        """Turn what the system refuses into an error that names the target that could not be written."""
        try:
            yield
        except OSError as error:
            with refusing(self._target_of(error)):
                raise

    def _target_of(self, error: OSError) -> Path:
        """Find the target that an error is about: the release, unless all that it names is the report's."""
        named = {str(name) for name in (error.filename, error.filename2) if name is not None}
        of_release, of_report = (
            {str(path) for path in (target, temporary(target, self.token), backup(target, self.token), target.parent)}
            for target in (self.release, self.report)
        )
        return self.report if named & of_report and not named & of_release else self.release

    def require_open(self) -> None:
        """Refuse a stage that is over."""
        if not self.is_open or self.published:
            raise KanonError("a stage was used after its end")


@contextmanager
def staging(release: Path, report: Path) -> Iterator[Stage]:
    """Open a stage for a release and its report; whatever is not published is gone when it closes.

    Missing folders are made, and removed again if nothing was published and they are empty.
    """
    release, report = real(release), real(report)
    token = new_token()
    folders: list[Path] = []
    temps: list[Held] = []
    stage: Stage | None = None
    try:
        with refusing(release):
            make_folders(release.parent, folders)
            temps.append(Held.make(temporary(release, token)))  # the release's first: `recover` finds the other by it
        with refusing(report):
            make_folders(report.parent, folders)
            temps.append(Held.make(temporary(report, token)))
        stage = Stage(release, report, token, (temps[0], temps[1]), foreign_file(release, report) is not None)
        with _refusing_writes(stage):
            yield stage
    finally:
        try:
            _drop(temps)
        finally:  # an interrupt may come before a file that was made is in the list, or while it is dropped
            _remove_files([temporary(report, token), temporary(release, token)])
            if stage is not None:
                stage.is_open = False
            if stage is None or not stage.published:
                remove_empty(folders)


@contextmanager
def _refusing_writes(stage: Stage) -> Iterator[None]:
    """Turn an error of writing to the stage into one that names the target; others are none of our business."""
    targets = {str(stage.release_file): stage.release, str(stage.report_file): stage.report}
    try:
        yield
    except OSError as error:
        target = targets.get(str(error.filename))
        if target is None and error.filename is None and error.errno in _NO_ROOM:  # a failed write names no file
            target = stage.report if stage.is_sealed else stage.release  # a sealed release is written no more
        if target is None:
            raise
        with refusing(target):
            raise


def make_folders(folder: Path, made: list[Path]) -> None:
    """Make a folder and what is missing above it, and note down which were made."""
    missing = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    for new in reversed(missing):
        made.append(new)  # before it is there, since an interrupt may come as soon as it is
        try:
            new.mkdir()
        except FileExistsError:  # another run was quicker: then the folder is not ours to remove
            made.remove(new)
        else:
            sync_folder(new.parent)


def _drop(temps: list[Held]) -> None:
    """Drop the files. What can't be removed now is removed by the next run, and must not hide why this one ended."""
    for temp in reversed(temps):
        with suppress(OSError):
            temp.drop()


def _remove_files(paths: list[Path]) -> None:
    """Remove the files that are there and can be removed."""
    for path in paths:
        with suppress(OSError):
            path.unlink(missing_ok=True)


def remove_empty(folders: list[Path]) -> None:
    """Remove the folders we made, the deepest first, unless somebody put something there."""
    for folder in reversed(folders):
        with suppress(OSError):
            folder.rmdir()
