"""The curve, the cuts and the example of the paper."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_cli.algorithms.base import Terms, finish
from kanon_cli.algorithms.hilbert import Hilbert
from kanon_cli.kernels.boxes import coordinates, tariff
from kanon_cli.kernels.costs import price_all
from kanon_cli.kernels.hilbert import hilbert_keys
from kanon_cli.kernels.lines import cut_line
from kanon_cli.measures.base import CellMeasure
from kanon_cli.measures.lm import Lm
from kanon_cli.problem import Problem
from tests import naive
from tests.contracts.parts import OBJECTIVES
from tests.naive.hilbert import best_cuts, place_on_curve, stretch
from tests.strategies import Task, models_of, problem_of, tasks

EXAMPLE = {(0, 0, 0, 0): 0, (1, 1, 1, 0): 9, (0, 0, 0, 2): 118, (1, 1, 1, 2): 123, (2, 2, 2, 0): 220, (2, 2, 2, 2): 162}
BITS = naive.Tree(dict.fromkeys("ab", "*"))


def _keys(points: Sequence[Sequence[int]], order: int) -> list[int]:
    """Places on the curve as whole numbers of any length."""
    columns = len(points[0])
    words = hilbert_keys(np.array(points, dtype=np.int32).T.copy(), order).astype(object)
    last = columns * order - 62 * (len(words) - 1)
    key = words[0]
    for at, word in enumerate(words[1:], start=1):
        key = key * 2 ** (62 if at < len(words) - 1 else last) + word
    return [int(place) for place in key]


def _cost(problem: Problem, rows: Sequence[int]) -> int:
    ranks = problem.rank_of[:, list(rows)].astype(np.int64)
    return int(price_all(problem.costs, ranks.min(axis=1), ranks.max(axis=1))) * len(rows)


def test_the_example_of_table_1_comes_out() -> None:
    assert dict(zip(EXAMPLE, _keys(list(EXAMPLE), 2), strict=True)) == EXAMPLE


def test_rescaling_finds_the_best_groups_of_the_example() -> None:
    """Section 6.2.3: k / 2 rows of each of four records; suppressed cells are 6k without rescaling, and 2k with it."""
    k = 6
    records = [(0, 0, 0, 0), (1, 1, 1, 0), (0, 0, 0, 2), (1, 1, 1, 2)]
    records = [record for record in records for _ in range(k // 2)]
    table = naive.Table([["ab"[value > 0] for value in record] for record in records], [BITS] * 4, (), ["x"] * 2 * k)
    problem = problem_of(table, models_of(k, None), Lm())
    line = np.argsort(_keys(records, 2), kind="stable")
    plain, _ = cut_line(
        line, coordinates(problem.costs, problem.rank_of), tariff(problem.costs), problem.aim, 2 * k - 1
    )
    groups = [line[start : start + k].tolist() for start in plain.tolist()]
    assert naive.loss(table, groups, "lm") * 8 * k == pytest.approx(6 * k)
    found = Hilbert().partition(problem, Terms())
    assert naive.loss(table, naive.groups_of(found.group_of.tolist()), "lm") * 8 * k == pytest.approx(2 * k)


@pytest.mark.parametrize(("columns", "order"), [(1, 5), (2, 4), (3, 3), (4, 2), (9, 1)])
def test_the_curve_goes_step_by_step_through_all_points(columns: int, order: int) -> None:
    points = list(itertools.product(range(2**order), repeat=columns))
    by_place = sorted(zip(_keys(points, order), points, strict=True))
    assert [place for place, _ in by_place] == list(range(len(points)))
    steps = [
        sum(abs(a - b) for a, b in zip(here, there, strict=True))
        for (_, here), (_, there) in itertools.pairwise(by_place)
    ]
    assert set(steps) == {1}


@given(data=st.data(), columns=st.integers(1, 9), order=st.integers(1, 17))
@settings(max_examples=40, deadline=None)
def test_places_are_those_of_the_formulas(data: st.DataObject, columns: int, order: int) -> None:
    point = st.lists(st.integers(0, 2**order - 1), min_size=columns, max_size=columns)
    points = data.draw(st.lists(point, min_size=1, max_size=5))
    assert _keys(points, order) == [place_on_curve(point, order) for point in points]


@pytest.mark.parametrize("objective", OBJECTIVES)
@given(task=tasks(max_rows=24, of_papers=True))
@settings(max_examples=60, deadline=None)
def test_the_groups_are_the_best_cuts_of_the_line(objective: CellMeasure, task: Task) -> None:
    problem = problem_of(task.table, task.models, objective)
    found = Hilbert().partition(problem, Terms())
    ranks = problem.costs.ranks.tolist()
    order = max((max(ranks) - 1).bit_length(), 1)
    points = stretch(problem.rank_of.T.tolist(), ranks, order)
    line = sorted(range(problem.rows), key=lambda row: place_on_curve(points[row], order))
    largest = 2 * task.k - 1
    while True:
        broken, groups = best_cuts(line, task.k, largest, lambda rows: _cost(problem, rows), task.keeps)
        if broken == 0 or largest >= min(len(line), 16 * task.k - 1):
            break
        largest = 2 * largest + 1
    group_of = np.empty(problem.rows, dtype=np.int32)
    for number, rows in enumerate(groups):
        group_of[rows] = number
    if broken:
        group_of, _ = finish(problem, group_of)
    assert naive.groups_of(found.group_of.tolist()) == naive.groups_of(group_of.tolist())


def test_groups_grow_until_they_can_keep_their_promise() -> None:
    """One row in seven has a value of its own, so only groups of seven neighbours hold enough of it."""
    rows = [(str(row),) for row in range(70)]
    table = naive.Table(rows, [naive.Numbers()], (), ["x" if row % 7 else "y" for row in range(70)])
    found = Hilbert().partition(problem_of(table, models_of(2, Fraction("1.15")), Lm()), Terms())
    assert (found.facts["largest"], found.facts["unified"], found.groups) == (7, 0, 10)
