"""Moving records keeps the state of the clusters true, never raises the cost and never harms a promise."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_cli.kernels.clusters import Clusters, empty, fill, shortfalls
from kanon_cli.kernels.costs import price_all
from kanon_cli.kernels.moves import relocate
from kanon_cli.kernels.unions import unify_small, unify_unfinished
from kanon_cli.measures.lm import Lm
from kanon_cli.problem import Problem
from tests import naive
from tests.strategies import Task, problem_of, tasks


def _clusters(problem: Problem, group_of: list[int]) -> Clusters:
    codes = int(max(problem.aim.values, default=0))
    columns, rows = problem.rank_of.shape
    clusters = empty(columns, rows, max(group_of) + 1, codes, np.array(group_of, dtype=np.int32))
    fill(clusters, problem.rank_of, problem.costs)
    return clusters


def _members(clusters: Clusters, cluster: int) -> list[int]:
    members, row = [], int(clusters.head[cluster])
    while row >= 0:
        members.append(row)
        row = int(clusters.after[row])
    return members


def _is_true(clusters: Clusters, problem: Problem) -> None:
    """The lists, sizes, closures and prices say what group_of says."""
    sizes = Counter(clusters.group_of.tolist())
    for cluster in range(len(clusters.size)):
        assert int(clusters.size[cluster]) == sizes[cluster]
        members = _members(clusters, cluster)
        assert sorted(members) == np.flatnonzero(clusters.group_of == cluster).tolist()
        if members:
            ranks = problem.rank_of[:, members]
            assert clusters.lo[:, cluster].tolist() == ranks.min(axis=1).tolist()
            assert clusters.hi[:, cluster].tolist() == ranks.max(axis=1).tolist()
            lo, hi = ranks.min(axis=1).astype(np.int64), ranks.max(axis=1).astype(np.int64)
            assert clusters.price[cluster] == price_all(problem.costs, lo, hi)


def _cost(clusters: Clusters) -> int:
    return int((clusters.price * clusters.size)[clusters.size > 0].sum())


@pytest.mark.parametrize("groups", [1, 3, 8])
@given(task=tasks(), data=st.data())
@settings(max_examples=40, deadline=None)
def test_relocating_keeps_the_state_true_and_lowers_the_cost(groups: int, task: Task, data: st.DataObject) -> None:
    problem = problem_of(task.table, task.models, Lm())
    rows = problem.rows
    group_of = data.draw(st.lists(st.integers(0, groups - 1), min_size=rows, max_size=rows))
    clusters = _clusters(problem, group_of)
    _is_true(clusters, problem)
    cost, short = _cost(clusters), shortfalls(clusters, problem.aim)
    alone = (clusters.size == 1).any()
    kept = clusters.size >= task.k
    moves = relocate(clusters, problem.rank_of, problem.costs, problem.aim, 0, rows)
    _is_true(clusters, problem)
    judged = clusters.size >= task.k
    assert (shortfalls(clusters, problem.aim) <= short)[judged & kept].all(), "no cluster gets further from its promise"
    changed = clusters.group_of.tolist() != group_of
    assert moves > 0 or not changed
    if not alone and (clusters.size[np.unique(group_of)] > 1).all():  # a row that is alone may move at any cost
        assert _cost(clusters) < cost if moves else _cost(clusters) == cost


@given(task=tasks(), data=st.data())
@settings(max_examples=60, deadline=None)
def test_unifying_ends_with_clusters_that_keep_the_promise(task: Task, data: st.DataObject) -> None:
    problem = problem_of(task.table, task.models, Lm())
    rows = problem.rows
    group_of = data.draw(st.lists(st.integers(0, rows - 1), min_size=rows, max_size=rows))
    clusters = _clusters(problem, group_of)
    unify_small(clusters, problem.costs, task.k)
    _is_true(clusters, problem)
    assert sum(1 for size in clusters.size.tolist() if 0 < size < task.k) <= 1
    unify_unfinished(clusters, problem.costs, problem.aim)
    _is_true(clusters, problem)
    assert all(task.keeps(members) for members in naive.groups_of(clusters.group_of.tolist()))


@given(task=tasks(max_rows=14), data=st.data())
@settings(max_examples=60, deadline=None)
def test_unifying_small_clusters_takes_the_two_nearest_each_time(task: Task, data: st.DataObject) -> None:
    problem = problem_of(task.table, task.models, Lm())
    rows = problem.rows
    group_of = data.draw(st.lists(st.integers(0, rows - 1), min_size=rows, max_size=rows))
    clusters = _clusters(problem, group_of)
    unify_small(clusters, problem.costs, task.k)
    assert naive.groups_of(clusters.group_of.tolist()) == naive.groups_of(_unify_slowly(problem, group_of, task.k))


def _unify_slowly(problem: Problem, group_of: list[int], k: int) -> list[int]:
    """Lines 11-13 of algorithm 1, every pair looked at every time, ties to the lowest numbers."""
    groups = {group: [row for row, at in enumerate(group_of) if at == group] for group in sorted(set(group_of))}

    def cost(members: list[int]) -> int:
        ranks = problem.rank_of[:, members].astype(np.int64)
        return int(price_all(problem.costs, ranks.min(axis=1), ranks.max(axis=1))) * len(members)

    while True:
        small = [group for group, members in groups.items() if len(members) < k]
        if len(small) < 2:
            break
        _, a, b = min(
            (cost(groups[a] + groups[b]) - cost(groups[a]) - cost(groups[b]), a, b)
            for at, a in enumerate(small)
            for b in small[at + 1 :]
        )
        groups[a] += groups.pop(b)
    return [next(group for group, members in groups.items() if row in members) for row in range(problem.rows)]
