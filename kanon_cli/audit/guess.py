"""What cells mean in a table that nobody wrote a spec for."""

from __future__ import annotations

import re
from collections.abc import Container

from kanon_cli.audit.cells import SUPPRESSED, numbers
from kanon_cli.audit.covers import Cover, Everything, Listed, Missing, Prefix, Span
from kanon_cli.audit.notation import BLANKS, NUMBER, day, days, interval, members, number, one_sided
from kanon_cli.tables.columns import TextColumn
from kanon_cli.tables.kinds import Kind

_TO = r"(?:-|, ?| - | ?~ ?| ?\u2013 ?)"  # the last is the dash of a range
_CLOSED = re.compile(rf"([\[\](])({NUMBER}){_TO}({NUMBER})([\])\[])")  # [20-30] [20,30) [20, 30[ ]20,30] (20, 30]
_BARE = re.compile(rf"({NUMBER})(?:-| - | ?~ ?| ?\u2013 ?)({NUMBER})")  # 20-30, 20 ~ 30
_ONE_SIDED = re.compile(rf"([<>]=?) ?({NUMBER})")  # <50, >= 40


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
        cover: Cover | None = numbers(text) or loose_interval(text)
    elif kind.type == "date":
        cover = days(text)
    else:
        cover = Span(text, text) if text in known else None
    return cover or _set(text, known) or _mask(text)


def loose_interval(text: str) -> Span | None:
    """Read numbers from-to as other tools write them."""
    if match := _CLOSED.fullmatch(text):
        return interval(match[2], match[3], match[4], match[1])
    if match := _BARE.fullmatch(text):
        return interval(match[1], match[2], "]")
    match = _ONE_SIDED.fullmatch(text)
    return one_sided(match[1], match[2]) if match else None


def _set(text: str, known: Container[str]) -> Listed | None:
    for separator in "|,":
        texts = members(text, separator)
        for found in (texts, tuple(dict.fromkeys(member.strip(BLANKS) for member in texts))):  # {a, b} and {a,b}
            if found and all(member in known for member in found):
                return Listed(found)
    return None


def _mask(text: str) -> Cover | None:
    """Read a text whose end is masked; stars only, as several tools write a suppressed cell, say nothing at all."""
    start = text.rstrip(SUPPRESSED)
    if not start:
        return Everything()
    return None if start == text else Prefix(start, len(text))
