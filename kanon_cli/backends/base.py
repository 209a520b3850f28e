"""What every backend is: one verb, run this function on these shards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from kanon_cli.parts import Part

S = TypeVar("S")
R = TypeVar("R")


class Backend(Part):
    """A place where shards are worked on."""

    def map(self, work: Callable[[S], R], shards: Sequence[S]) -> list[R]:
        """Apply `work` to each shard and give the results in the shards' order."""
        raise NotImplementedError
