"""A temporary file that is known to be alive for as long as the process that made it is."""

from __future__ import annotations

import fcntl
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from kanon_cli.errors import Mistake, OutputError
from kanon_cli.release.disk import naming


@dataclass(frozen=True)
class Held:
    """A temporary file under a lock that the system takes away when its owner dies, however it dies."""

    path: Path
    descriptor: int

    @classmethod
    def make(cls, path: Path) -> Held:
        """Make the file, readable by nobody else, and lock it."""
        while True:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX)
                swept = os.fstat(descriptor).st_nlink == 0
            except BaseException:
                os.close(descriptor)
                path.unlink(missing_ok=True)
                raise
            if not swept:
                return cls(path, descriptor)
            os.close(descriptor)  # between open and lock it looked like a dead run's and was swept: make it again

    def check(self) -> None:
        """Refuse if another file has taken this one's name: that one is not locked."""
        if not os.path.samestat(self.path.stat(), os.fstat(self.descriptor)):
            raise OutputError(Mistake("a temporary file was replaced while kanon used it", where=str(self.path)))

    def settle(self, mode: int) -> None:
        """Give the file its final mode and make its content outlast a power cut."""
        with naming(self.path):
            os.fchmod(self.descriptor, mode)
            os.fsync(self.descriptor)

    def drop(self) -> None:
        """Remove the file, if it still has its temporary name, and let go of it."""
        try:
            self.path.unlink(missing_ok=True)
        finally:
            os.close(self.descriptor)


def sweep(path: Path) -> bool:
    """Remove a temporary file unless its owner lives; say whether it was removed."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:  # gone, or not ours to judge
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        path.unlink()
    except OSError:  # its owner lives, or the folder cannot be written: leaving it is always safe
        return False
    finally:
        os.close(descriptor)
    return True


def usual_mode(target: Path) -> int:
    """Find the mode of the file that is replaced, or the one that new files get."""
    try:
        return stat.S_IMODE(target.stat().st_mode) & 0o777
    except FileNotFoundError:
        umask = os.umask(0o077)  # it can only be read by setting it; a file made meanwhile is too private, not too open
        os.umask(umask)
        return 0o666 & ~umask
