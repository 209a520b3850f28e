"""What every algorithm keeps, whatever it is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_cli.algorithms.base import Algorithm, Terms
from kanon_cli.measures.base import CellMeasure
from kanon_cli.measures.lm import Lm
from kanon_cli.problem import Problem
from tests import naive
from tests.contracts.parts import ALGORITHMS, OBJECTIVES
from tests.strategies import Task, models_of, problem_of, tables, tasks


def _group(algorithm: Algorithm, problem: Problem, seed: int = 0) -> list[list[int]]:
    grouping = algorithm.partition(problem, Terms(seed))
    assert len(grouping.group_of) == problem.rows, "every row is in one group"
    groups = naive.groups_of(grouping.group_of.tolist())
    assert len(groups) == grouping.groups, "no number is left out"
    return groups


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@given(task=tasks())
@settings(max_examples=40, deadline=None)
def test_every_group_keeps_the_promise(algorithm: Algorithm, objective: CellMeasure, task: Task) -> None:
    groups = _group(algorithm, problem_of(task.table, task.models, objective))
    assert all(task.keeps(members) for members in groups)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@given(task=tasks(max_rows=6, max_k=3))
@settings(max_examples=15, deadline=None)
def test_the_loss_is_never_below_the_optimum(algorithm: Algorithm, objective: CellMeasure, task: Task) -> None:
    groups = _group(algorithm, problem_of(task.table, task.models, objective))
    least = naive.optimum(task.table, task.k, task.diversity, objective.name)
    assert least is not None
    assert naive.loss(task.table, groups, objective.name) >= least - 1e-12


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@given(task=tasks(), seed=st.integers(0, 3))
@settings(max_examples=20, deadline=None)
def test_the_same_seed_gives_the_same_groups_and_inputs_are_untouched(
    algorithm: Algorithm, task: Task, seed: int
) -> None:
    problem = problem_of(task.table, task.models, Lm())
    arrays: list[np.ndarray[Any, Any]] = [problem.rank_of, problem.aim.secret_of, *map(np.asarray, problem.costs)]
    before = [array.copy() for array in arrays]
    assert _group(algorithm, problem, seed) == _group(algorithm, problem, seed)
    assert all(np.array_equal(old, new) for old, new in zip(before, arrays, strict=True))


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@given(table=tables(max_rows=1, min_rows=1), k=st.integers(2, 5), more=st.integers(0, 30))
@settings(max_examples=10, deadline=None)
def test_identical_rows_cost_nothing(
    algorithm: Algorithm, objective: CellMeasure, table: naive.Table, k: int, more: int
) -> None:
    rows = k + more
    same = naive.Table([table.rows[0]] * rows, table.columns, table.weights, [None] * rows)
    groups = _group(algorithm, problem_of(same, models_of(k, None), objective))
    assert naive.loss(same, groups, objective.name) == 0


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@given(table=tables(max_rows=12))
@settings(max_examples=10, deadline=None)
def test_k_of_all_rows_puts_them_into_one_group(algorithm: Algorithm, table: naive.Table) -> None:
    assert len(_group(algorithm, problem_of(table, models_of(len(table.rows), None), Lm()))) == 1
