"""(k,k)-anonymity."""

from __future__ import annotations

from typing import ClassVar

from kanon_cli.models.base import Notion


class Kk(Notion):
    """Every released row covers at least k rows of the original, and k released rows cover every row of the original.

    Guarantee: whoever looks for a person finds k released rows that could be theirs, and whoever picks a released row
    finds k people. Who knows besides exactly which people are in the table may rule out some of them: see `global-1k`.
    Source: Gionis, Mazza and Tassa 2008, definition 4.4.
    """

    name: ClassVar[str] = "kk"
    notion: ClassVar[str] = "(k,k)"
    figures: ClassVar[tuple[str, ...]] = ("kk",)
