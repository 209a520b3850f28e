"""Sequential clustering does what algorithms 1 to 3 say, for every kind of column and of price."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from fractions import Fraction
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_cli.algorithms import passes
from kanon_cli.algorithms.base import GroupArray, Grouping, Terms
from kanon_cli.algorithms.sequential import Sequential
from kanon_cli.kernels.clusters import Clusters, gather
from kanon_cli.kernels.costs import price_all
from kanon_cli.measures.base import CellMeasure
from kanon_cli.measures.entropy import Entropy
from kanon_cli.measures.lm import Lm
from kanon_cli.measures.mi import Mi
from kanon_cli.problem import Problem, kept_prices
from tests import naive
from tests.contracts.parts import OBJECTIVES
from tests.naive.sequential import Diverse
from tests.naive.sequential import Sequential as LineByLine
from tests.strategies import Task, models_of, priced_as, problem_of, tables, tasks

ALLOWED = Fraction(6, 5)
FORMS = ["as ever", "formulas", "wide labels", "trees as spans", "trees as spans by formula"]


def _partition(problem: Problem, seed: int = 0, **options: object) -> Grouping:
    return Sequential(**options).partition(problem, Terms(seed))


def _cost(problem: Problem, rows: Sequence[int]) -> int:
    ranks = problem.rank_of[:, list(rows)].astype(np.int64)
    kept = kept_prices(problem.costs, problem.rank_of[:, list(rows)])
    return int(price_all(problem.costs, ranks.min(axis=1), ranks.max(axis=1))) * len(rows) - kept


def _total(problem: Problem, grouping: Grouping) -> int:
    return sum(_cost(problem, rows) for rows in naive.groups_of(grouping.group_of.tolist()))


@pytest.mark.parametrize("objective", [*OBJECTIVES, pytest.param(Mi(), id="mi")])
@pytest.mark.parametrize("form", FORMS)
@given(
    table=tables(max_rows=24),
    k=st.integers(2, 5),
    seed=st.integers(0, 5),
    alpha=st.sampled_from([0.5, 1.0]),
    omega=st.sampled_from([1.25, 1.5, 2.0]),
    split=st.sampled_from(["at-once", "after-pass"]),
    passes=st.sampled_from([1, 2, 50]),
)
@settings(max_examples=30, deadline=None)
def test_the_groups_are_those_of_the_algorithm_done_line_by_line(
    form: str,
    objective: CellMeasure,
    table: naive.Table,
    k: int,
    seed: int,
    alpha: float,
    omega: float,
    split: str,
    passes: int,
) -> None:
    k = min(k, len(table.rows))
    with priced_as(form):
        problem = problem_of(table, models_of(k, None), objective, kept=True)
        found = _partition(problem, seed, alpha=alpha, omega=omega, split=split, passes=passes)
    rng = np.random.default_rng(seed)
    rows = problem.rows
    count = max(rows // max(int(alpha * k), 1), 1)
    order = rng.permutation(rows).tolist()
    start = [order[at::count] for at in range(count)]
    slow = LineByLine(lambda members: _cost(problem, members), k, omega, split == "at-once", passes)
    orders = (rng.permutation(rows).tolist() for _ in itertools.count())
    assert naive.groups_of(found.group_of.tolist()) == slow.run(start, orders)


@st.composite
def _diverse_tasks(draw: st.DrawFn) -> Task:
    """Tasks with an l that many random groups keep, so that not all of them end at step 3 of algorithm 2."""
    table = draw(tables(max_rows=24, min_rows=8))
    rows = len(table.rows)
    secrets = draw(st.permutations([*"vwxyz" * (rows // 5 + 1)][:rows]))
    l = draw(st.sampled_from([Fraction(11, 10), Fraction(4, 3), Fraction(2)]))  # noqa: E741  the papers' own name
    return Task(naive.Table(table.rows, table.columns, table.weights, secrets), draw(st.integers(3, 6)), l)


@pytest.mark.parametrize("objective", [Lm(), Entropy()], ids=["lm", "entropy"])
@given(
    task=_diverse_tasks(),
    seed=st.integers(0, 5),
    alpha=st.sampled_from([0.5, 1.0]),
    omega=st.sampled_from([1.25, 1.5, 2.0]),
    split=st.sampled_from(["at-once", "after-pass"]),
)
@settings(max_examples=200, deadline=None)
def test_diverse_groups_are_those_of_algorithms_2_and_3_done_line_by_line(
    objective: CellMeasure, task: Task, seed: int, alpha: float, omega: float, split: str
) -> None:
    problem = problem_of(task.table, task.models, objective, kept=True)
    found = _partition(problem, seed, alpha=alpha, omega=omega, split=split, judged="all")
    rng, value = np.random.default_rng(seed), problem.aim.secret_of[0].tolist()
    sides: list[list[bool]] = []

    def orders() -> Iterator[list[int]]:
        while True:
            order = rng.permutation(problem.rows).tolist()
            sides.append(rng.integers(0, 2, problem.rows).astype(bool).tolist())
            yield order

    def is_diverse(rows: Sequence[int]) -> bool:
        return naive.keeps(task.table, rows, 1, task.diversity)

    slow = Diverse(
        lambda members: _cost(problem, members),
        *(task.k, omega, split == "at-once", 50, is_diverse, value, lambda row: sides[-1][row]),
    )
    order = rng.permutation(problem.rows).tolist()
    count = max(problem.rows // max(int(alpha * task.k), 1), 1)
    start = slow.begin(order, count, lambda count: rng.permutation(count).tolist())
    assert naive.groups_of(found.group_of.tolist()) == slow.run(start, orders())


@pytest.mark.parametrize("judged", ["grown", "all"])
@pytest.mark.parametrize("form", FORMS)
@given(task=tasks(), seed=st.integers(0, 3))
@settings(max_examples=30, deadline=None)
def test_the_promise_is_kept_in_every_form(form: str, judged: str, task: Task, seed: int) -> None:
    with priced_as(form):
        found = _partition(problem_of(task.table, task.models, Entropy()), seed, judged=judged)
    assert all(task.keeps(members) for members in naive.groups_of(found.group_of.tolist()))


@given(table=tables(max_rows=30, min_rows=8), seed=st.integers(0, 3))
@settings(max_examples=30, deadline=None)
def test_more_starts_never_cost_more(table: naive.Table, seed: int) -> None:
    problem = problem_of(table, models_of(4, None), Lm())
    once = _partition(problem, seed)
    thrice = _partition(problem, seed, restarts=3)
    assert _total(problem, thrice) <= _total(problem, once)
    assert (once.facts["starts"], thrice.facts["starts"]) == (1, 3)


@given(table=tables(max_rows=30, min_rows=8), seed=st.integers(0, 3))
@settings(max_examples=30, deadline=None)
def test_the_best_of_several_start_sizes_is_kept(table: naive.Table, seed: int) -> None:
    problem = problem_of(table, models_of(4, None), Lm())
    usual = _partition(problem, seed, alpha=0.5)
    same = _partition(problem, seed, alpha=1.0, k0=[2])
    assert same.group_of.tolist() == usual.group_of.tolist(), "k0 stands for alpha * k"
    several = _partition(problem, seed, k0=[2, 1, 4], restarts=2)
    assert _total(problem, several) <= _total(problem, usual)
    assert several.facts["starts"] == 6


def test_a_start_size_beyond_k_is_k() -> None:
    rows = [(str(number),) for number in range(20)]
    problem = problem_of(naive.Table(rows, [naive.Numbers()], (), ["x"] * 20), models_of(3, None), Lm())
    assert _partition(problem, k0=[99]).group_of.tolist() == _partition(problem, k0=[3]).group_of.tolist()


def _mixed(rows: int, every: int) -> naive.Table:
    """Numbers in a row; one row in so many has another sensitive value."""
    return naive.Table(
        [(str(number),) for number in range(rows)],
        [naive.Numbers()],
        (),
        ["y" if number % every == 0 else "x" for number in range(rows)],
    )


def test_where_the_start_falls_short_all_rows_become_one_group_if_all_groups_are_judged() -> None:
    problem = problem_of(_mixed(60, 6), Task(_mixed(60, 6), 4, ALLOWED).models, Lm())
    heard: list[str] = []
    strict = Sequential(judged="all").partition(problem, Terms(warn=heard.append))
    assert (strict.groups, strict.facts["fell_back"], len(heard)) == (1, True, 1)
    assert _partition(problem).groups > 1


def test_groups_that_always_kept_their_caps_need_no_repair() -> None:
    task = Task(_mixed(60, 3), 6, ALLOWED)
    found = _partition(problem_of(task.table, task.models, Lm()), judged="all", alpha=1.0)
    assert "fell_back" not in found.facts
    assert found.groups > 1
    assert all(task.keeps(members) for members in naive.groups_of(found.group_of.tolist()))


@given(table=tables(max_rows=40, min_rows=20), seed=st.integers(0, 3))
@settings(max_examples=30, deadline=None)
def test_a_pass_that_runs_out_of_room_goes_on_in_a_larger_one(table: naive.Table, seed: int) -> None:
    problem = problem_of(table, models_of(4, None), Lm())

    def tight(search: passes.Search, group_of: GroupArray) -> Clusters:
        return gather(search.layers, problem.costs, problem.aim, group_of, int(group_of.max()) + 2)

    roomy = _partition(problem, seed, omega=1.25)
    with patch.object(passes.Search, "gather", tight):
        assert _partition(problem, seed, omega=1.25).group_of.tolist() == roomy.group_of.tolist()
