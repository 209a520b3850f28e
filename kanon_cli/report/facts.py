"""A report file as it comes: what is there can be asked for, what is missing or odd is None."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kanon_cli.errors import Mistake, SpecError

LARGEST = 64 << 20  # bytes
HIGHEST = 1e100  # a figure; room to multiply
BLOCKS = ("privacy", "classes", "utility", "attributes")  # a report has at least one of them


@dataclass(frozen=True)
class Facts:
    """A mapping of a report. Questions about keys that it doesn't have are answered with None, or with nothing."""

    content: Mapping[str, Any]

    def at(self, *path: str) -> Any:
        """Find what stands at a path; None if there is nothing."""
        value: Any = self.content
        for step in path:
            if not isinstance(value, Mapping) or step not in value:
                return None
            value = value[step]
        return value

    def block(self, *path: str) -> Facts:
        """The mapping at a path; an empty one if there is none."""
        value = self.at(*path)
        return Facts(value if isinstance(value, Mapping) else {})

    def blocks(self, *path: str) -> dict[str, Facts]:
        """The mappings in the mapping at a path, by their keys."""
        return {
            str(key): Facts(value) for key, value in self.block(*path).content.items() if isinstance(value, Mapping)
        }

    def entries(self, *path: str) -> list[Facts]:
        """The mappings in the list at a path."""
        value = self.at(*path)
        return [Facts(entry) for entry in value if isinstance(entry, Mapping)] if _is_list(value) else []

    def number(self, *path: str) -> float | None:
        """The number at a path."""
        return as_number(self.at(*path))

    def numbers(self, *path: str) -> list[float]:
        """The numbers in the list at a path."""
        value = self.at(*path)
        found = [as_number(entry) for entry in value] if _is_list(value) else []
        return [entry for entry in found if entry is not None]

    def text(self, *path: str) -> str | None:
        """The text at a path; None if it is empty, too."""
        value = self.at(*path)
        return value if isinstance(value, str) and value else None

    def files(self) -> dict[str, str]:
        """The tables that it tells of, and their checksums."""
        blocks = [self.block(name) for name in ("input", "output", "table")]
        return {path: block.text("sha256") or "" for block in blocks if (path := block.text("path"))}

    def __bool__(self) -> bool:
        """Whether there is anything in it."""
        return bool(self.content)


def as_number(value: object) -> float | None:
    """Take a value for a number; None for what is none: a truth value, and what no figure can be, included."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= HIGHEST:
        return None
    return value


def _is_list(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def open_report(path: Path) -> Facts:
    """Read a report, of a run or of an audit."""
    where = str(path)
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise SpecError(Mistake(f"cannot be read: {error.strerror or type(error).__name__}", where=where)) from error
    hint = "`kanon run` writes one beside each release, `kanon audit --json` prints one"
    try:
        content = json.loads(data[:LARGEST]) if len(data) <= LARGEST else None
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict) or not any(isinstance(content.get(name), dict) for name in BLOCKS):
        raise SpecError(Mistake("this is not a report of kanon", where=where, expected="a JSON file", hint=hint))
    return Facts(content)
