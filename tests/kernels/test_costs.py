"""The price of an interval of ranks is what the cell would lose."""

from __future__ import annotations

import itertools
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_cli import encoding
from kanon_cli.kernels.costs import add_union_prices, price_all
from kanon_cli.measures.base import CellMeasure
from kanon_cli.measures.gcp import Gcp
from kanon_cli.measures.mi import Mi
from tests import naive
from tests.contracts.parts import OBJECTIVES
from tests.kernels.pricing import price
from tests.strategies import models_of, problem_of, tables

import numpy as np  # isort: skip


@pytest.mark.parametrize("table_ranks", [0, encoding.TABLE_RANKS], ids=["formulas", "tables"])
@pytest.mark.parametrize("objective", [*OBJECTIVES, pytest.param(Gcp(ordered=True), id="gcp ordered")])
@given(table=tables(max_rows=12), data=st.data())
@settings(max_examples=40, deadline=None)
def test_price_is_the_loss_of_the_cell(
    objective: CellMeasure, table_ranks: int, table: naive.Table, data: st.DataObject
) -> None:
    with patch.object(encoding, "TABLE_RANKS", table_ranks):
        problem = problem_of(table, models_of(2, None), objective)
    column = data.draw(st.integers(0, len(table.columns) - 1))
    members = data.draw(st.sets(st.integers(0, len(table.rows) - 1), min_size=1))
    ranks = [int(problem.rank_of[column, row]) for row in members]
    found = price(problem.costs, column, min(ranks), max(ranks)) / problem.costs.scale[column]
    name = f"{objective.name} ordered" if objective.by_rank else objective.name
    # a cell also costs for values between the bounds that no member has: the twin prices the covering node or interval
    assert found == pytest.approx(
        naive.cell_loss(table, column, sorted(members), name), abs=4 / int(problem.costs.unit)
    )


@pytest.mark.parametrize("table_ranks", [0, encoding.TABLE_RANKS], ids=["formulas", "tables"])
@given(table=tables(max_rows=12), data=st.data())
@settings(max_examples=40, deadline=None)
def test_where_kept_cells_have_prices_the_difference_is_the_loss(
    table_ranks: int, table: naive.Table, data: st.DataObject
) -> None:
    with patch.object(encoding, "TABLE_RANKS", table_ranks):
        problem = problem_of(table, models_of(2, None), Mi(), kept=True)
    column = data.draw(st.integers(0, len(table.columns) - 1))
    members = sorted(data.draw(st.sets(st.integers(0, len(table.rows) - 1), min_size=1)))
    ranks = [int(problem.rank_of[column, row]) for row in members]
    together = price(problem.costs, column, min(ranks), max(ranks)) * len(members)
    lost = together - sum(price(problem.costs, column, rank, rank) for rank in ranks)
    found = lost / len(members) / problem.costs.scale[column]
    assert found == pytest.approx(naive.cell_loss(table, column, members, "mi"), abs=8 / int(problem.costs.unit))
    assert problem.floor == sum(price_all(problem.costs, row, row) for row in problem.rank_of.T.astype(np.int64))


@pytest.mark.parametrize("table_ranks", [0, encoding.TABLE_RANKS], ids=["formulas", "tables"])
@pytest.mark.parametrize("objective", OBJECTIVES)
@given(table=tables(max_rows=12))
@settings(max_examples=20, deadline=None)
def test_the_prices_of_all_unions_at_once_are_those_one_by_one(
    objective: CellMeasure, table_ranks: int, table: naive.Table
) -> None:
    with patch.object(encoding, "TABLE_RANKS", table_ranks):
        problem = problem_of(table, models_of(2, None), objective)
    for column, ranks in enumerate(problem.costs.ranks.tolist()):
        spans = list(itertools.combinations_with_replacement(range(ranks), 2))
        lo, hi = np.array(spans, dtype=np.int32).T.copy()
        for rank in range(ranks):
            total = np.full(len(spans), 7, dtype=np.int64)
            add_union_prices(problem.costs, column, np.int32(rank), lo, hi, len(spans), total)
            assert total.tolist() == [
                7 + price(problem.costs, column, min(low, rank), max(high, rank)) for low, high in spans
            ]
