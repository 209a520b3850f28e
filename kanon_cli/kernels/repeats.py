"""Rows that are there more often than a cluster needs."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]


def spare_rows(rank_of: npt.NDArray[np.int32], order: IntArray, k: int) -> tuple[npt.NDArray[np.bool_], IntArray]:
    """Say of each position in the order whether its row can be spared, and number the runs of identical rows.

    In `order` identical rows stand side by side. A run of 2k or more spares as many times k rows as leave k of it.
    """
    differs = np.zeros(len(order), dtype=np.bool_)
    for ranks in rank_of:
        sorted_ranks = ranks[order]
        differs[1:] |= sorted_ranks[1:] != sorted_ranks[:-1]
    run = np.cumsum(differs, dtype=np.int64)
    length = np.bincount(run)
    first = np.cumsum(length) - length
    spared = np.maximum(length // k - 1, 0) * k
    return np.arange(len(order)) - first[run] < spared[run], run
