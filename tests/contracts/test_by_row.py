"""The laws hold for measures whose loss depends on the row's own value, and the bound for what they lose exactly."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_cli import bounding
from kanon_cli.algorithms.base import Algorithm, Terms
from kanon_cli.measures.base import CellMeasure
from tests import naive
from tests.contracts.parts import ALGORITHMS, BY_ROW
from tests.strategies import Task, problem_of, tables, tasks

PLAIN = [objective for objective in BY_ROW if not objective.values[0].by_secret]  # type: ignore[union-attr]


@pytest.mark.parametrize("objective", PLAIN)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@given(task=tasks(max_rows=6, max_k=3), work=st.sampled_from([0, 40, bounding.DEFAULT_WORK]))
@settings(max_examples=8, deadline=None)
def test_the_promise_is_kept_and_the_loss_never_below_the_optimum_nor_that_below_the_bound(
    algorithm: Algorithm, objective: CellMeasure, task: Task, work: int
) -> None:
    problem = problem_of(task.table, task.models, objective, algorithm.counts_kept)
    groups = naive.groups_of(algorithm.partition(problem, Terms()).group_of.tolist())
    assert all(task.keeps(members) for members in groups)
    least = task.optimum(objective.name)
    assert naive.loss(task.table, groups, objective.name) >= least - 1e-12
    exact = problem_of(task.table, task.models, objective, kept=True)
    assert bounding.lower_bound(exact, 0, work).loss <= least


@pytest.mark.parametrize("objective", PLAIN)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@given(table=tables(max_rows=1, min_rows=1), k=st.integers(2, 5), more=st.integers(0, 30))
@settings(max_examples=4, deadline=None)
def test_identical_rows_cost_nothing(
    algorithm: Algorithm, objective: CellMeasure, table: naive.Table, k: int, more: int
) -> None:
    rows = k + more
    same = naive.Table([table.rows[0]] * rows, table.columns, table.weights, [None] * rows)
    task = Task(same, k, None)
    problem = problem_of(same, task.models, objective, algorithm.counts_kept)
    groups = naive.groups_of(algorithm.partition(problem, Terms()).group_of.tolist())
    assert naive.loss(same, groups, objective.name) == 0
    assert bounding.lower_bound(problem, 0).loss == 0
