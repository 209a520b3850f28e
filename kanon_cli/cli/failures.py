"""What went wrong, as the command line tells it: an exit code, a kind, and mistakes. Never an exception's own text."""

from __future__ import annotations

import os
import traceback
from dataclasses import asdict, dataclass, replace
from typing import Any

from kanon_cli.cli.stopping import Stopped
from kanon_cli.errors import KanonError, Mistake

PACKAGE = __name__.partition(".")[0]


@dataclass(frozen=True)
class Failure:
    """Why a command, or one spec of a batch, did not end well."""

    exit_code: int
    kind: str
    mistakes: tuple[Mistake, ...]
    spec: str | None = None  # the file that was worked on

    def as_json(self) -> dict[str, Any]:
        """Say it for machines."""
        mistakes = [{key: value for key, value in asdict(m).items() if value is not None} for m in self.mistakes]
        return {"exit_code": self.exit_code, "kind": self.kind, "mistakes": mistakes}

    def lines(self) -> list[str]:
        """Say it for people: a line and perhaps a hint for each mistake, and their count if there are several."""
        said = []
        for mistake in self.mistakes:
            where = _with_spec(mistake.where, self.spec)
            said.append(self.heading + one_line(str(replace(mistake, where=where, hint=None))))
            if mistake.hint:
                said.append(f"  hint: {one_line(mistake.hint)}")
        if len(self.mistakes) > 1:
            said.append(f"kanon: {len(self.mistakes)} errors")
        return said

    @property
    def heading(self) -> str:
        """What every line begins with."""
        return {"defect": "kanon: a defect in kanon: ", "stopped": "kanon: "}.get(self.kind, "kanon: error: ")


def failure_of(error: BaseException, spec: str | None = None) -> Failure:
    """Tell what an exception means; `spec` is the file that was worked on."""
    if isinstance(error, Stopped):
        return Failure(error.exit_code, "stopped", (Mistake(error.word),))
    if isinstance(error, KanonError):
        return Failure(error.exit_code, error.kind, error.mistakes, spec)
    if isinstance(error, MemoryError):
        hint = "leave out columns that the release doesn't need, or use a machine with more memory"
        return Failure(1, "memory", (Mistake("there is not enough memory for this table", hint=hint),), spec)
    hint = "run it again with --debug for the traceback, and report it"
    return Failure(1, "defect", (Mistake(f"{_name_of(error)} at {_place_of(error)}", hint=hint),), spec)


def one_line(text: str) -> str:
    """Show line ends, escape sequences and the like instead of sending them to the terminal."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text)


def _with_spec(where: str | None, spec: str | None) -> str | None:
    """Name the spec too, unless the place is in it."""
    if spec is None or (where is not None and where.startswith(spec)):
        return where
    return f"{spec}: {where}" if where else spec


def _name_of(error: BaseException) -> str:
    """Name the exception; of a system error, add what the system calls it."""
    reason = f" ({os.strerror(error.errno)})" if isinstance(error, OSError) and error.errno else ""
    return type(error).__name__ + reason


def _place_of(error: BaseException) -> str:
    """Find the last line of kanon that the error went through."""
    frames = [(frame.f_globals.get("__name__", ""), line) for frame, line in traceback.walk_tb(error.__traceback__)]
    ours = [f"{module}:{line}" for module, line in frames if module.partition(".")[0] == PACKAGE]
    return ours[-1] if ours else "an unknown place"
