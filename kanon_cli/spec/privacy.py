"""The promises that a spec can ask for."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Literal

from pydantic import Field

from kanon_cli.spec.nodes import Node, Positive, Share, Text


class Recursive(Node):
    """Recursive (c, l)-diversity."""

    c: Positive
    """The most frequent value is less than c times as frequent as the rest together."""
    l: Annotated[int, Field(ge=1)]  # noqa: E741  the spec's own name
    """The rest begins with the l-th most frequent value."""


class Diversity(Node):
    """Further kinds of l-diversity."""

    distinct: Annotated[int, Field(ge=1)] | None = None
    """Every class has so many different sensitive values."""
    entropy: Annotated[float, Field(ge=1, allow_inf_nan=False)] | None = None
    """The entropy of the sensitive values of a class is at least the logarithm of this."""
    recursive: Recursive | None = None
    """Recursive (c, l)-diversity."""


class Beta(Node):
    """How much likelier a sensitive value may be in a class than in the table."""

    basic: Positive | None = None
    """The share of a value in a class exceeds that in the table by a factor of 1 + this at most."""
    enhanced: Positive | None = None
    """The same, with -ln of the value's share in the table if that is less."""


class Delta(Node):
    """How much likelier or unlikelier a sensitive value may be in a class than in the table."""

    strict: Positive | None = None
    """The shares of every value in a class and in the table differ by less than a factor of exp of this."""
    present: Positive | None = None
    """The same, but only for the values that a class has."""


class Rows(Node):
    """A limit as a count of rows."""

    rows: Annotated[int, Field(ge=0)]
    """A count of rows."""


class Privacy(Node):
    """What the release has to keep."""

    k: Annotated[int, Field(ge=2)]
    """Every released row looks like at least k - 1 others."""
    unit: Text | None = None
    """The column that says whose row it is: people are counted, not rows."""
    notion: Literal["k", "(k,k)", "global-(1,k)", "(k,1)", "(1,k)"] = "k"
    """Which notion of anonymity has to hold: k; (k,k) or global-(1,k), losing less; (k,1) or (1,k), which are weak."""
    accept_weak: bool = False
    """Allow (k,1) or (1,k), which are not safe by themselves."""
    l: Annotated[float, Field(ge=1, allow_inf_nan=False)] | None = None  # noqa: E741  the spec's own name
    """No sensitive value has more than 1/l of a class."""
    diversity: Diversity | dict[str, Diversity] | None = None
    """Further kinds of l-diversity, for all sensitive columns or by column."""
    t: Share | None = None
    """t-closeness: how far the sensitive values of a class may be from those of the table."""
    alpha: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)] | None = None
    """(alpha,k)-anonymity: no sensitive value has a larger share of a class."""
    beta: Beta | None = None
    """beta-likeness: how much likelier a sensitive value may be in a class than in the table; a number: basic."""
    delta: Delta | None = None
    """delta-disclosure: how far shares may be from those of the table, as a logarithm; a number: strict."""
    joint: bool = False
    """The promises about sensitive columns hold for their combination too."""
    suppression: Share | Rows = 0.0
    """How many rows may be left out, where that loses less or the algorithm asks for it: a share, or {rows: count}."""

    def most_left_out(self, rows: int) -> int:
        """How many of so many rows may be left out."""
        return (
            self.suppression.rows
            if isinstance(self.suppression, Rows)
            else int(Fraction(repr(self.suppression)) * rows)
        )
