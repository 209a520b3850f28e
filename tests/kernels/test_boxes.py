"""What rows cost together with a box: the loops over a whole pool say what one price after the other says."""

from __future__ import annotations

import itertools
from unittest.mock import patch

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_cli import encoding
from kanon_cli.kernels.boxes import Tariff, add_box, add_seed, box_price, coordinates, shift_box, tariff
from kanon_cli.kernels.costs import CURVE, FLAT, LINE, TABLE, TREE, price_all
from kanon_cli.kernels.jit import kernel
from kanon_cli.kernels.pools import LANES
from kanon_cli.measures.base import CellMeasure
from kanon_cli.measures.entropy import Entropy
from kanon_cli.measures.lm import Lm
from kanon_cli.problem import Problem
from tests import naive
from tests.contracts.parts import OBJECTIVES
from tests.kernels.pricing import price
from tests.strategies import models_of, problem_of, tables

FORMS = pytest.mark.parametrize("table_ranks", [0, encoding.TABLE_RANKS], ids=["formulas", "tables"])
BEFORE = 5  # a pool's row, and a sum, that stand before those that are looked at

Flat = npt.NDArray[np.int32]


@kernel
def _one_price(costs: Tariff, column: int, lo: np.int32, hi: np.int32) -> int:
    how, whole, mass, scale = costs
    found: int = box_price(how, whole, mass, scale, column, lo, hi)
    return found


@kernel
def _with_seed(costs: Tariff, seed: np.int64, coordinate: Flat, room: np.int64, rows: np.uint64, total: Flat) -> None:
    how, whole, mass, scale = costs
    add_seed(how, whole, mass, scale, seed, coordinate, room, rows, total)


@kernel
def _with_box(
    costs: Tariff,
    column: int,
    lo: np.int32,
    hi: np.int32,
    coordinate: Flat,
    room: np.int64,
    rows: np.uint64,
    total: Flat,
    to: np.uint64,
) -> None:
    how, whole, mass, scale = costs
    add_box(how, whole, mass, scale, column, lo, hi, coordinate, room, rows, total, to)


@kernel
def _shifted(
    costs: Tariff,
    column: int,
    lo: np.int32,
    hi: np.int32,
    new_lo: np.int32,
    new_hi: np.int32,
    coordinate: Flat,
    room: np.int64,
    rows: np.uint64,
    total: Flat,
    to: np.uint64,
) -> None:
    how, whole, mass, scale = costs
    shift_box(how, whole, mass, scale, column, lo, hi, new_lo, new_hi, coordinate, room, rows, total, to)


class Pool:
    """The rows of a problem as the loops want them, column by column with padding."""

    def __init__(self, problem: Problem) -> None:
        self.costs = problem.costs
        self.tariff: Tariff = tariff(problem.costs)
        self.rank_of = problem.rank_of.astype(np.int64)
        self.of_row = coordinates(problem.costs, problem.rank_of)
        rows, columns = self.of_row.shape
        self.rows, self.columns = rows, columns
        self.room = -(-rows // LANES) * LANES
        padded = np.zeros((columns, self.room), dtype=np.int32)
        padded[:, :rows] = self.of_row.T
        self.coordinate = padded.ravel()

    def spans(self, column: int) -> list[tuple[int, int]]:
        """All boxes of a column, as ranks."""
        return list(itertools.combinations_with_replacement(range(int(self.costs.ranks[column])), 2))

    def on_ground(self, column: int, lo: int, hi: int) -> tuple[np.int32, np.int32]:
        """A box as coordinates."""
        if self.costs.form[column] != LINE:
            return np.int32(lo), np.int32(hi)
        at = self.costs.position_at[column]
        return self.costs.position[at + lo], self.costs.position[at + hi]

    def joined(self, column: int, lo: int, hi: int) -> list[int]:
        """What the column costs once each row has joined a box, one price after the other."""
        return [int(price(self.costs, column, min(lo, rank), max(hi, rank))) for rank in self.rank_of[column].tolist()]

    def sums(self) -> Flat:
        """Sums that something is in already."""
        return np.full(BEFORE + self.room, 7, dtype=np.int32)


def _pool(table: naive.Table, objective: CellMeasure, table_ranks: int) -> Pool:
    with patch.object(encoding, "TABLE_RANKS", table_ranks):
        return Pool(problem_of(table, models_of(2, None), objective))


@FORMS
@pytest.mark.parametrize("objective", OBJECTIVES)
@given(table=tables(max_rows=12))
@settings(max_examples=25, deadline=None)
def test_the_price_of_a_box_is_that_of_its_ranks(objective: CellMeasure, table_ranks: int, table: naive.Table) -> None:
    pool = _pool(table, objective, table_ranks)
    for column in range(pool.columns):
        for lo, hi in pool.spans(column):
            found = _one_price(pool.tariff, column, *pool.on_ground(column, lo, hi))
            assert found == price(pool.costs, column, lo, hi)


@FORMS
@pytest.mark.parametrize("objective", OBJECTIVES)
@given(table=tables(max_rows=40))
@settings(max_examples=25, deadline=None)
def test_what_each_row_costs_with_another_is_the_price_of_both(
    objective: CellMeasure, table_ranks: int, table: naive.Table
) -> None:
    pool = _pool(table, objective, table_ranks)
    for seed in {0, pool.rows // 2, pool.rows - 1}:
        total = np.full(pool.room, 7, dtype=np.int32)
        _with_seed(pool.tariff, np.int64(seed), pool.coordinate, np.int64(pool.room), np.uint64(pool.room), total)
        own = pool.rank_of[:, seed]
        pairs = [
            price_all(pool.costs, np.minimum(own, other), np.maximum(own, other))
            for other in np.ascontiguousarray(pool.rank_of.T)
        ]
        assert total[: pool.rows].tolist() == [7 + int(both) for both in pairs]


@FORMS
@pytest.mark.parametrize("objective", OBJECTIVES)
@given(table=tables(max_rows=40))
@settings(max_examples=25, deadline=None)
def test_what_each_row_costs_in_a_box_is_the_price_of_the_box_with_it(
    objective: CellMeasure, table_ranks: int, table: naive.Table
) -> None:
    pool = _pool(table, objective, table_ranks)
    room, rows, to = np.int64(pool.room), np.uint64(pool.room), np.uint64(BEFORE)
    for column in range(pool.columns):
        for lo, hi in pool.spans(column):
            total = pool.sums()
            _with_box(pool.tariff, column, *pool.on_ground(column, lo, hi), pool.coordinate, room, rows, total, to)
            assert total[:BEFORE].tolist() == [7] * BEFORE, "what stands before is left alone"
            assert total[BEFORE:][: pool.rows].tolist() == [7 + more for more in pool.joined(column, lo, hi)]


@FORMS
@pytest.mark.parametrize("objective", OBJECTIVES)
@given(table=tables(max_rows=12), data=st.data())
@settings(max_examples=25, deadline=None)
def test_a_box_that_changes_but_for_one_coordinate_changes_sums_by_the_difference(
    objective: CellMeasure, table_ranks: int, table: naive.Table, data: st.DataObject
) -> None:
    pool = _pool(table, objective, table_ranks)
    room, rows, to = np.int64(pool.room), np.uint64(pool.room), np.uint64(BEFORE)
    column = data.draw(st.integers(0, pool.columns - 1))
    spans = pool.spans(column)
    for (lo, hi), (new_lo, new_hi) in itertools.product(spans, spans):
        if max(lo, new_lo) > min(hi, new_hi):
            continue
        old, new = pool.on_ground(column, lo, hi), pool.on_ground(column, new_lo, new_hi)
        total = pool.sums()
        _shifted(pool.tariff, column, *old, *new, pool.coordinate, room, rows, total, to)
        prices = zip(pool.joined(column, lo, hi), pool.joined(column, new_lo, new_hi), strict=True)
        assert total[BEFORE:][: pool.rows].tolist() == [7 + after - before for before, after in prices]
        _shifted(pool.tariff, column, *new, *old, pool.coordinate, room, rows, total, to)
        assert total[: BEFORE + pool.rows].tolist() == [7] * (BEFORE + pool.rows), "and back"


def test_all_forms_are_met() -> None:
    """The tests above say nothing of a form that no column has."""
    tree = naive.Tree({"a": "N", "b": "N", "c": "*", "N": "*"})
    flat = naive.Tree({"a": "*", "b": "*"})
    rows = [("1", "a", "a"), ("5", "b", "b"), ("9", "c", "a"), (None, "a", None)]
    table = naive.Table(rows, [naive.Numbers(), tree, flat], (), ["s"] * 4)
    found = {
        int(form)
        for objective in (Lm(), Entropy())
        for table_ranks in (0, encoding.TABLE_RANKS)
        for form in _pool(table, objective, table_ranks).costs.form
    }
    assert found == {FLAT, LINE, TABLE, TREE, CURVE}
