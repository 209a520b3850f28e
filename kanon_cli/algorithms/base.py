"""What every algorithm is: a problem in, groups out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from kanon_cli.parts import Part
from kanon_cli.problem import Problem

Progress = Callable[[float, str], None]


@dataclass(frozen=True)
class Grouping:
    """Which group each row is in, and what the algorithm has to say about its work (counts, never times)."""

    group_of: npt.NDArray[np.int32]  # [row] 0 .. groups - 1
    facts: dict[str, int | float | bool] = field(default_factory=dict)

    @property
    def groups(self) -> int:
        """How many groups there are."""
        return int(self.group_of.max()) + 1


class Algorithm(Part):
    """A way to put the rows of a problem into groups that keep its goal."""

    randomized: ClassVar[bool]  # whether another seed gives another grouping
    shardable: ClassVar[bool]  # whether parts of a table may be worked on by themselves
    memory: ClassVar[str]  # by the number of rows n

    def partition(self, problem: Problem, seed: int, progress: Progress) -> Grouping:
        """Put every row into one group; each group keeps the problem's goal."""
        raise NotImplementedError
