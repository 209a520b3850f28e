"""What publishing asks of the disk: checksums, syncs, locks, and errors that name the target."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kanon_cli.errors import Mistake, OutputError

PATIENCE = 300.0  # seconds; a switch takes milliseconds, plus the time to read the old release once
PAUSE = 0.02
_NO_SPACE = "free some space there, or choose another folder"
_NO_RIGHT = "choose another folder, or ask for the right to write there"
HINTS = {
    errno.ENOSPC: _NO_SPACE,
    errno.EDQUOT: _NO_SPACE,
    errno.EACCES: _NO_RIGHT,
    errno.EPERM: _NO_RIGHT,
    errno.EROFS: _NO_RIGHT,
}


def reason(error: OSError) -> str:
    """Say what the system says, and nothing else: the text of an error may hold more than we want to print."""
    return os.strerror(error.errno) if error.errno else type(error).__name__


@contextmanager
def refusing(target: Path) -> Iterator[None]:
    """Turn what the system refuses into an error that names the target."""
    try:
        yield
    except OSError as error:
        what = f"cannot be written: {reason(error)}"
        raise OutputError(Mistake(what, where=str(target), hint=HINTS.get(error.errno or 0))) from error


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Let an error of a call that takes no name, such as a sync or a write, carry the name of the file."""
    try:
        yield
    except OSError as error:
        error.filename = error.filename or str(path)
        raise


def checksum(path: Path) -> str | None:
    """Take the SHA-256 of a file; None if there is no such file."""
    try:
        with naming(path), path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        return None


def sync_folder(folder: Path) -> None:
    """Make the names in a folder outlast a power cut."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with naming(folder):
            os.fsync(descriptor)
    except OSError as error:
        if error.errno != errno.EINVAL:  # some network file systems cannot sync a folder, and need not
            raise
    finally:
        os.close(descriptor)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the folder's lock, so that two runs on this machine never switch the same release at once."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        _wait_for_lock(descriptor, folder)
        try:
            yield
        finally:
            fcntl.flock(descriptor, fcntl.LOCK_UN)  # closing is not enough: a forked child may have the descriptor too
    finally:
        os.close(descriptor)


def _wait_for_lock(descriptor: int, folder: Path) -> None:
    """Take the lock, or give up after a while: a wrapper such as `flock FOLDER kanon run` would never let go."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            if time.monotonic() >= deadline:
                hint = "wait for it to end; do not wrap kanon in a lock of its output folder"
                raise OutputError(
                    Mistake("another program holds the lock of this folder", where=str(folder), hint=hint)
                ) from error
            time.sleep(PAUSE)
