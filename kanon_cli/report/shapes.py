"""What a page of a report is made of, whoever draws it: the terminal or a browser."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Tone = Literal["plain", "good", "bad", "dim"]


@dataclass(frozen=True)
class Cell:
    """A cell of a table: a text, and perhaps a bar of this share of the longest."""

    text: str
    share: float | None = None
    tone: Tone = "plain"


@dataclass(frozen=True)
class Head:
    """The head of a table's column."""

    text: str
    is_number: bool = True


@dataclass(frozen=True)
class Table:
    """A table. One that says again what a picture shows is a detail."""

    caption: str
    head: tuple[Head, ...]
    rows: tuple[tuple[Cell, ...], ...]
    is_detail: bool = False


@dataclass(frozen=True)
class Columns:
    """A histogram."""

    says: str  # what it shows, for those who don't see it
    x: str
    y: str
    labels: tuple[str, ...]
    values: tuple[float, ...]
    mark: tuple[float, str] | None = None  # a line between two columns, and what it says


@dataclass(frozen=True)
class Twins:
    """A small histogram of one column, before and after."""

    says: str
    title: str
    before: tuple[float, ...]
    after: tuple[float, ...]


@dataclass(frozen=True)
class Stacks:
    """Bars that are made of parts, from the best to the worst; the parts of a bar add up to 1."""

    says: str
    parts: tuple[str, ...]
    bars: tuple[tuple[str, tuple[float, ...]], ...]


@dataclass(frozen=True)
class Line:
    """A line of a picture."""

    name: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Lines:
    """Lines over one axis, and perhaps a floor that none can come below."""

    says: str
    x: str
    y: str
    lines: tuple[Line, ...]
    floor: Line | None = None
    is_log_x: bool = False


Picture = Columns | Twins | Stacks | Lines


@dataclass(frozen=True)
class Section:
    """A part of the page."""

    key: str  # its anchor
    title: str
    lead: str = ""
    pictures: tuple[Picture, ...] = ()
    tables: tuple[Table, ...] = ()


@dataclass(frozen=True)
class Tile:
    """A figure that stands at the top."""

    label: str
    value: str
    unit: str = ""
    note: str = ""
    share: float | None = None  # for a bar


@dataclass(frozen=True)
class Story:
    """A report as it is told."""

    title: str
    subtitle: str
    tone: Tone
    verdict: str
    because: str
    tiles: tuple[Tile, ...]
    sections: tuple[Section, ...]
    version: str
    made: str
    sha256: str  # of the release
