"""The switch from an old release and report to new ones, written down so that it can be finished or undone."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from kanon_cli.errors import Mistake, OutputError
from kanon_cli.release import names
from kanon_cli.release.disk import checksum, naming, reason, sync_folder

VERSION = 1  # of the recovery record
_NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EACCES)


@dataclass(frozen=True)
class Move:
    """One file of the pair: what is there, and what takes its place."""

    target: Path
    token: str
    new: str  # checksum
    old: str | None  # checksum; None if there was no file

    @property
    def temp(self) -> Path:
        """The new file, until it is renamed to the target."""
        return names.temporary(self.target, self.token)

    @property
    def backup(self) -> Path:
        """The old file, until the switch is over."""
        return names.backup(self.target, self.token)

    def keep_old(self) -> None:
        """Give the old file a second name, or copy it where the file system has no links."""
        self.backup.unlink(missing_ok=True)
        if self.old is None:
            return
        try:
            self.backup.hardlink_to(self.target)
        except FileNotFoundError:  # somebody removed it since the switch was cut in between
            return
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            with naming(self.backup):
                shutil.copy2(self.target, self.backup)
                with self.backup.open("rb") as file:
                    os.fsync(file.fileno())

    def is_touched(self) -> bool:
        """Whether the target is neither the old file nor the new one nor missing: somebody else wrote there."""
        return checksum(self.target) not in (None, self.old, self.new)

    def can_finish(self) -> bool:
        """Whether the new file is there, as it was sealed, under either name."""
        return checksum(self.temp if self.temp.exists() else self.target) == self.new

    def can_undo(self) -> bool:
        """Whether the old file is there, as it was, under either name."""
        return self.old is None or self.old in (checksum(self.target), checksum(self.backup))

    def undo(self) -> None:
        """Bring the old file back, if the new one had taken its place."""
        if checksum(self.target) == self.old:
            return
        if self.old is None:
            self.target.unlink(missing_ok=True)
        else:
            self.backup.replace(self.target)
        sync_folder(self.target.parent)


@dataclass(frozen=True)
class Switch:
    """The moves of a release and its report, in this order."""

    release: Move
    report: Move

    @property
    def moves(self) -> tuple[Move, Move]:
        """Both moves."""
        return self.release, self.report

    @property
    def record(self) -> Path:
        """Where this switch is written down."""
        return names.record(self.release.target)

    def commit(self) -> None:
        """Do the whole switch. If a step fails, the old files are back and the error goes on.

        Once both files are out nothing brings the old ones back: an interrupt waits until all is tidy. What cannot be
        removed then is no failure; the record lets the next run remove it.
        """
        self.write_record()
        is_out = False
        try:
            self.perform(self.moves)
            is_out = True
            self.clear()
        except BaseException as error:
            if not is_out:
                self.back_out(error)
                raise
            with suppress(OSError):
                self.clear()
            if not isinstance(error, OSError):
                raise

    def write_record(self) -> None:
        """Write down what is going to happen. Nothing is renamed before this is safe on disk."""
        try:
            with self.record.open("x", encoding="ascii") as file:
                file.write(json.dumps(self.as_json(), indent=1) + "\n")
                file.flush()
                os.fsync(file.fileno())
                sync_folder(self.record.parent)
        except FileExistsError:  # another switch's
            raise
        except BaseException:
            self.record.unlink(missing_ok=True)
            raise

    def perform(self, waiting: Sequence[Move]) -> None:
        """Keep the old files, rename the new ones: of both moves, or of those that were left when a run was killed."""
        for move in waiting:
            move.keep_old()
        _sync_folders(waiting)
        for move in waiting:
            move.temp.replace(move.target)
        _sync_folders(waiting)

    def undo(self) -> None:
        """Bring the old files back, the report first: a report that is out then always has its release beside it."""
        for move in reversed(self.moves):
            move.undo()
        self.clear()

    def clear(self) -> None:
        """Remove what the switch needed; the record is the last to go, since it leads to the rest."""
        for move in reversed(self.moves):
            move.temp.unlink(missing_ok=True)
            move.backup.unlink(missing_ok=True)
        self.record.unlink(missing_ok=True)

    def back_out(self, error: BaseException) -> None:
        """Undo a switch that failed; if that fails too, say that the record is left for the next run."""
        try:
            self.undo()
        except OSError as second:
            raise OutputError(
                Mistake(
                    f"the release could be neither written nor left as it was: {reason(second)}",
                    where=str(self.release.target),
                    hint="once the disk can be written, run kanon again: it finishes or undoes the switch first",
                )
            ) from error

    def as_json(self) -> dict[str, object]:
        """Say it as the recovery record does; names are relative, so that the folder may be moved."""
        folder = self.record.parent
        return {
            "kanon_switch": VERSION,
            "token": self.release.token,
            "moves": [
                {
                    "target": os.path.relpath(move.target, folder),
                    "temporary": move.temp.name,
                    "backup": move.backup.name,
                    "new": move.new,
                    "old": move.old,
                }
                for move in self.moves
            ],
        }


def _sync_folders(moves: Sequence[Move]) -> None:
    """Make the renames of these moves outlast a power cut."""
    for folder in dict.fromkeys(move.target.parent for move in moves):
        sync_folder(folder)
