"""Clusters that are trimmed: never at a higher cost, with k rows each, and with all that is noted of them true."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_cli.algorithms.grounds import ground_of
from kanon_cli.kernels.clusterings import Ground, describe
from kanon_cli.kernels.costs import FINEST_UNIT
from kanon_cli.kernels.jit import kernel
from kanon_cli.kernels.pools import Pool, make_pool, pool_cost
from kanon_cli.kernels.trims import Snapshot, make_snapshot, price_unions, trim_pool
from kanon_cli.measures.base import CellMeasure
from kanon_cli.measures.lm import Lm
from tests import naive
from tests.contracts.parts import OBJECTIVES
from tests.kernels.test_wards import FORMS, _searching, _small_pieces
from tests.strategies import Task, problem_of, tasks

Numbers = npt.NDArray[np.int64]


@kernel
def _trimmed(
    clustering: Any, order: Numbers, ground: Ground, pool: Pool, old: Snapshot, heat: int, seed: np.uint64
) -> Any:
    """Trim all clusters in one pool: costs before and after, and the unions that were kept; then made anew."""
    coordinate, _, how, whole, mass, scale, k, values, cap = ground
    rows, columns = coordinate.shape
    clusters = len(clustering.size)
    for place in range(pool.room):
        pool.cluster[place] = -1
    for c in range(clusters):
        pool.size[c], pool.price[c] = clustering.size[c], clustering.price[c]
        pool.lo[c], pool.hi[c] = clustering.lo[c], clustering.hi[c]
        for row in order[clustering.first[c] : clustering.first[c] + clustering.size[c]]:
            pool.cluster[row] = c
            for column in range(columns):
                pool.coordinate[column * pool.room + row] = coordinate[row, column]
    state = np.full(1, seed, dtype=np.uint64)
    before = pool_cost(pool, clusters)
    trim_pool(pool, how, whole, mass, scale, rows, clusters, k, values, cap, old, heat, state)
    after, kept = pool_cost(pool, clusters), pool.union.copy()
    price_unions(pool, how, whole, mass, scale, rows, clusters)
    return before, after, kept


def _trim(
    task: Task, objective: CellMeasure, groups: Sequence[int], heat: int, seed: int
) -> tuple[int, int, list[int]]:
    """Trim the groups of a table; costs before and after, and the groups then."""
    ground = ground_of(problem_of(task.table, task.models, objective), task.k)
    clustering, order = describe(np.array(groups), ground)
    pool = make_pool(ground.coordinate.shape[1], ground.values, len(groups), len(clustering.size))
    before, after, union = _trimmed(clustering, order, ground, pool, make_snapshot(pool), heat, np.uint64(seed + 1))
    room, rows = int(pool.room), len(groups)
    for c in range(max(groups) + 1):
        places = slice(c * room, c * room + rows)
        assert union[places].tolist() == pool.union[places].tolist(), "prices of rows with a cluster are kept up"
    found: list[int] = pool.cluster[:rows].tolist()
    anew, _ = describe(np.array(found), ground)
    for name in ("size", "price", "lo", "hi"):
        assert getattr(pool, name).tolist() == getattr(anew, name).tolist()
    return before, after, found


@FORMS
@pytest.mark.parametrize("objective", OBJECTIVES)
@given(task=tasks(), heat=st.sampled_from([0, 1 << 17]), seed=st.integers(0, 5))
@settings(max_examples=10, deadline=None)
def test_trimming_costs_no_more_while_it_is_cold_and_keeps_k(
    objective: CellMeasure, table_ranks: int, task: Task, heat: int, seed: int
) -> None:
    task = Task(task.table, task.k, None)
    with _small_pieces(table_ranks), _searching(task, objective, seed) as search:
        before, after, found = _trim(task, objective, search.group_of().tolist(), heat, seed)
        assert before == search.cost
        assert heat or after <= before
        assert all(task.keeps(members) for members in naive.groups_of(found))


def test_rows_that_keep_two_clusters_wide_change_places() -> None:
    """No row can leave a cluster of k, so moving one at a time gets nowhere."""
    table = naive.Table([("0",), ("9",), ("1",), ("10",)], [naive.Numbers()], (), ["x"] * 4)
    _, after, found = _trim(Task(table, 2, None), Lm(), [0, 0, 1, 1], 0, 0)
    assert sorted(naive.groups_of(found)) == [[0, 2], [1, 3]]
    assert after == 4 * round(FINEST_UNIT / 10)


def test_a_hot_trim_may_cost_a_little_more() -> None:
    """Nothing that is cold can make these two clusters cheaper."""
    rows = [(x, y) for x, y in zip("853016596", "620089675", strict=True)]
    table = naive.Table(rows, [naive.Numbers(), naive.Numbers()], (), ["x"] * 9)
    groups = [1, 0, 0, 0, 0, 1, 1, 1, 1]
    (before, cold, _), (_, warm, _), (_, hot, _) = (
        _trim(Task(table, 4, None), Lm(), groups, heat, 0) for heat in (0, 1 << 10, 1 << 18)
    )
    assert before == cold == warm < hot < before + before // 4


def test_a_value_that_all_but_one_row_have_stays() -> None:
    """Without a taxonomy a cell costs all or nothing, wherever in the order its value is."""
    values = ["b", "b", "a", "c", "c", "b", "a", "a", "c"]
    table = naive.Table([(value,) for value in values], [naive.Tree({"a": "*", "b": "*", "c": "*"})], (), ["x"] * 9)
    _, after, found = _trim(Task(table, 3, None), Lm(), [0, 0, 0, 1, 1, 1, 2, 2, 2], 0, 0)
    assert after == 0
    assert sorted(naive.groups_of(found)) == [[0, 1, 5], [2, 6, 7], [3, 4, 8]]
