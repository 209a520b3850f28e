"""Pools that are clustered anew: given up only where they would cost more than they may."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_cli.algorithms.grounds import ground_of
from kanon_cli.kernels.clusterings import Ground
from kanon_cli.kernels.jit import kernel
from kanon_cli.kernels.pools import FAR, Pool, make_pool, pool_cost
from kanon_cli.kernels.rebuilding import cluster_pool
from kanon_cli.measures.base import CellMeasure
from kanon_cli.measures.lm import Lm
from tests import naive
from tests.contracts.parts import OBJECTIVES
from tests.kernels.test_wards import FORMS, _small_pieces
from tests.strategies import Task, problem_of, tasks


@kernel
def _rebuilt(ground: Ground, pool: Pool, clusters: int, is_choosy: bool, most: int, seed: np.uint64) -> Any:
    """Cluster all rows of a table in one pool: whether that was done, and what it costs."""
    coordinate, _, how, whole, mass, scale, k, values, cap = ground
    rows, columns = coordinate.shape
    for place in range(rows):
        for column in range(columns):
            pool.coordinate[column * pool.room + place] = coordinate[place, column]
    state = np.full(1, seed, dtype=np.uint64)
    is_done = cluster_pool(pool, how, whole, mass, scale, rows, clusters, k, values, cap, is_choosy, most, state)
    return is_done, pool_cost(pool, clusters) if is_done else FAR


def _rebuild(task: Task, objective: CellMeasure, is_choosy: bool, most: int, seed: int) -> tuple[bool, int, list[int]]:
    ground = ground_of(problem_of(task.table, task.models, objective), task.k)
    rows = len(ground.coordinate)
    clusters = rows // task.k
    pool = make_pool(ground.coordinate.shape[1], ground.values, rows, clusters)
    is_done, cost = _rebuilt(ground, pool, clusters, is_choosy, most, np.uint64(seed + 1))
    found: npt.NDArray[np.int32] = pool.cluster[:rows]
    return is_done, cost, found.tolist()


@FORMS
@pytest.mark.parametrize("objective", OBJECTIVES)
@given(task=tasks(), share=st.integers(0, 8), seed=st.integers(0, 5))
@settings(max_examples=10, deadline=None)
def test_a_pool_is_given_up_only_if_it_costs_too_much(
    objective: CellMeasure, table_ranks: int, task: Task, share: int, seed: int
) -> None:
    task = Task(task.table, task.k, None)
    with _small_pieces(table_ranks):
        _, cost, groups = _rebuild(task, objective, False, int(FAR), seed)
        assert all(task.keeps(members) for members in naive.groups_of(groups))
        most = cost * share // 4
        is_done, again, same = _rebuild(task, objective, False, most, seed)
        assert (again, same) == (cost, groups) if is_done else cost > most


def test_nothing_is_given_up_that_costs_as_much_as_it_may() -> None:
    """Two clusters of two rows a step apart, whichever seeds are drawn."""
    table = naive.Table([("0",), ("10",), ("1",), ("9",)], [naive.Numbers()], (), ["x"] * 4)
    task, lm = Task(table, 2, None), Lm()
    for seed in range(8):
        _, cost, groups = _rebuild(task, lm, True, int(FAR), seed)
        assert sorted(naive.groups_of(groups)) == [[0, 2], [1, 3]]
        assert _rebuild(task, lm, True, cost, seed) == (True, cost, groups)
        assert not _rebuild(task, lm, True, cost - 1, seed)[0]
