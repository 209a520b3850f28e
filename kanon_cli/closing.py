"""The boxes that rows are released as: the closure of every group, or each row's own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kanon_cli.algorithms.base import Covering, Grouping

RankArray = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Recoding:
    """Which box each row is released as, and the ranks that each box covers."""

    box_of: RankArray  # [row]
    lo: RankArray  # [column, box]
    hi: RankArray  # [column, box]
    is_closure: bool = True  # a box is the closure of the rows that are released as it; else it may cover more


def recode(rank_of: RankArray, result: Grouping | Covering) -> Recoding:
    """Turn what an algorithm gives into boxes."""
    return close(rank_of, result.group_of) if isinstance(result, Grouping) else _distinct(result)


def _distinct(covering: Covering) -> Recoding:
    """Give equal boxes one number."""
    both = np.concatenate([covering.lo, covering.hi])
    order = np.lexsort(both)
    is_new = np.append(True, (both[:, order[1:]] != both[:, order[:-1]]).any(axis=0))
    box_of = np.empty(len(order), dtype=np.int32)
    box_of[order] = np.cumsum(is_new) - 1
    lo, hi = np.split(both[:, order[is_new]], 2)
    return Recoding(box_of, lo, hi, is_closure=False)


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
