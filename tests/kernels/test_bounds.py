"""What rows pay at least is what trying everything finds, and samples do not promise too much."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_cli import bounding, encoding
from kanon_cli.kernels.bounds import flatten_table, least_total, never_falling
from kanon_cli.kernels.costs import Costs
from kanon_cli.kernels.jit import kernel
from kanon_cli.kernels.levels import parents
from kanon_cli.kernels.pairs import nearest_of
from kanon_cli.kernels.windows import Line, cheapest, room_for
from kanon_cli.measures.base import CellMeasure
from kanon_cli.measures.lm import Lm
from tests import naive
from tests.contracts.parts import OBJECTIVES
from tests.strategies import models_of, problem_of, tables

NEAR = 1e-6  # prices and limits are rounded


@kernel
def _cheapest(line: Line, places: int, costs: Costs, column: int, k: int) -> None:
    cheapest(line, places, costs, column, k)


@pytest.mark.parametrize("table_ranks", [0, encoding.TABLE_RANKS], ids=["formulas", "tables"])
@pytest.mark.parametrize("objective", OBJECTIVES)
@given(table=tables(max_rows=7), k=st.integers(2, 4))
@settings(max_examples=30, deadline=None)
def test_the_exact_limit_is_what_trying_all_cells_finds(
    objective: CellMeasure, table_ranks: int, table: naive.Table, k: int
) -> None:
    k = min(k, len(table.rows))
    with patch.object(encoding, "TABLE_RANKS", table_ranks):
        problem = problem_of(table, models_of(k, None), objective)
    bound = bounding.lower_bound(problem, 0)
    assert (bound.kind, bound.rows, bound.confidence) == ("exact-k1", len(table.rows), 1)
    least = naive.hiding_loss(table, k, objective.name)
    assert bound.loss <= least
    if objective.line == "width" or table_ranks:  # entropy inside long lines is limited from below only
        assert bound.loss == pytest.approx(least, abs=NEAR)


@pytest.mark.parametrize("objective", OBJECTIVES)
@given(table=tables(max_rows=8), k=st.integers(2, 4))
@settings(max_examples=30, deadline=None)
def test_the_nearest_rows_are_those_of_all_pairs(objective: CellMeasure, table: naive.Table, k: int) -> None:
    rows = len(table.rows)
    k = min(k, rows)
    problem = problem_of(table, models_of(k, None), objective)
    costs = never_falling(problem.costs)
    weight, columns = np.ones(rows, dtype=np.int64), np.arange(len(table.columns))
    found = np.empty(rows, dtype=np.int64)
    nearest_of(np.arange(rows), problem.rank_of, weight, k, costs, columns, found)
    unit = int(problem.costs.unit) * len(table.columns) / sum(table.weights)
    for row in range(rows):
        prices = sorted(naive.pair_price(table, row, other, objective.name) for other in range(rows) if other != row)
        assert found[row] / unit == pytest.approx(prices[k - 2], abs=NEAR)


@given(
    steps=st.lists(st.integers(1, 5), min_size=1, max_size=12),
    counts=st.lists(st.integers(1, 4), min_size=12, max_size=12),
    k=st.integers(1, 6),
)
@settings(max_examples=100, deadline=None)
def test_windows_are_the_cheapest_of_all_intervals(steps: list[int], counts: list[int], k: int) -> None:
    places, rows = len(steps), counts[: len(steps)]
    k = min(k, sum(rows))
    values = np.cumsum(steps).tolist()
    row_values = [(str(value),) for value, count in zip(values, rows, strict=True) for _ in range(count)]
    costs = problem_of(
        naive.Table(row_values, [naive.Numbers()], [1.0], [None] * len(row_values)), models_of(2, None), Lm()
    ).costs
    line = room_for(places)
    line.rank[:] = np.arange(places)
    line.before[1:] = np.cumsum(rows)
    _cheapest(line, places, costs, 0, k)
    span = max(values[-1] - values[0], 1)
    for place in range(places):
        widths = [
            values[last] - values[first]
            for first in range(place + 1)
            for last in range(place, places)
            if sum(rows[first : last + 1]) >= k
        ]
        assert line.least[place] / int(costs.unit) == pytest.approx(min(widths) / span, abs=NEAR)


@given(ranks=st.integers(1, 6), data=st.data())
@settings(max_examples=50, deadline=None)
def test_a_flattened_table_has_the_least_price_of_all_intervals_around(ranks: int, data: st.DataObject) -> None:
    prices = data.draw(st.lists(st.integers(0, 99), min_size=ranks * ranks, max_size=ranks * ranks))
    table = np.array(prices, dtype=np.int32)
    flatten_table(table, ranks)
    for lo in range(ranks):
        for hi in range(lo + 1, ranks):
            around = [prices[low * ranks + high] for low in range(lo + 1) for high in range(hi, ranks)]
            assert table[lo * ranks + hi] == min(around)


def test_parents_are_found_among_the_joints() -> None:
    joint = np.array([3, 1, 4, 4, 0, 2, 5, 2], dtype=np.int64)  # 0 over 1 and 2, 1 over 3 and 4, 2 over 5
    parent = np.empty(7, dtype=np.int32)
    parents(joint, parent)
    assert parent.tolist() == [-1, 0, 0, 1, 1, 2, -2]


@pytest.mark.parametrize("largest", [10, 1000, 10**6])
def test_a_sample_promises_too_much_no_more_often_than_it_says(largest: int) -> None:
    rng = np.random.default_rng(0)
    population = (largest * rng.random(400) ** 8).astype(np.int64)
    wrong = 0
    for _ in range(600):
        drawn = rng.permutation(population)[:100]
        planned = np.full(len(drawn), 120, dtype=np.int64)
        wrong += least_total(drawn, planned, 2 * largest, 400, 20.0, np.log(20.0)) > population.sum()
    assert wrong <= 600 / 20


def test_a_large_sample_promises_much() -> None:
    rng = np.random.default_rng(0)
    population = rng.integers(400, 600, 10_000)
    drawn, planned = population[:3000], np.full(3000, 3000, dtype=np.int64)
    assert least_total(drawn, planned, 5000, 10_000, 1000.0, np.log(1000.0)) > 0.95 * population.sum()
    assert least_total(population, np.full(10_000, 10_000), 5000, 10_000, 1000.0, np.log(1000.0)) <= population.sum()
