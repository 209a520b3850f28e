"""Mondrian cuts where it says it does, for every kind of column and of price."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_cli.algorithms.base import Terms
from kanon_cli.algorithms.mondrian import Mondrian
from kanon_cli.kernels.costs import LINE
from kanon_cli.measures.base import CellMeasure
from kanon_cli.measures.lm import Lm
from kanon_cli.problem import Problem
from tests import naive
from tests.contracts.parts import OBJECTIVES
from tests.kernels.pricing import ancestor, price
from tests.naive.mondrian import Attribute
from tests.naive.mondrian import Mondrian as AsWritten
from tests.strategies import Task, models_of, problem_of, tasks

CUTS = ("costliest", "widest", "children")


def _attribute(problem: Problem, column: int, cut: str) -> Attribute:
    """A column as the twin reads it."""
    costs = problem.costs
    last = int(costs.ranks[column]) - 1

    def size(low: int, high: int) -> float:
        if cut == "costliest" or costs.form[column] == LINE:
            return float(price(costs, column, low, high))
        return float((high - low) * costs.scale[column] / max(last, 1))

    def joint(low: int, high: int) -> int:
        return int(ancestor(costs, column, low, high))

    missing = last if costs.has_missing[column] else None
    return Attribute(problem.rank_of[column].tolist(), size, joint if costs.is_tree[column] else None, missing)


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("objective", OBJECTIVES)
@given(task=tasks(max_rows=30, of_papers=True), strict=st.booleans())
@settings(max_examples=50, deadline=None)
def test_the_groups_are_those_of_the_algorithm_on_plain_lists(
    objective: CellMeasure, cut: str, task: Task, strict: bool
) -> None:
    problem = problem_of(task.table, task.models, objective)
    found = Mondrian(strict=strict, cut=cut).partition(problem, Terms())
    attributes = [_attribute(problem, column, cut) for column in range(len(problem.rank_of))]
    has_secrets = len(problem.aim.values) > 0
    twin = AsWritten(attributes, problem.rows, task.k, task.keeps, has_secrets, strict, cut)
    assert naive.groups_of(found.group_of.tolist()) == twin.run()


def _groups(table: naive.Table, k: int, cut: str) -> list[list[int]]:
    found = Mondrian(cut=cut).partition(problem_of(table, models_of(k, None), Lm()), Terms())
    return naive.groups_of(found.group_of.tolist())


def test_a_taxonomy_is_cut_into_all_children_or_in_two() -> None:
    tree = naive.Tree({"a": "A", "b": "A", "c": "C", "d": "C", "e": "E", "f": "E", "A": "*", "C": "*", "E": "*"})
    table = naive.Table([(letter,) for letter in "ababcdcdefef"], [tree], (), ["x"] * 12)
    thirds = [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
    assert _groups(table, 4, "children") == _groups(table, 4, "widest") == thirds
    uneven = naive.Table([(letter,) for letter in "ababcdcdcdef"], [tree], (), ["x"] * 12)
    assert _groups(uneven, 4, "children") == [list(range(12))], "one child is too small"
    assert _groups(uneven, 4, "widest") == [[0, 1, 2, 3], list(range(4, 12))]


def test_only_the_median_is_tried_where_the_paper_says_so() -> None:
    rows = [(value,) for value in "1115555559"]
    table = naive.Table(rows, [naive.Numbers()], (), ["x"] * 10)
    assert _groups(table, 3, "costliest") == [[0, 1, 2], list(range(3, 10))]
    assert _groups(table, 3, "widest") == [list(range(10))]
