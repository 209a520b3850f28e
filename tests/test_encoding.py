"""What the models and the columns ask becomes numbers that fit."""

from __future__ import annotations

from fractions import Fraction
from unittest.mock import patch

import pytest

from kanon_cli import aiming, encoding
from kanon_cli.kernels.costs import CURVE, FINEST_UNIT, ROW_LIMIT, TABLE
from kanon_cli.measures.entropy import Entropy
from kanon_cli.measures.lm import Lm
from kanon_cli.models.k import K
from kanon_cli.models.l_frequency import LFrequency
from tests import naive
from tests.strategies import problem_of, text_column


@pytest.mark.parametrize("diversity", [1.0000000000000002, 1.3333333333333333, 1.3, 2.0, 1234.5678901234])
@pytest.mark.parametrize("size", [10, 13, 2**31 - 1])
def test_the_cap_of_a_group_is_never_looser_than_the_promise_and_never_overflows(diversity: float, size: int) -> None:
    model = LFrequency(l=diversity, columns=("s",))
    aim = aiming.aim_of([K(k=2), model], {"s": text_column(["x", "y"])}, 2)
    a, b = aim.cap[0, :2].tolist()
    assert size * max(a, b) < 2**63
    most = size * b // a  # rows of one value that the engine allows
    assert Fraction(most, size) <= 1 / model.exact
    assert abs(Fraction(b, a) - 1 / model.exact) < Fraction(1, 2**30)


def test_an_l_of_1_asks_nothing_of_a_group() -> None:
    aim = aiming.aim_of([K(k=2), LFrequency(l=1, columns=("s",))], {"s": text_column(["x", "x"])}, 2)
    assert len(aim.values) == 0


def test_tables_of_prices_stay_below_their_limit_the_smallest_columns_first() -> None:
    rows = [(str(row), str(row % 3)) for row in range(20)]
    table = naive.Table(rows, [naive.Numbers(), naive.Numbers()], [1, 1], [None] * 20)
    with patch.object(encoding, "TABLE_CELLS", 100):
        costs = problem_of(table, [K(k=2)], Entropy()).costs
    assert costs.form.tolist() == [CURVE, TABLE]
    assert len(costs.table) == 9


@pytest.mark.parametrize("weights", [[1.0, 1.0], [1e6, 1e-6]])
@pytest.mark.parametrize("columns", [2, 200])
def test_no_row_costs_more_than_32_bits_hold(weights: list[float], columns: int) -> None:
    table = naive.Table(
        [(str(row),) * columns for row in range(9)], [naive.Numbers()] * columns, weights * (columns // 2), [None] * 9
    )
    for measure in (Lm(), Entropy()):
        costs = problem_of(table, [K(k=2)], measure).costs
        assert costs.full.sum() <= ROW_LIMIT
        assert costs.full.sum() > ROW_LIMIT // 4 or costs.unit == FINEST_UNIT


def test_the_class_label_is_the_first_sensitive_value_and_a_missing_one_is_a_label_of_its_own() -> None:
    table = naive.Table([("1",)] * 3, [naive.Numbers()], [1], ["y", None, "x"])
    assert problem_of(table, [K(k=2)], Lm()).label_of.tolist() == [1, 2, 0]
