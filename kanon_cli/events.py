"""What the library tells its caller while it works; only the command line turns it into text."""

from __future__ import annotations

from typing import Protocol


class Observer(Protocol):
    """Hears of stages, progress and warnings. Texts never hold a value of the data."""

    def stage(self, name: str) -> None:
        """Open a new stage of the work, and end the one before."""

    def progress(self, done: float, note: str = "") -> None:
        """Say how much of the stage is done, from 0 to 1."""

    def warn(self, message: str) -> None:
        """Say something the user should know that is not an error."""


class Silence:
    """The observer that says nothing."""

    def stage(self, name: str) -> None:
        """Say nothing."""

    def progress(self, done: float, note: str = "") -> None:
        """Say nothing."""

    def warn(self, message: str) -> None:
        """Say nothing."""
