"""This process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from kanon_cli.backends.base import Backend, R, S


class Local(Backend):
    """Works on one shard after the other, in this process."""

    name: ClassVar[str] = "local"

    def map(self, work: Callable[[S], R], shards: Sequence[S]) -> list[R]:
        """Apply `work` to each shard in turn."""
        return [work(shard) for shard in shards]
