"""Compiling the kernels that a run needs, once a machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa

from kanon_cli.encoding import encode
from kanon_cli.measures.base import CellMeasure
from kanon_cli.measures.lm import Lm
from kanon_cli.measures.pmi import Pmi
from kanon_cli.models.base import Model
from kanon_cli.models.k import K
from kanon_cli.models.l_frequency import LFrequency
from kanon_cli.problem import Problem
from kanon_cli.tables.columns import TextColumn
from kanon_cli.tables.domains import Domain, build
from kanon_cli.tables.kinds import Kind


def needed(name: str) -> bool:
    """Whether the kernels that go by this name have still to be compiled on this machine."""
    from kanon_cli.kernels.jit import is_warm

    return not is_warm(name)


KINDS = Kind("numeric"), Kind(mask=2)  # a number, and a category with a taxonomy
EXACT = "exact"  # the kernels for measures that depend on the row and its sensitive value


def warm(name: str, use: Callable[[Problem], object]) -> None:
    """Use the kernels on tiny tables, which compiles them, and remember that by their name.

    In the last one k is all that is promised, and its two kinds of rows do not fit into groups.
    """
    from kanon_cli.kernels.jit import mark_warm

    promised = (K(k=2), LFrequency(l=1.5, columns=("s",)))
    for rows, alike, models in ((8, 1, promised), (9, 2, promised), (9, 7, (K(k=3),))):
        use(_tiny_problem(rows, alike, models, Pmi() if name == EXACT else Lm(), name == EXACT))
    mark_warm(name)


def plain_problem() -> Problem:
    """A tiny table that is encoded without any kernels: all that its columns cost is the difference of two numbers."""
    return _tiny_problem(8, 1, (K(k=2),), Lm(), False, (Kind("numeric"), Kind("numeric")))


def _tiny_problem(
    rows: int, alike: int, models: Sequence[Model], measure: CellMeasure, kept: bool, kinds: Sequence[Kind] = KINDS
) -> Problem:
    """Columns of two values, `alike` rows after each other being the same, and a sensitive value.

    With two alike there are pairs that keep the promise, and of nine rows one is left over.
    """
    at, texts = np.arange(rows, dtype=np.int32), pa.array(["11", "22"])
    column, secret = (TextColumn(half, texts, pa.string()) for half in (at // alike % 2, at % 2))
    domains: dict[str, Domain] = {}
    for name, kind in zip("ab", kinds, strict=True):
        domain = build(name, column, kind)
        if not isinstance(domain, Domain):
            raise AssertionError("the warm-up table is a proper one")
        domains[name] = domain
    return encode(domains, {"s": secret}, measure, models, kept=kept)
