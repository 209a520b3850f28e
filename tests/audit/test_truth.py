"""True releases pass, in any order; a single wrong cell does not."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from itertools import permutations
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_cli.audit import pairing
from kanon_cli.audit.reading import Numeric
from kanon_cli.audit.truth import check_rows, check_sets
from kanon_cli.errors import DataError
from kanon_cli.tables.columns import TextColumn
from kanon_cli.tables.kinds import Kind
from tests.audit.releases import CHOICES, KINDS, Cell, Columns, release
from tests.audit.tables import column, table

NUMERICS: list[Numeric] = ["interval", "bounds", "midpoint"]
GROUPS = [0, 0, 0, 1, 1, 2, 2, 3]


@st.composite
def originals(draw: st.DrawFn, most: int = 12) -> Columns:
    """A random table with a column of every kind."""
    rows = draw(st.integers(1, most))
    return {
        name: draw(st.lists(st.sampled_from(cells), min_size=rows, max_size=rows)) for name, cells in CHOICES.items()
    }


def reorder(columns: dict[str, TextColumn], order: Sequence[int]) -> dict[str, TextColumn]:
    """The same rows in another order."""
    return {
        name: column([[*texts.text.to_pylist(), None][texts.code_of[row]] for row in order])
        for name, texts in columns.items()
    }


def replace(columns: dict[str, TextColumn], name: str, row: int, cell: Cell) -> dict[str, TextColumn]:
    """The same table with one other cell."""
    texts = [[*columns[name].text.to_pylist(), None][code] for code in columns[name].code_of]
    texts[row] = cell
    return {**columns, name: column(texts)}


def fixed() -> Columns:
    """A table whose four groups differ in every column; no value is missing."""
    return {
        "age": ["-5", "-1", "0", "1.5", "1.5", "20", "37", "8"],
        "income": ["-15", "-13", "-11", "7", "7", "12", "99", "250"],
        "degree": ["BA", "MA", "PhD", "8th", "8th", "BA", "8th", "9th"],
        "zip": ["479", "478", "471", "300", "300", "479", "478", "3 0"],
        "born": [
            "0001-01-01",
            "1899-12-31",
            "1900-01-01",
            "2020-02-29",
            "2020-02-29",
            "1950-01-01",
            "1960-01-01",
            "1970-01-01",
        ],
        "seen": [
            "2020-01-31",
            "2020-02-29",
            "2020-03-01",
            "2021-05-05",
            "2021-05-05",
            "2020-01-31",
            "2020-12-31",
            "2019-01-01",
        ],
        "skill": ["a", "b", "c", "d", "d", "a", "c", "e"],
        "sex": ["f", "f", "f", "m", "m", "f", "m", "x"],
        "illness": ["flu", "cold", None, "flu", "cold", "flu", "cold", "flu"],
    }


@given(
    originals(),
    st.lists(st.integers(0, 3), min_size=12, max_size=12),
    st.sampled_from(NUMERICS),
    st.randoms(use_true_random=False),
)
@settings(deadline=None)
def test_a_true_release_passes_in_any_order(
    original: Columns, groups: list[int], numeric: Numeric, random: Random
) -> None:
    """By its rows, by the witness after a shuffle, and by sets without one."""
    rows = len(original["age"])
    released = release(original, groups[:rows], numeric)
    in_order = check_sets(released, table(original), KINDS, ["illness"], numeric)
    assert (in_order.holds, in_order.how, in_order.matched, in_order.findings) == (True, "rows", rows, ())

    order = list(range(rows))
    random.shuffle(order)
    shuffled = reorder(released, order)
    witnessed = check_rows(shuffled, table(original), KINDS, ["illness"], np.array(order), numeric)
    assert (witnessed.holds, witnessed.how, witnessed.matched) == (True, "witness", rows)
    paired = check_sets(shuffled, table(original), KINDS, ["illness"], numeric)
    assert (paired.holds, paired.matched, paired.findings) == (True, rows, ())


@given(originals(most=4), originals(most=4), st.lists(st.integers(0, 1), min_size=4, max_size=4))
@settings(deadline=None, max_examples=40)
def test_pairing_agrees_with_trying_all_permutations(original: Columns, other: Columns, groups: list[int]) -> None:
    """The release of one table held against another: as many rows are paired as the best permutation pairs."""
    mine, theirs = len(original["age"]), len(other["age"])
    kinds = {name: KINDS[name] for name in ("degree", "age")}
    released, against = release(original, groups[:mine], "interval"), table(other)

    def is_true(row: int, their: int) -> bool:
        one, other_one = reorder(released, [row]), reorder(against, [their])
        return check_rows(one, other_one, kinds, ["illness"], np.array([0]), "interval").holds

    true = [[is_true(row, their) for their in range(theirs)] for row in range(mine)]
    best = max(
        sum(their < theirs and true[row][their] for row, their in enumerate(order[:mine]))
        for order in permutations(range(max(mine, theirs)))
    )
    truth = check_sets(released, against, kinds, ["illness"], "interval")
    assert (truth.matched, truth.holds) == (best, best == mine)


WRONG: list[tuple[str, Cell]] = [
    ("age", "[-4-0]"),
    ("age", "-1"),
    ("age", None),
    ("age", "young"),
    ("income", "[-10--1]"),
    ("degree", "School"),
    ("degree", "MA"),
    ("degree", "College"),
    ("zip", "3**"),
    ("zip", "47*8"),
    ("born", "[0001-01-02/1900-01-01]"),
    ("seen", "2020-Q2"),
    ("seen", "2021"),
    ("skill", "{b|c}"),
    ("skill", "{a|b|c|zz}"),
    ("sex", "m"),
    ("illness", "cold"),
    ("illness", "mumps"),
    ("illness", None),
]


@pytest.mark.parametrize(("name", "cell"), WRONG)
def test_each_single_wrong_cell_is_found(name: str, cell: Cell) -> None:
    """With the witness and without: the row is not counted, and the finding names its column, not its value."""
    original = fixed()
    wrong = replace(release(original, GROUPS, "interval"), name, 0, cell)
    truth = check_rows(wrong, table(original), KINDS, ["illness"], np.arange(8), "interval")
    assert (truth.holds, truth.matched) == (False, 7)
    assert [finding.partition(":")[0] for finding in truth.findings] == [name]
    assert not any(cell in finding for finding in truth.findings if cell)
    paired = check_sets(wrong, table(original), KINDS, ["illness"], "interval")
    assert (paired.holds, paired.how) == (False, "sets")
    assert paired.matched < 8


@pytest.mark.parametrize(
    ("name", "cell"), [("age_min", "-4.9"), ("age_max", "-0.1"), ("age_min", None), ("age_max", "-6")]
)
def test_wrong_bounds_are_found(name: str, cell: Cell) -> None:
    original = fixed()
    wrong = replace(release(original, GROUPS, "bounds"), name, 0 if name == "age_min" else 2, cell)
    truth = check_rows(wrong, table(original), KINDS, ["illness"], np.arange(8), "bounds")
    assert (truth.holds, truth.matched) == (False, 7)
    assert truth.not_understood == ({"age": 1} if cell in {None, "-6"} else {})


@pytest.mark.parametrize("cell", ["-2.4", "-2.50001", "-5", "about"])
def test_wrong_midpoints_are_found(cell: Cell) -> None:
    """A midpoint that is off in a whole class, so that the class stays one."""
    original = fixed()
    wrong = release(original, GROUPS, "midpoint")
    for row in range(3):
        wrong = replace(wrong, "age", row, cell)
    truth = check_rows(wrong, table(original), KINDS, ["illness"], np.arange(8), "midpoint")
    assert (truth.holds, truth.matched) == (False, 5)
    assert truth.findings == ("age: 3 of 8 cells do not cover their original value",)


def test_a_midpoint_over_a_missing_value_is_found() -> None:
    original = fixed()
    released = release(original, GROUPS, "midpoint")
    original["age"][1] = None
    assert check_rows(released, table(original), KINDS, ["illness"], np.arange(8), "midpoint").matched == 5


def test_midpoints_out_of_order_are_said_to_be_unchecked() -> None:
    """Without the order of the rows, nobody knows which values a midpoint stands for."""
    original = fixed()
    shuffled = reorder(release(original, GROUPS, "midpoint"), [7, 6, 5, 4, 3, 2, 1, 0])
    truth = check_sets(shuffled, table(original), KINDS, ["illness"], "midpoint")
    assert (truth.holds, truth.how, truth.unchecked) == (True, "sets", ("age", "income"))


def test_the_nearest_double_is_a_right_midpoint() -> None:
    """A Parquet file holds doubles: the exact midpoint of these numbers is not one."""
    kinds = {"age": Kind(type="numeric")}
    low, high = 0.1, 1234.5678901234567
    nearest = float((Decimal(repr(low)) + Decimal(repr(high))) / 2)
    for middle, holds in [(nearest, True), (float(np.nextafter(nearest, 0)), False)]:
        released = table({"age": [repr(middle)] * 2})
        truth = check_rows(released, table({"age": [repr(low), repr(high)]}), kinds, [], np.arange(2), "midpoint")
        assert truth.holds == holds


def test_swapped_sensitive_values_are_found() -> None:
    """Two people of different classes with each other's illness; within a class the cells still tell the truth."""
    original = fixed()
    released = release(original, GROUPS, "interval")
    swapped = replace(replace(released, "illness", 0, "cold"), "illness", 4, "flu")
    truth = check_rows(swapped, table(original), KINDS, ["illness"], np.arange(8), "interval")
    assert (truth.matched, truth.findings) == (6, ("illness: 2 of 8 values are not the original's",))
    assert not check_sets(swapped, table(original), KINDS, ["illness"], "interval").holds
    within = replace(replace(released, "illness", 0, "cold"), "illness", 1, "flu")
    assert check_sets(within, table(original), KINDS, ["illness"], "interval").holds


@pytest.mark.parametrize(
    "witness",
    [[0, 1, 2, 3, 4, 5, 6, 6], [0, 1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6, 7, 8], [-1, 0, 1, 2, 3, 4, 5, 6], []],
)
def test_a_witness_that_is_not_a_permutation_is_found(witness: list[int]) -> None:
    """Naming a row twice, too few rows, or rows that are not there proves nothing."""
    original = fixed()
    released = release(original, GROUPS, "interval")
    truth = check_rows(released, table(original), KINDS, ["illness"], np.array(witness, dtype=np.int64), "interval")
    assert (truth.holds, truth.matched, len(truth.findings)) == (False, 0, 1)
    assert "witness" in truth.findings[0]


def test_a_wrong_permutation_is_found() -> None:
    """Each row once, but the wrong ones."""
    original = fixed()
    truth = check_rows(
        release(original, GROUPS, "interval"),
        table(original),
        KINDS,
        ["illness"],
        np.arange(8)[::-1].copy(),
        "interval",
    )
    assert not truth.holds


def test_left_out_rows_are_fine_and_added_rows_are_not() -> None:
    """A release may leave rows out; a row more than the original has is made up."""
    original = fixed()
    released = release(original, GROUPS, "interval")
    fewer = check_sets(reorder(released, [6, 1, 0]), table(original), KINDS, ["illness"], "interval")
    assert (fewer.holds, fewer.how, fewer.matched, fewer.rows) == (True, "sets", 3, 3)
    more = check_sets(reorder(released, [*range(8), 3]), table(original), KINDS, ["illness"], "interval")
    assert (more.holds, more.matched, more.rows) == (False, 8, 9)
    assert len(more.findings) == 2


def test_cells_that_are_not_understood_are_counted_by_column() -> None:
    original = fixed()
    released = replace(release(original, GROUPS, "interval"), "age", 0, "young")
    released = replace(replace(released, "seen", 0, "spring"), "seen", 1, "spring")
    truth = check_rows(released, table(original), KINDS, ["illness"], np.arange(8), "interval")
    assert truth.not_understood == {"age": 1, "seen": 2}
    assert truth.matched == 6


def test_a_table_of_another_tool_is_checked_without_kinds() -> None:
    """Without a spec, cells are guessed at; what can't be guessed is a finding."""
    original = table({"age": ["21", "25", "33", "39"], "job": ["a", "b", "a", "b"]})
    released = table({"age": ["[30,40[", "[20,30[", "[30,40[", "[20,30["], "job": ["*", "a", "b", "*"]})
    kinds = {"age": None, "job": None}
    assert check_sets(released, original, kinds, [], "interval").holds
    strange = replace(released, "age", 0, "old")
    truth = check_sets(strange, original, kinds, [], "interval")
    assert (truth.holds, truth.matched, truth.not_understood) == (False, 3, {"age": 1})


def test_a_table_too_large_to_pair_is_said_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    """No verdict of truth is given for what was not checked."""
    monkeypatch.setattr(pairing, "MOST_PAIRS", 3)
    original = table({"age": ["1", "2", "3", "4"]})
    truth = check_sets(
        table({"age": ["*", "*", "1", "[2-4]"]}), original, {"age": Kind(type="numeric")}, [], "interval"
    )
    assert (truth.holds, truth.matched) == (False, 0)
    assert "too many" in truth.findings[0]


def test_pairing_in_pieces_finds_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each combination of plain values can be paired on its own."""
    original = fixed()
    shuffled = reorder(release(original, GROUPS, "interval"), [7, 2, 3, 0, 6, 5, 4, 1])
    wrong = replace(shuffled, "age", 0, "9")
    for released, matched in [(shuffled, 8), (wrong, 7)]:
        for enough in (10**6, 0):
            monkeypatch.setattr(pairing, "ENOUGH_PAIRS", enough)
            assert check_sets(released, table(original), KINDS, ["illness"], "interval").matched == matched


def test_a_release_without_rows_says_nothing_false() -> None:
    original = table({"age": ["1", "2"], "illness": ["flu", None]})
    truth = check_sets(
        table({"age": [], "illness": []}), original, {"age": Kind(type="numeric")}, ["illness"], "interval"
    )
    assert (truth.rows, truth.matched, truth.holds) == (0, 0, True)


def test_absent_columns_are_a_data_error() -> None:
    released = table({"age": ["1"]})
    for kinds, plain in [({"zip": Kind()}, []), ({"age": Kind()}, ["illness"])]:
        with pytest.raises(DataError, match="no such column"):
            check_sets(released, table({"age": ["1"], "zip": ["1"]}), kinds, plain, "interval")


def test_rows_that_are_alike_are_paired_as_often_as_there_are() -> None:
    """Two rows `1` and one `2` can't carry the release 1, 2, 2, but can carry 1, `*`, 2."""
    original = table({"age": ["1", "1", "2"]})
    kinds = {"age": Kind(type="numeric")}
    assert check_sets(table({"age": ["2", "2", "1"]}), original, kinds, [], "interval").matched == 2
    assert check_sets(table({"age": ["2", "*", "1"]}), original, kinds, [], "interval").matched == 3
