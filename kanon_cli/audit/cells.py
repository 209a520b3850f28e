"""The text of a released cell to what it covers, by the kind of its column."""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

from kanon_cli.audit.covers import Cover, Everything, Listed, Missing, Node, Prefix, Span
from kanon_cli.audit.notation import NUMBER, days, interval, members, number
from kanon_cli.tables.columns import TextColumn
from kanon_cli.tables.kinds import Kind
from kanon_cli.tables.taxonomy import Taxonomy

SUPPRESSED = "*"

_INTERVAL = re.compile(rf"\[({NUMBER})-({NUMBER})([\])])")


def only_stars(column: TextColumn) -> npt.NDArray[np.bool_]:
    """[row] whether its cell is nothing but stars."""
    stars = [code for code, text in enumerate(column.text.to_pylist()) if text and not text.strip(SUPPRESSED)]
    return np.isin(column.code_of, stars)


def parse(text: str | None, kind: Kind) -> Cover | None:
    """Say what the cell covers; None if nobody who knows the kind can understand it."""
    if text is None:
        return Missing()
    if text == SUPPRESSED:
        return Everything()
    if kind.type == "numeric":
        return numbers(text)
    if kind.type == "date":
        return days(text)
    return _category(text, kind)


def _category(text: str, kind: Kind) -> Cover | None:
    if kind.taxonomy is not None:
        return _node(text, kind.taxonomy)
    if kind.mask is not None:
        return _masked(text) if len(text) == kind.mask else None
    if kind.as_set and (texts := members(text, "|")):
        return Listed(texts)
    return Span(text, text)


def parse_bounds(low_text: str | None, high_text: str | None) -> Cover | None:
    """Say what the two cells of a column with bounds cover; both missing stands for suppressed or missing."""
    if low_text is None and high_text is None:
        return Everything()
    if low_text is None or high_text is None:
        return None
    return interval(low_text, high_text, "]")


def parse_midpoint(text: str | None) -> Cover | None:
    """Read the midpoint as if it were a value; missing stands for suppressed or missing."""
    if text is None:
        return Everything()
    middle = number(text)
    return None if middle is None else Span(middle, middle)


def numbers(text: str) -> Span | None:
    """Read a number, or numbers from-to."""
    if match := _INTERVAL.fullmatch(text):
        return interval(match[1], match[2], match[3])
    value = number(text)
    return None if value is None else Span(value, value)


def _node(text: str, taxonomy: Taxonomy) -> Node | None:
    node = taxonomy.node_of.get(text)
    if node is None:
        return None
    return Node(int(taxonomy.first[node]), int(taxonomy.last[node]), int(taxonomy.height[node]))


def _masked(text: str) -> Cover:
    start = text.rstrip(SUPPRESSED)
    return Span(text, text) if start == text else Prefix(start, len(text))
