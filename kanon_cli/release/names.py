"""The names of the hidden files that stand beside a target while it is replaced."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
from pathlib import Path

from kanon_cli.errors import Mistake, OutputError

LONGEST_STEM = 231  # bytes: with the rest of a hidden name it stays within the 255 that file systems allow
_TOKEN = re.compile("[0-9a-f]{12}")
_TEMPORARY = re.compile(r"\.(?P<stem>.+)\.kanon-(?P<token>[0-9a-f]{12})\.tmp", re.DOTALL)


def real(target: Path) -> Path:
    """Find the file that is really meant: absolute and behind symbolic links, so that a link is never replaced."""
    try:
        os.fsencode(target)
        return Path(os.path.realpath(target))
    except ValueError as error:  # a zero byte, or a character that no file name can hold
        raise OutputError(Mistake("this cannot be the name of a file", where=repr(str(target)))) from error


def new_token() -> str:
    """Draw a name for one try to publish; apart from the seed, since two runs of one spec must not meet."""
    return secrets.token_hex(6)


def is_token(text: str) -> bool:
    """Whether this could have come from `new_token`."""
    return _TOKEN.fullmatch(text) is not None


def stem(target: Path) -> str:
    """Give the target's name as hidden names carry it: a long one is cut, and told apart by a checksum of the whole."""
    name = os.fsencode(target.name)
    if len(name) <= LONGEST_STEM:
        return target.name
    digest = hashlib.sha256(name).hexdigest()[:16]
    return name[: LONGEST_STEM - 17].decode("utf-8", "ignore") + "~" + digest


def temporary(target: Path, token: str) -> Path:
    """Where a new version of the target is written."""
    return target.parent / f".{stem(target)}.kanon-{token}.tmp"


def backup(target: Path, token: str) -> Path:
    """Where the old version of the target is kept during a switch."""
    return target.parent / f".{stem(target)}.kanon-{token}.old"


def record(release: Path) -> Path:
    """Where a switch of this release and its report is written down before it begins."""
    return release.parent / f".{stem(release)}.kanon.json"


def parse_temporary(name: str) -> tuple[str, str] | None:
    """Take the stem and the token out of a temporary file's name; None for any other name."""
    match = _TEMPORARY.fullmatch(name)
    return (match["stem"], match["token"]) if match else None
