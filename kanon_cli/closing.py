"""The closure of every group: the smallest interval of ranks that covers its rows, column by column."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

RankArray = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Recoding:
    """Which box each row is released as, and the ranks that each box covers."""

    box_of: RankArray  # [row]
    lo: RankArray  # [column, box]
    hi: RankArray  # [column, box]


def close(rank_of: RankArray, group_of: RankArray) -> Recoding:
    """Close every group; each number from 0 to the largest has at least one row."""
    order = np.argsort(group_of, kind="stable")
    starts = np.searchsorted(group_of[order], np.arange(int(group_of.max()) + 1))
    lo = np.empty((len(rank_of), len(starts)), dtype=np.int32)
    hi = np.empty_like(lo)
    for column, ranks in enumerate(rank_of):
        sorted_ranks = ranks[order]
        lo[column] = np.minimum.reduceat(sorted_ranks, starts)
        hi[column] = np.maximum.reduceat(sorted_ranks, starts)
    return Recoding(group_of, lo, hi)
