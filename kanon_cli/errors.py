"""Every way kanon says no: one class an exit code, one or more mistakes each."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class Mistake:
    """One thing that is wrong: what, where, and what to do. It never holds a value of the data."""

    what: str
    where: str | None = None  # "spec.yaml:12:5", or a file
    path: str | None = None  # "privacy.k"
    expected: str | None = None
    got: str | None = None
    hint: str | None = None

    def __str__(self) -> str:
        """Say it on one line: where: path: what (expected ..., got ...); hint."""
        said_in_where = self.path is not None and self.where is not None and self.where.endswith(f" {self.path}")
        head = ": ".join(part for part in (self.where, None if said_in_where else self.path, self.what) if part)
        details = ", ".join(
            f"{word} {text}" for word, text in (("expected", self.expected), ("got", self.got)) if text is not None
        )
        return head + (f" ({details})" if details else "") + (f"; {self.hint}" if self.hint else "")


class KanonError(Exception):
    """Something kanon refuses, with everything that is wrong about it at once."""

    exit_code: ClassVar[int] = 1
    kind: ClassVar[str] = "defect"

    def __init__(self, *mistakes: Mistake | str) -> None:
        self.mistakes = tuple(Mistake(m) if isinstance(m, str) else m for m in mistakes)
        super().__init__("\n".join(map(str, self.mistakes)))


class SpecError(KanonError):
    """The spec, a taxonomy or the command line is wrong."""

    exit_code = 2
    kind = "spec"


class OutputError(KanonError):
    """The place to write to cannot be written, or must not be."""

    exit_code = 2
    kind = "output"


class DataError(KanonError):
    """The table is not what the spec says it is."""

    exit_code = 3
    kind = "data"


class PromiseError(KanonError):
    """No release of this table can keep the promise."""

    exit_code = 4
    kind = "promise"


class UnsafeError(KanonError):
    """A finished release or an audited table falls short of its promise."""

    exit_code = 5
    kind = "unsafe"


class MissingPartError(KanonError):
    """An engine or an optional package is not installed."""

    exit_code = 6
    kind = "missing"


class LimitError(KanonError):
    """The release would lose more than its limits allow."""

    exit_code = 7
    kind = "limit"


def suggest(word: str, known: Iterable[str]) -> str | None:
    """The known name that is nearest to a word, if one is near."""
    by_folded = {name.casefold(): name for name in known}
    near = difflib.get_close_matches(word[:100].casefold(), by_folded, n=1)
    return by_folded[near[0]] if near else None


def did_you_mean(word: str, known: Iterable[str]) -> str | None:
    """A hint at the known name that is most like this one."""
    near = suggest(word, known)
    return f"did you mean {near!r}?" if near else None
