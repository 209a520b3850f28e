"""What a released cell stands for."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True)
class Everything:
    """A suppressed cell: any value, and missing."""


@dataclass(frozen=True)
class Missing:
    """A missing cell: missing and nothing else."""


@dataclass(frozen=True)
class Span:
    """The numbers or the days from `low` to `high`, one of which may be infinite; or one text, which is both."""

    low: Decimal | int | str
    high: Decimal | int | str
    half_open: bool = False  # without `high` itself
    above: bool = False  # without `low` itself

    @property
    def exact(self) -> bool:
        """Whether it is a single value."""
        return self.low == self.high


@dataclass(frozen=True)
class Node:
    """A node of a taxonomy, by the ranks of its leaves."""

    first: int
    last: int
    height: int


@dataclass(frozen=True)
class Prefix:
    """The texts of one length that start alike."""

    text: str
    length: int


@dataclass(frozen=True)
class Listed:
    """The texts of a set."""

    texts: tuple[str, ...]


Cover = Everything | Missing | Span | Node | Prefix | Listed
