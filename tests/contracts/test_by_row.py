"""The laws hold for measures whose loss depends on the row's own value, and the bound for what they lose exactly."""

from __future__ import annotations

import itertools
from dataclasses import replace
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_cli import bounding
from kanon_cli.algorithms import polishing
from kanon_cli.algorithms.base import Algorithm, Grouping, Terms
from kanon_cli.measures.base import CellMeasure
from kanon_cli.problem import Problem
from tests import naive
from tests.contracts.parts import ALGORITHMS, ANYTIME, BY_ROW, RECODERS
from tests.contracts.test_recodings import release_of
from tests.strategies import Task, models_of, priced_as, problem_of, tables, tasks


def _groups(algorithm: Algorithm, problem: Problem, terms: Terms) -> list[list[int]]:
    found = algorithm.work(problem, terms)
    assert isinstance(found, Grouping)
    assert len(found.group_of) == problem.rows, "every row is in one group"
    groups = naive.groups_of(found.group_of.tolist())
    assert len(groups) == found.groups, "no number is left out"
    return groups


@pytest.mark.parametrize("objective", BY_ROW)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@given(task=tasks(max_rows=6, max_k=3), work=st.sampled_from([0, 40, bounding.DEFAULT_WORK]))
@settings(max_examples=3, deadline=None)
def test_the_promise_is_kept_and_the_loss_never_below_the_optimum_nor_that_below_the_bound(
    algorithm: Algorithm, objective: CellMeasure, task: Task, work: int
) -> None:
    problem = problem_of(task.table, task.models, objective, algorithm.counts_kept)
    groups = _groups(algorithm, problem, Terms())
    assert all(task.keeps(members) for members in groups)
    least = task.optimum(objective.name)
    assert naive.loss(task.table, groups, objective.name) >= least - 1e-12
    if not objective.by_secret:
        exact = problem_of(task.table, task.models, objective, kept=True)
        assert bounding.lower_bound(exact, 0, work).loss <= least


@pytest.mark.parametrize("form", ["as ever", "formulas", "formulas and spans"])
@given(
    task=tasks(),
    algorithm=st.sampled_from([parameter.values[0] for parameter in ALGORITHMS]),
    objective=st.sampled_from([parameter.values[0] for parameter in BY_ROW]),
    piece=st.sampled_from([2, polishing.PIECE]),
    seed=st.integers(0, 3),
)
@settings(max_examples=25, deadline=None)
def test_polished_groups_keep_the_promise_lose_no_more_and_are_the_same_on_two_threads(
    form: str, task: Task, algorithm: Algorithm, objective: CellMeasure, piece: int, seed: int
) -> None:
    with priced_as(form), patch.object(polishing, "PIECE", piece):
        problem = problem_of(task.table, task.models, objective, algorithm.counts_kept)
        groups = _groups(algorithm, problem, Terms(seed))
        assert groups == _groups(algorithm, problem, Terms(seed, threads=2))
        raw = algorithm.partition(problem, polishing.while_searching(Terms(seed)))
    assert all(task.keeps(members) for members in groups)
    before = naive.loss(task.table, naive.groups_of(raw.group_of.tolist()), objective.name)
    assert naive.loss(task.table, groups, objective.name) <= before + 1e-6


@pytest.mark.parametrize("objective", BY_ROW)
@pytest.mark.parametrize("algorithm", ANYTIME)
@given(rounds=st.integers(0, 40), seed=st.integers(0, 3))
@settings(max_examples=4, deadline=None)
def test_the_effort_that_was_reported_repeats_a_search_that_was_stopped(
    algorithm: Algorithm, objective: CellMeasure, rounds: int, seed: int
) -> None:
    cells = [(str(row * 7919 % 101), "abcdefgh"[row * 31 % 83 % 8]) for row in range(200)]
    table = naive.Table(cells, [naive.Numbers(), naive.Tree(dict.fromkeys("abcdefgh", "*"))], (), ["x", "y"] * 100)
    problem = problem_of(table, models_of(5, None), objective)
    asked = itertools.count(1)
    stopped = algorithm.work(problem, Terms(seed, spent=lambda: float(next(asked) > rounds)))
    again = algorithm.work(problem, Terms(seed, effort=int(stopped.facts["effort"])))
    assert isinstance(stopped, Grouping)
    assert isinstance(again, Grouping)
    assert again.group_of.tolist() == stopped.group_of.tolist()
    assert again.facts == stopped.facts


@pytest.mark.parametrize("objective", BY_ROW)
@pytest.mark.parametrize("algorithm", RECODERS)
@given(task=tasks(max_rows=14))
@settings(max_examples=2, deadline=None)
def test_boxes_of_single_rows_pass_the_audit(algorithm: Algorithm, objective: CellMeasure, task: Task) -> None:
    task = replace(task, further={key: asked for key, asked in task.further.items() if key != "delta"})  # with k only
    _, report = release_of(algorithm, task, objective.name, "sorted")
    assert report["privacy"]["verified"]


@pytest.mark.parametrize("objective", BY_ROW)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@given(table=tables(max_rows=1, min_rows=1), k=st.integers(2, 5), more=st.integers(0, 30))
@settings(max_examples=2, deadline=None)
def test_identical_rows_cost_nothing(
    algorithm: Algorithm, objective: CellMeasure, table: naive.Table, k: int, more: int
) -> None:
    rows = k + more
    same = naive.Table([table.rows[0]] * rows, table.columns, table.weights, [None] * rows)
    task = Task(same, k, None)
    problem = problem_of(same, task.models, objective, algorithm.counts_kept)
    groups = _groups(algorithm, problem, Terms())
    assert naive.loss(same, groups, objective.name) == 0
    assert objective.by_secret or bounding.lower_bound(problem, 0).loss == 0
