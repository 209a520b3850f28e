"""Compiling the kernels that an algorithm needs, once a machine."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from kanon_cli.algorithms.base import Algorithm
from kanon_cli.encoding import encode
from kanon_cli.measures.lm import Lm
from kanon_cli.models.k import K
from kanon_cli.models.l_frequency import LFrequency
from kanon_cli.tables.columns import TextColumn
from kanon_cli.tables.domains import Domain, build
from kanon_cli.tables.kinds import Kind


def needed(algorithm: Algorithm) -> bool:
    """Whether the algorithm's kernels have still to be compiled on this machine."""
    from kanon_cli.kernels.jit import is_warm

    return not is_warm(algorithm.name)


def warm(algorithm: Algorithm) -> None:
    """Run the algorithm on a table of eight rows, which compiles all it needs, and remember that."""
    from kanon_cli.kernels.jit import mark_warm

    half = np.arange(8, dtype=np.int32) % 2
    column = TextColumn(half, pa.array(["1", "2"]), pa.string())
    domain = build("a", column, Kind("numeric"))
    if not isinstance(domain, Domain):
        raise AssertionError("the warm-up table is a proper one")
    models = (K(k=2), LFrequency(l=1.5, columns=("s",)))
    algorithm.partition(encode({"a": domain}, {"s": column}, Lm(), models), 0, lambda _done, _note: None)
    mark_warm(algorithm.name)
