"""All that an algorithm sees of a table: ranks, costs and a goal; no names, no values, no files."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kanon_cli.kernels.costs import Costs

IntArray = npt.NDArray[np.int64]
RankArray = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Goal:
    """What every group has to keep: a size, and caps on the share of any one sensitive value."""

    k: int
    secret_of: RankArray  # [secret, row] code of the sensitive value; the last code is missing, which counts with any
    values: IntArray  # [secret] codes, missing included
    cap: IntArray  # [secret, 2] rows of one value * cap[0] <= rows * cap[1]


@dataclass(frozen=True)
class Problem:
    """A table as ranks, the price of every interval of ranks, and the goal."""

    rank_of: RankArray  # [column, row]
    ranks: IntArray  # [column] how many ranks it has
    costs: Costs
    goal: Goal

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return int(self.rank_of.shape[1])
