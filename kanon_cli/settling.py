"""What is left to do once rows are in groups: promises that only a judge can count, and rows to be left out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kanon_cli.algorithms.base import GroupArray, put_aside, renumber
from kanon_cli.problem import Problem

BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]
Judge = Callable[[IntArray, IntArray], BoolArray]  # rows, the group of each -> [group] it keeps everything

REPAIR, SUPPRESSION = "repair", "suppression"  # the kernels of both, once they have been compiled
TRIED = 16  # rows that are tried each round for each one that may be left out, and ...
LEAST_TRIED = 4096  # ... so many at the least


@dataclass(frozen=True)
class Settled:
    """Groups that keep everything; rows that are left out are in the last one."""

    group_of: GroupArray
    left_out: BoolArray  # [row]
    unified: int


def settle(
    problem: Problem,
    group_of: GroupArray,
    judge: Judge,
    must_repair: bool,
    most_left_out: int,
    left_out: BoolArray | None = None,
) -> Settled:
    """Unify groups that the judge finds short, and then leave out up to so many rows, where that loses less.

    Rows that the algorithm has left out stay so, unless the others then cannot keep everything.
    """
    if left_out is not None and left_out.any():
        settled = _settle_rest(problem, group_of, judge, most_left_out, left_out)
        if settled is not None:
            return settled
        must_repair = True  # groups of rows that were to be left out need not keep anything
    unified = 0
    if must_repair:
        group_of, unified = repair(problem, group_of, judge)
    nobody = np.zeros(problem.rows, dtype=np.bool_)
    if most_left_out == 0:
        return Settled(group_of, nobody, unified)
    return Settled(*leave_out(problem, group_of, judge, most_left_out), unified)


def _settle_rest(
    problem: Problem, group_of: GroupArray, judge: Judge, most_left_out: int, left_out: BoolArray
) -> Settled | None:
    """Settle the rows that stay, and leave out more of them if there is room; None if they cannot keep everything."""
    rows = np.flatnonzero(~left_out)

    def judge_rest(some: IntArray, its_group: IntArray) -> BoolArray:
        return judge(rows[some], its_group)

    rest = problem.part(rows)
    found, unified = repair(rest, renumber(group_of[rows]), judge_rest)
    if not judge_rest(np.arange(len(rows)), found.astype(np.int64)).all():
        return None
    settled = settle(rest, found, judge_rest, False, most_left_out - int(left_out.sum()))
    stays, gone = settled.group_of[~settled.left_out], left_out.copy()
    gone[rows] = settled.left_out
    return Settled(put_aside(stays, gone), gone, unified)


def repair(problem: Problem, group_of: GroupArray, judge: Judge) -> tuple[GroupArray, int]:
    """Unify each group that falls short with its nearest, until none does; give the groups, and how many were unified.

    It ends: in the worst case with all rows in one group, which has been judged before.
    """
    from kanon_cli.kernels.clusters import gather
    from kanon_cli.kernels.layers import lay
    from kanon_cli.kernels.unions import unify_chosen

    everybody, unified = np.arange(problem.rows), 0
    while True:
        short = np.flatnonzero(~judge(everybody, group_of.astype(np.int64)))
        if not len(short) or int(group_of.max()) == 0:
            return group_of, unified
        layers = lay(problem.costs, problem.rank_of)
        clusters = gather(layers, problem.costs, problem.aim, group_of, int(group_of.max()) + 1)
        unified += int(unify_chosen(clusters, layers, problem.costs, short))
        group_of = renumber(clusters.group_of)


def leave_out(problem: Problem, group_of: GroupArray, judge: Judge, most: int) -> tuple[GroupArray, BoolArray]:
    """Leave out rows that cost more than they would if they said nothing; none at all if the others then fall short.

    Shares in the table change a little when rows are left out, so all groups are judged anew.
    """
    from kanon_cli.kernels.leaving import groups_from
    from kanon_cli.kernels.leaving import leave_out as leave

    groups = groups_from(problem.rank_of, problem.costs, problem.aim, group_of)
    full = np.int64(problem.costs.full.sum())
    visits = max(TRIED * most, LEAST_TRIED)
    leave(groups, problem.rank_of, problem.costs, problem.aim, full, min(most, problem.rows - 1), visits)
    left_out = groups.group_of < 0
    rows = np.flatnonzero(~left_out)
    found = renumber(groups.group_of[rows])
    if not left_out.any() or not judge(rows, found.astype(np.int64)).all():
        return group_of, np.zeros(problem.rows, dtype=np.bool_)
    return put_aside(found, left_out), left_out


def use_repair(problem: Problem) -> None:
    """Use every kernel that unifies groups, which compiles them."""
    repair(problem, _pairs(problem), lambda _rows, group_of: np.unique(group_of) > 0)


def use_suppression(problem: Problem) -> None:
    """Use every kernel that leaves rows out, which compiles them."""
    leave_out(problem, _pairs(problem), lambda _rows, group_of: np.unique(group_of) >= 0, 1)


def _pairs(problem: Problem) -> GroupArray:
    return (np.arange(problem.rows) // 2).astype(np.int32)
