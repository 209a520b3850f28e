"""How the values of a quasi-identifier may be generalized."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from kanon_cli.tables.taxonomy import Taxonomy


@dataclass(frozen=True)
class Kind:
    """A quasi-identifier's type and its one way to generalize.

    Categorical: a named `taxonomy`, a `mask` from the right, the set of the values (`as_set`), or kept or suppressed.
    Numeric: free intervals, or nested `intervals` of these widths. Date: free intervals, or the `calendar`.
    """

    type: Literal["categorical", "numeric", "date"] = "categorical"
    taxonomy: Taxonomy | None = None
    file: str | None = None  # where the taxonomy stands, for messages
    mask: int | None = None
    intervals: tuple[Decimal, ...] = ()
    calendar: bool = False
    as_set: bool = False
    weight: float = 1.0

    @property
    def metric(self) -> bool:
        """Whether its values have distances."""
        return self.type != "categorical"


@dataclass(frozen=True)
class Meaning:
    """What the values of a sensitive column are: by their `kind` names, numbers, or leaves of a taxonomy.

    Numbers may be told apart by bins only: each of `bins` is the least number of one, those below the first are in one
    more. Where nobody says what they are, a cell of stars only `hides` its value, which is missing then.
    """

    kind: Kind = Kind()
    bins: tuple[Decimal, ...] = ()
    hides: bool = False
