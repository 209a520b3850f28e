"""Boxes of ranks become the cells of the contract."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from kanon_cli.tables import decode
from kanon_cli.tables.kinds import Kind
from tests.strategies import text_column
from tests.tables.test_domains import CITIES, domain_of


def cells_of(
    values: list[str | None], kind: Kind, groups: list[int], numeric: str = "interval"
) -> dict[str, list[str | None]]:
    """What the rows are released as when they are grouped so."""
    domain = domain_of(values, kind)
    group_of = np.array(groups, dtype=np.int32)
    lo = np.array([domain.rank_of[group_of == g].min() for g in range(max(groups) + 1)], dtype=np.int32)
    hi = np.array([domain.rank_of[group_of == g].max() for g in range(max(groups) + 1)], dtype=np.int32)
    cells = decode.release_cells("q", domain, decode.Boxes(lo, hi, group_of), numeric, pa.string())
    return {name: [column.text[code] for code in column.code_of] for name, column in cells.items()}


@pytest.mark.parametrize(
    ("values", "kind", "cells"),
    [
        (["28", "37"], Kind("numeric"), "[28-37]"),
        (["-5", "-1"], Kind("numeric"), "[-5--1]"),
        ([" 1.5", "2e3 "], Kind("numeric"), "[1.5-2e3]"),
        (["28", None], Kind("numeric"), "*"),
        (["007", "007"], Kind("numeric"), "007"),
        (["2020-01-01", "2020-03-31"], Kind("date"), "[2020-01-01/2020-03-31]"),
        (["2020-01-01", "2020-03-31"], Kind("date", calendar=True), "2020-Q1"),
        (["2020-03-01", "2020-03-31"], Kind("date", calendar=True), "2020-03"),
        (["2019-12-31", "2020-01-01"], Kind("date", calendar=True), "*"),
        (["Oslo", "Bergen"], Kind(taxonomy=CITIES), "Norway"),
        (["Oslo", "Rome"], Kind(taxonomy=CITIES), "*"),
        (["Oslo", None], Kind(taxonomy=CITIES), "*"),
        (["Oslo", "Oslo"], Kind(taxonomy=CITIES), "Oslo"),
        (["47918", "47912"], Kind(mask=5), "4791*"),
        (["47918", "57912"], Kind(mask=5), "*"),
        (["b", "a"], Kind(), "*"),
        (["b", "a"], Kind(as_set=True), "{a|b}"),
        (["b", None], Kind(as_set=True), "*"),
        (["21", "24"], Kind("numeric", intervals=(Decimal(5),)), "[20-24]"),
        (["0.1", "0.15"], Kind("numeric", intervals=(Decimal("0.2"),)), "[0-0.2)"),
        ([None, None], Kind("numeric"), None),
    ],
)
def test_a_group_is_released_as(values: list[str | None], kind: Kind, cells: str | None) -> None:
    assert cells_of(values, kind, [0] * len(values)) == {"q": [cells] * len(values)}


def test_a_set_holds_only_the_values_of_its_group() -> None:
    assert cells_of(["a", "b", "c", "d"], Kind(as_set=True), [0, 1, 0, 1]) == {
        "q": ["{a|c}", "{b|d}", "{a|c}", "{b|d}"]
    }


def test_bounds_are_two_columns_and_missing_where_a_missing_value_is_covered() -> None:
    cells = cells_of(["28", "37", "5", None], Kind("numeric"), [0, 0, 1, 1], "bounds")
    assert cells == {"q_min": ["28", "28", None, None], "q_max": ["37", "37", None, None]}


def test_a_midpoint_lies_half_way() -> None:
    assert cells_of(["28", "37"], Kind("numeric"), [0, 0], "midpoint") == {"q": ["32.5", "32.5"]}
    long = "123456789012345678901234567890"
    assert cells_of([long + "1", long + "2"], Kind("numeric"), [0, 0], "midpoint")["q"] == [long + "1.5"] * 2


def test_rows_are_sorted_by_all_cells_and_missing_comes_last() -> None:
    columns = [decode.release_plain(text_column(values)) for values in (["b", "a", None, "a"], ["x", "y", "z", "x"])]
    assert decode.sorted_order(columns).tolist() == [3, 1, 0, 2]


def test_different_ranks_with_one_cell_have_one_code() -> None:
    cells = decode.Cells.merging(np.array([0, 1, 2], dtype=np.int32), ["*", "a", "*"], pa.string())
    assert cells.code_of.tolist() == [0, 1, 0]
    assert cells.text == ["*", "a"]


def test_numbers_take_the_narrowest_type_that_holds_them_exactly() -> None:
    types = [
        decode.release_cells(
            "q", domain_of([text], Kind("numeric")), decode.Boxes(*np.zeros((3, 1), dtype=np.int32)), "midpoint", None
        )["q"].arrow_type
        for text in ("5", "0.1", "9223372036854775808.5", "9223372036854775807")
    ]
    assert types == [pa.int64(), pa.float64(), pa.string(), pa.int64()]
