"""What cells mean in a table that nobody wrote a spec for."""

from __future__ import annotations

import re
from collections.abc import Container

from kanon_cli.audit.cells import SUPPRESSED, numbers
from kanon_cli.audit.covers import Cover, Everything, Listed, Missing, Prefix, Span
from kanon_cli.audit.notation import NUMBER, day, days, interval, members, number
from kanon_cli.tables.columns import TextColumn
from kanon_cli.tables.kinds import Kind

# [20-30], [20-30), [20,30], [20,30) and [20,30[; 20-30
_INTERVAL = re.compile(rf"\[({NUMBER})(?:-|, ?)({NUMBER})([\])\[])|({NUMBER})-({NUMBER})")


def guess_kind(column: TextColumn) -> Kind:
    """Numeric or date if every value of the original is; else categorical, generalized in whatever way."""
    texts = column.text.to_pylist()
    if texts and all(number(text) is not None for text in texts):
        return Kind(type="numeric")
    if texts and all(day(text) is not None for text in texts):
        return Kind(type="date")
    return Kind(as_set=True)


def guess(text: str | None, kind: Kind, known: Container[str]) -> Cover | None:
    """Say what a cell seems to cover in a column of these known values; None if it can't be said."""
    if text is None:
        return Missing()
    if text == SUPPRESSED:
        return Everything()
    if kind.type == "numeric":
        cover: Cover | None = numbers(text) or _interval(text)
    elif kind.type == "date":
        cover = days(text)
    else:
        cover = Span(text, text) if text in known else None
    return cover or _set(text, known) or _mask(text)


def _interval(text: str) -> Span | None:
    match = _INTERVAL.fullmatch(text)
    if match is None:
        return None
    return interval(match[4], match[5], "]") if match[4] else interval(match[1], match[2], match[3])


def _set(text: str, known: Container[str]) -> Listed | None:
    for separator in "|,":
        texts = members(text, separator)
        if texts and all(member in known for member in texts):
            return Listed(texts)
    return None


def _mask(text: str) -> Prefix | None:
    start = text.rstrip(SUPPRESSED)
    return None if start == text else Prefix(start, len(text))
