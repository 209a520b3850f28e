"""Under which conditions a work is done: in full or quickly, where, and on which tables."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

PROJECT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("KANON_SHARED", PROJECT.parent / "shared"))
PICTURES = PROJECT / "docs" / "pictures"
QUICK_ROWS = 2_000
QUICK_SHARE = 0.05  # of the seconds that an algorithm may work


@dataclass(frozen=True)
class Setting:
    """How much is measured, and a folder for files that nobody needs afterwards."""

    is_quick: bool
    folder: Path

    @property
    def seeds(self) -> range:
        """The seeds that a mean is taken over."""
        return range(1 if self.is_quick else 3)

    def pick(self, full: T, quick: T) -> T:
        """One of two, by how much is measured."""
        return quick if self.is_quick else full

    def rows(self, rows: int) -> int:
        """How many rows a table gets that has so many in full."""
        return min(rows, QUICK_ROWS) if self.is_quick else rows

    def seconds(self, seconds: float) -> float:
        """How long an algorithm may work that has so many seconds in full."""
        return seconds * QUICK_SHARE if self.is_quick else seconds


class Unavailable(Exception):  # noqa: N818  nobody has made a mistake
    """Something that a work needs is not there: data, or a part of kanon. Its text is a sentence for the results."""
