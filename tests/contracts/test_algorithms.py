"""What every algorithm keeps, whatever it is."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanon_cli.algorithms.base import Algorithm, Terms
from kanon_cli.measures.base import CellMeasure
from kanon_cli.measures.lm import Lm
from kanon_cli.problem import Problem
from tests import naive
from tests.contracts.parts import ALGORITHMS, ANYTIME, OBJECTIVES
from tests.strategies import Task, examples, models_of, problem_of, tables, tasks


def _group(algorithm: Algorithm, problem: Problem, seed: int = 0, threads: int = 1) -> list[list[int]]:
    grouping = algorithm.partition(problem, Terms(seed, threads=threads))
    assert len(grouping.group_of) == problem.rows, "every row is in one group"
    groups = naive.groups_of(grouping.group_of.tolist())
    assert len(groups) == grouping.groups, "no number is left out"
    return groups


TREE = naive.Tree({**{leaf: "NM"[leaf < "e"] for leaf in "abcdefgh"}, "N": "*", "M": "*"})


def _wide(columns: int) -> naive.Table:
    """Rows that differ in every column."""
    cells = [tuple(str(row * (column + 3) % 31) for column in range(columns)) for row in range(30)]
    return naive.Table(cells, [naive.Numbers()] * columns, (), ["x", "y", "z"] * 10)


def _half_missing(columns: int) -> naive.Table:
    """Rows that have all values or none, so that two rows share everything or nothing."""
    cells = [(None if row % 3 else str(row),) * columns for row in range(30)]
    return naive.Table(cells, [naive.Numbers()] * columns, (), ["x", "y", "z"] * 10)


def _many_rows(rows: int) -> naive.Table:
    """A table that is no matter of a few groups: numbers, some missing, and two levels of categories."""
    cells = [
        (str(row * 7919 % 101) if row % 11 else None, "abcdefgh"[row * 31 % 83 % 8], str(row * row % 997))
        for row in range(rows)
    ]
    return naive.Table(
        cells, [naive.Numbers(), TREE, naive.Numbers()], [1.0, 0.5, 3.0], ["xyzw"[row % 4] for row in range(rows)]
    )


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@given(task=tasks())
@examples(25)
def test_every_group_keeps_the_promise(algorithm: Algorithm, objective: CellMeasure, task: Task) -> None:
    groups = _group(algorithm, problem_of(task.table, task.models, objective))
    assert all(task.keeps(members) for members in groups)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@given(task=tasks(max_rows=6, max_k=3))
@examples(15)
def test_the_loss_is_never_below_the_optimum(algorithm: Algorithm, objective: CellMeasure, task: Task) -> None:
    groups = _group(algorithm, problem_of(task.table, task.models, objective))
    assert naive.loss(task.table, groups, objective.name) >= task.optimum(objective.name) - 1e-12


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@given(task=tasks(), seed=st.integers(0, 3))
@examples(20)
def test_the_same_seed_gives_the_same_groups_and_inputs_are_untouched(
    algorithm: Algorithm, task: Task, seed: int
) -> None:
    problem = problem_of(task.table, task.models, Lm())
    arrays: list[np.ndarray[Any, Any]] = [problem.rank_of, problem.aim.secret_of, *map(np.asarray, problem.costs)]
    before = [array.copy() for array in arrays]
    assert _group(algorithm, problem, seed) == _group(algorithm, problem, seed)
    assert all(np.array_equal(old, new) for old, new in zip(before, arrays, strict=True))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@given(seed=st.integers(0, 3), k=st.sampled_from([2, 5]))
@examples(3)
def test_any_number_of_threads_gives_the_same_groups(algorithm: Algorithm, seed: int, k: int) -> None:
    problem = problem_of(_many_rows(3000), models_of(k, Fraction(2)), Lm())  # several pieces of work for each thread
    assert _group(algorithm, problem, seed, threads=2) == _group(algorithm, problem, seed, threads=1)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("algorithm", ANYTIME)
@given(task=tasks(), rounds=st.integers(0, 5), seed=st.integers(0, 3))
@examples(15)
def test_the_effort_that_was_reported_repeats_a_search_that_was_stopped(
    algorithm: Algorithm, objective: CellMeasure, task: Task, rounds: int, seed: int
) -> None:
    problem = problem_of(task.table, task.models, objective)
    asked = itertools.count(1)
    stopped = algorithm.partition(problem, Terms(seed, spent=lambda: float(next(asked) > rounds)))
    again = algorithm.partition(problem, Terms(seed, effort=int(stopped.facts["effort"])))
    assert again.group_of.tolist() == stopped.group_of.tolist()
    assert (again.facts, again.losses) == (stopped.facts, stopped.losses)


@pytest.mark.parametrize("algorithm", ANYTIME)
@pytest.mark.parametrize("rounds", range(6))
def test_a_search_that_nothing_can_improve_any_more_is_repeated(algorithm: Algorithm, rounds: int) -> None:
    rows = [(value,) for value in "a" * 25 + "b" * 7 + "c" * 5]
    table = naive.Table(rows, [naive.Tree({"b": "N", "c": "N", "a": "*", "N": "*"})], (1.0,), [None] * len(rows))
    problem = problem_of(table, models_of(4, None), Lm())
    asked = itertools.count(1)
    stopped = algorithm.partition(problem, Terms(spent=lambda: float(next(asked) > rounds)))
    again = algorithm.partition(problem, Terms(effort=int(stopped.facts["effort"])))
    assert (again.group_of.tolist(), again.facts) == (stopped.group_of.tolist(), stopped.facts)
    groups = naive.groups_of(stopped.group_of.tolist())
    assert stopped.losses[-1] == pytest.approx(naive.loss(table, groups, "lm"), abs=1e-6)


@pytest.mark.parametrize("algorithm", ANYTIME)
@given(task=tasks(), effort=st.integers(1, 30))
@examples(20)
def test_a_search_spends_its_effort_and_says_what_it_reached(algorithm: Algorithm, task: Task, effort: int) -> None:
    told: list[float] = []
    terms = Terms(effort=effort, progress=lambda done, _note: told.append(done))
    found = algorithm.partition(problem_of(task.table, task.models, Lm()), terms)
    groups = naive.groups_of(found.group_of.tolist())
    assert found.losses[-1] == pytest.approx(naive.loss(task.table, groups, "lm"), abs=1e-6)
    assert found.facts["effort"] == effort or found.losses[-1] == 0 or len(groups) == 1
    assert told == sorted(told)
    assert len(told) == len(found.losses)
    assert told[-1] == 1 or found.losses[-1] == 0 or len(groups) == 1


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@given(table=tables(max_rows=1, min_rows=1), k=st.integers(2, 5), more=st.integers(0, 30))
@examples(10)
def test_identical_rows_cost_nothing(
    algorithm: Algorithm, objective: CellMeasure, table: naive.Table, k: int, more: int
) -> None:
    rows = k + more
    same = naive.Table([table.rows[0]] * rows, table.columns, table.weights, [None] * rows)
    groups = _group(algorithm, problem_of(same, models_of(k, None), objective))
    assert naive.loss(same, groups, objective.name) == 0


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@given(table=tables(max_rows=12))
@examples(10)
def test_k_of_all_rows_puts_them_into_one_group(algorithm: Algorithm, table: naive.Table) -> None:
    assert len(_group(algorithm, problem_of(table, models_of(len(table.rows), None), Lm()))) == 1


EDGES = {
    "all rows are equal": naive.Table([("1", "a")] * 30, [naive.Numbers(), TREE], (), ["x", "y", "z"] * 10),
    "all rows differ": naive.Table(
        [(str(row * row), "abcdefgh"[row % 8]) for row in range(30)], [naive.Numbers(), TREE], (), ["x", "y", "z"] * 10
    ),
    "all numbers are missing but one": naive.Table(
        [(None if row else "5", "a") for row in range(30)], [naive.Numbers(), TREE], (), ["x", "y", "z"] * 10
    ),
    "one column": naive.Table([(str(row % 9),) for row in range(30)], [naive.Numbers()], (), ["x", "y", "z"] * 10),
    "30 columns": _wide(30),
    "32 columns of which some rows have none": _half_missing(32),  # at a unit of 2 ** 24 a row could cost 2 ** 29
    "33 columns of which some rows have none": _half_missing(33),
}


@pytest.mark.parametrize("diversity", [None, Fraction(3, 2), Fraction(3)], ids=["k alone", "l = 1.5", "l at its limit"])
@pytest.mark.parametrize("k", [2, 14, 15, 16, 29, 30])
@pytest.mark.parametrize("table", EDGES.values(), ids=EDGES)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_tables_at_the_edge_are_grouped(
    algorithm: Algorithm, table: naive.Table, k: int, diversity: Fraction | None
) -> None:
    found = algorithm.partition(problem_of(table, models_of(k, diversity), Lm()), Terms())
    groups = naive.groups_of(found.group_of.tolist())
    assert sorted(row for members in groups for row in members) == list(range(30))
    assert all(naive.keeps(table, members, k, diversity) for members in groups)
    if algorithm.anytime:
        assert found.losses[-1] == pytest.approx(naive.loss(table, groups, "lm"), abs=1e-6), "it knows what it does"
