"""Global (1,k)-anonymity."""

from __future__ import annotations

from typing import ClassVar

from kanon_cli.models.base import Notion
from kanon_cli.models.links import Ground


class Global1k(Notion):
    """Every row of the original has at least k matches among the released rows, and (k,k) holds.

    A match of a row is a released row that may be its own: all released rows can be given to different rows that they
    cover, and this one to that row.

    Guarantee: even who knows exactly which people are in the table, and all their quasi-identifiers, finds k released
    rows that could be a person's. They need not be equally likely, above all for somebody who can do the run again.
    Source: Gionis, Mazza and Tassa 2008, definition 4.6; with (k,k), which their algorithm keeps as well.
    """

    name: ClassVar[str] = "global-1k"
    notion: ClassVar[str] = "global-(1,k)"
    ground: ClassVar[Ground] = "matches"
    figures: ClassVar[tuple[str, ...]] = ("kk", "global_1k")
