"""What an audit checked, ready to be shown by the tools of a pipeline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Level = Literal["error", "warning", "note"]

REQUIREMENT_RULES = {
    "falls-short": "The table keeps less than was required of it.",
    "identifiers": "The table has columns that the spec lists as identifiers.",
    "untruthful": "Not every row is shown to be true of the original.",
}


@dataclass(frozen=True)
class Check:
    """One thing that was looked at. No text holds a value of the data."""

    rule: str  # its lasting name
    name: str  # what was asked for
    column: str | None = None
    message: str | None = None  # what is wrong; None: nothing
    level: Level = "error"  # only an error of a requirement fails an audit
    required: bool = True

    @property
    def fails(self) -> bool:
        """Whether a pipeline has to stop because of it."""
        return self.required and self.message is not None
