"""Whether two paths of a spec are the same file, or one is among the files that the other stands for."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from fnmatch import fnmatch
from pathlib import Path


def same(one: Path, other: Path) -> bool:
    """Whether two paths lead to one file, by way of links or not; the files need not be there."""
    if os.path.realpath(one) == os.path.realpath(other):
        return True
    return _exists(one) and _exists(other) and one.samefile(other)


def is_among(file: Path, table: Path) -> bool:
    """Whether a file is the table, in the table's folder, or matched by the table's glob."""
    if _exists(table) and table.is_dir():
        return Path(os.path.realpath(file)).is_relative_to(os.path.realpath(table))
    if not glob.has_magic(str(table)) or _exists(table):
        return same(file, table)
    fixed = next(at for at, part in enumerate(table.parts) if glob.has_magic(part))
    folder = Path(os.path.realpath(Path(*table.parts[:fixed])))
    real = Path(os.path.realpath(file))
    return real.is_relative_to(folder) and _matches(real.relative_to(folder).parts, table.parts[fixed:])


def _matches(parts: Sequence[str], pattern: Sequence[str]) -> bool:
    if not pattern:
        return not parts
    if pattern[0] == "**":  # any number of folders
        return _matches(parts, pattern[1:]) or (bool(parts) and _matches(parts[1:], pattern))
    return bool(parts) and fnmatch(parts[0], pattern[0]) and _matches(parts[1:], pattern[1:])


def _exists(file: Path) -> bool:
    return os.path.exists(file)  # noqa: PTH110  Path.exists raises where a name is too long or a folder is closed
