"""Bisecting does what its paper says, for every kind of column and of price."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_cli.algorithms.base import Terms
from kanon_cli.algorithms.bisecting import Bisecting
from kanon_cli.kernels.boxes import coordinates
from kanon_cli.kernels.climbs import climbs
from kanon_cli.kernels.costs import LINE, price_all
from kanon_cli.measures.base import CellMeasure
from kanon_cli.measures.il import Il
from kanon_cli.measures.lm import Lm
from kanon_cli.problem import Problem
from tests import naive
from tests.contracts.parts import OBJECTIVES
from tests.kernels.pricing import ancestor, price
from tests.naive.bisecting import Attribute
from tests.naive.bisecting import Bisecting as AsWritten
from tests.strategies import Task, models_of, problem_of, tables, tasks


def _attribute(problem: Problem, column: int) -> Attribute:
    """A column as the twin reads it; on a line places are positions, elsewhere ranks."""
    costs = problem.costs
    last = int(costs.ranks[column]) - 1
    at = int(costs.position_at[column])
    position = costs.position[at : at + last + 1].tolist()
    is_line = bool(costs.form[column] == LINE)

    def cost(low: int, high: int) -> int:
        return min(high - low, int(costs.full[column])) if is_line else int(price(costs, column, low, high))

    missing = (position[last] if is_line else last) if costs.has_missing[column] else None
    places = coordinates(costs, problem.rank_of)[:, column].tolist()
    return Attribute(places, cost, bool(costs.is_tree[column]), missing)


class Draws:
    """The numbers that kanon's explicit random states give."""

    def __init__(self, seed: int) -> None:
        self.state = int(np.random.default_rng(seed).integers(1, 1 << 63))

    def __call__(self, limit: int) -> int:
        """A number below the limit."""
        state = self.state
        state ^= state << 13 & (1 << 64) - 1
        state ^= state >> 7
        self.state = state ^ (state << 17 & (1 << 64) - 1)
        return (self.state >> 32) * limit >> 32


def _twin(task: Task, problem: Problem, rounds: int, seed: int) -> AsWritten:
    attributes = [_attribute(problem, column) for column in range(len(problem.rank_of))]
    codes = problem.aim.secret_of[0].tolist() if len(problem.aim.secret_of) else [0] * problem.rows
    return AsWritten(attributes, codes, task.keeps, task.k, rounds, Draws(seed))


@pytest.mark.parametrize("objective", OBJECTIVES)
@given(task=tasks(max_rows=24, of_papers=True), seed=st.integers(0, 5), rounds=st.sampled_from([1, 2, 6]))
@settings(max_examples=60, deadline=None)
def test_the_groups_are_those_of_the_paper(objective: CellMeasure, task: Task, seed: int, rounds: int) -> None:
    problem = problem_of(task.table, task.models, objective)
    found = Bisecting(rounds=rounds).partition(problem, Terms(seed))
    assert naive.groups_of(found.group_of.tolist()) == _twin(task, problem, rounds, seed).run()


@given(table=tables(max_rows=40, min_rows=12), seed=st.integers(0, 3))
@settings(max_examples=20, deadline=None)
def test_more_starts_never_cost_more(table: naive.Table, seed: int) -> None:
    problem = problem_of(table, models_of(3, None), Il())

    def cost(restarts: int) -> float:
        found = Bisecting(restarts=restarts, rounds=2).partition(problem, Terms(seed))
        return naive.loss(table, naive.groups_of(found.group_of.tolist()), "il")

    assert cost(4) <= cost(1) + 1e-6


def test_a_group_that_cannot_be_halved_is_dealt_out_by_sensitive_values() -> None:
    """Two far clusters, each of one sensitive value: whatever halves they have, neither is diverse."""
    rows = [(str(1000 * (row % 2) + row // 2),) for row in range(40)]
    table = naive.Table(rows, [naive.Numbers()], (), ["xy"[row % 2] for row in range(40)])
    task = Task(table, 4, Fraction(2))
    found = Bisecting(rounds=1).partition(problem_of(table, task.models, Lm()), Terms())
    assert (found.facts["dealt"], found.groups) == (1, 10)
    assert all(task.keeps(members) for members in naive.groups_of(found.group_of.tolist()))


@given(table=tables())
@settings(max_examples=60, deadline=None)
def test_climbing_a_tree_meets_all_that_covers_two_leaves(table: naive.Table) -> None:
    costs = problem_of(table, models_of(2, None), Lm()).costs
    trees = climbs(costs)
    for column in np.flatnonzero(costs.is_tree).tolist():
        first, ranks = int(trees.at[column]), int(costs.ranks[column])
        for low in range(ranks):
            for high in range(low + 1, ranks):
                node = low
                while node >= 0 and node != ranks + ancestor(costs, column, low, high):
                    node = int(trees.above[first + node])
                assert node >= 0
                assert trees.price[first + node] == price_all(
                    costs, *(np.where(np.arange(len(costs.ranks)) == column, rank, 0) for rank in (low, high))
                )
