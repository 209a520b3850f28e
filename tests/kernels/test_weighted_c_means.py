"""weighted-c-means does what it is told to, for every kind of column and of price."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_cli.algorithms.base import Terms
from kanon_cli.algorithms.starts import cost_of
from kanon_cli.algorithms.weighted_c_means import WeightedCMeans, weighted, weights_of
from kanon_cli.measures.base import CellMeasure
from kanon_cli.measures.lm import Lm
from tests import naive
from tests.contracts.parts import OBJECTIVES
from tests.kernels.twins import FORMS, columns_of, priced, repaired
from tests.naive.weighted_c_means import Columns
from tests.naive.weighted_c_means import WeightedCMeans as AsTold
from tests.strategies import Task, models_of, problem_of, tables, tasks


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("form", FORMS)
@given(
    task=tasks(max_rows=24, of_papers=True),
    weights=st.booleans(),
    passes=st.sampled_from([1, 2, 30]),
    seed=st.integers(0, 5),
)
@settings(max_examples=25, deadline=None)
def test_the_groups_are_those_that_section_2_2_tells_of(
    form: str, objective: CellMeasure, task: Task, weights: bool, passes: int, seed: int
) -> None:
    with priced(form):
        problem = problem_of(task.table, task.models, objective)
        found = WeightedCMeans(weights=weights, passes=passes).partition(problem, Terms(seed))

    def columns(by: Sequence[float]) -> Columns:
        return columns_of(replace(problem, costs=weighted(problem.costs, np.array(by))) if by else problem)

    seeds = np.random.default_rng(seed).permutation(problem.rows)[: problem.rows // task.k].tolist()
    clusters = AsTold(problem.rows, passes, weights, columns).run(seeds)
    assert naive.groups_of(found.group_of.tolist()) == repaired(problem, clusters)


def test_a_column_counts_less_the_further_rows_are_from_their_centers() -> None:
    full = np.array([1000, 1000, 2000])
    weights = weights_of(np.array([16 * 10**6, 10**6, 2 * 10**6]), full, np.ones(3))
    assert weights.tolist() == pytest.approx([2 / 3.5, 4 / 3.5, 4 / 3.5])
    assert float(weights @ full) == pytest.approx(4000)
    assert weights_of(np.array([10**9, 0, 0]), full, np.ones(3)).max() < 6 * weights_of(full, full, np.ones(3)).max()
    assert weights_of(np.zeros(3, dtype=np.int64), full, weights) is weights


def test_a_missing_number_stays_as_far_from_all_others_as_suppression() -> None:
    table = naive.Table([("0",), ("-1",), (None,)], [naive.Numbers()], [0.5], [None] * 3)
    with priced("formulas"):
        costs = problem_of(table, models_of(2, None), Lm()).costs
    changed = weighted(costs, np.array([3705559.4 / costs.full[0]]))
    assert changed.position[2] - changed.position[1] == changed.full[0]


@given(table=tables(max_rows=30, min_rows=8), seed=st.integers(0, 3))
@settings(max_examples=20, deadline=None)
def test_more_starts_never_cost_more(table: naive.Table, seed: int) -> None:
    problem = problem_of(table, models_of(4, None), Lm())
    once, thrice = (WeightedCMeans(restarts=restarts).partition(problem, Terms(seed)) for restarts in (1, 3))
    assert cost_of(problem, thrice.group_of) <= cost_of(problem, once.group_of)
