"""(1,k)-anonymity."""

from __future__ import annotations

from typing import ClassVar

from kanon_cli.models.base import Notion


class OneK(Notion):
    """Every row of the original is covered by at least k released rows.

    Guarantee: whoever looks for a person finds k released rows that could be theirs. That is weak: a few rows that
    cover everything are enough for it, all others may be released as they are, and tell whose they are. So it needs
    `accept_weak`.
    Source: Gionis, Mazza and Tassa 2008, definition 4.4.
    """

    name: ClassVar[str] = "1k"
    notion: ClassVar[str] = "(1,k)"
    weakness: ClassVar[str | None] = (
        "a released row may cover a single person: a few rows that cover everything let all others stay as they were"
    )
    figures: ClassVar[tuple[str, ...]] = ("1k",)
