"""(k,1)-anonymity."""

from __future__ import annotations

from typing import ClassVar

from kanon_cli.models.base import Notion


class K1(Notion):
    """Every released row covers at least k rows of the original.

    Guarantee: whoever picks a released row finds k people that it could be. That is weak: it may be the only
    released row that could be a certain person's, and who looks for that person finds it. So it needs `accept_weak`.
    Source: Gionis, Mazza and Tassa 2008, definition 4.4.
    """

    name: ClassVar[str] = "k1"
    notion: ClassVar[str] = "(k,1)"
    weakness: ClassVar[str | None] = (
        "a person may have only one released row that could be theirs: who looks for that person finds it"
    )
    figures: ClassVar[tuple[str, ...]] = ("k1",)
