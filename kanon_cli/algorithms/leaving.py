"""What oka and threshold-greedy share: small clusters that are left out, as far as the spec allows that."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from kanon_cli.algorithms.base import BoolArray, GroupArray
from kanon_cli.problem import Problem

IntArray = npt.NDArray[np.int64]


def leave_out(problem: Problem, small_of: GroupArray, most: int) -> BoolArray:
    """Say which rows are left out: those of the smallest of the small clusters, the first of several, `most` at most.

    small_of[row] is the number of its small cluster, below 0 if it is in none. Clusters are left out as a whole, and
    none at all if the other rows could not keep the aim.
    """
    sizes = np.bincount(small_of[small_of >= 0])
    order = np.argsort(sizes, kind="stable")
    left_out = np.isin(small_of, order[np.cumsum(sizes[order]) <= most])
    if not _is_possible(problem.part(np.flatnonzero(~left_out))):
        left_out[:] = False
    return left_out


def falling_short(problem: Problem, group_of: GroupArray) -> BoolArray:
    """[group] whether it is below k or short of a promise about sensitive values."""
    from kanon_cli.kernels.clusters import gather  # numba is loaded only when an algorithm runs
    from kanon_cli.kernels.layers import lay
    from kanon_cli.kernels.unions import shortfalls

    count = int(group_of.max()) + 1
    found = np.bincount(group_of, minlength=count) < problem.aim.k
    if len(problem.aim.values):
        clusters = gather(lay(problem.costs, problem.rank_of), problem.costs, problem.aim, group_of, count)
        found |= shortfalls(clusters, problem.aim) > 0
    return found


def _is_possible(problem: Problem) -> bool:
    """Whether any groups keep the aim: if so, one of all rows does."""
    if problem.rows < problem.aim.k:
        return False
    return not falling_short(problem, np.zeros(problem.rows, dtype=np.int32)).any()
