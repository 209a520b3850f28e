"""Columns become ranks, and what does not fit is said without a value."""

from __future__ import annotations

from decimal import Decimal

import pytest

from kanon_cli.errors import Mistake
from kanon_cli.tables.domains import Domain, build
from kanon_cli.tables.kinds import Kind
from kanon_cli.tables.taxonomy import flat, grow
from tests.strategies import text_column

CITIES = grow(["Rome", "Oslo", "Bergen"], {"Rome": "Italy", "Oslo": "Norway", "Bergen": "Norway"} | {
    "Italy": "Europe", "Norway": "Europe"
})  # fmt: skip


def domain_of(values: list[str | None], kind: Kind) -> Domain:
    """The domain of a column that fits its kind."""
    built = build("q", text_column(values), kind)
    assert isinstance(built, Domain), built
    return built


def mistakes_of(values: list[str | None], kind: Kind) -> list[Mistake]:
    """What is wrong with a column."""
    built = build("q", text_column(values), kind)
    assert not isinstance(built, Domain)
    return built


def test_numbers_are_ranked_by_value_and_missing_comes_last() -> None:
    domain = domain_of(["10", "9", None, "-3", "9"], Kind("numeric"))
    assert domain.rank_of.tolist() == [2, 1, 3, 0, 1]
    assert domain.text == ["-3", "9", "10"]
    assert domain.rows_of.tolist() == [1, 2, 1, 1]


def test_one_number_written_in_two_ways_has_one_rank_and_one_way() -> None:
    domain = domain_of(["1.50", "1.5", "007", "2e1"], Kind("numeric"))
    assert domain.text == ["1.5", "007", "2e1"]
    assert domain.rank_of.tolist() == [0, 0, 1, 2]


def test_long_numbers_that_differ_in_the_last_digit_are_two() -> None:
    domain = domain_of(["9007199254740993", "9007199254740992"], Kind("numeric"))
    assert domain.rank_of.tolist() == [1, 0]


@pytest.mark.parametrize("text", ["NaN", "inf", "-Infinity", "1_000", "1,5", "", "٣", "0x10", "1e999", "1e-999"])
def test_what_is_not_a_finite_number_is_refused(text: str) -> None:
    (mistake,) = mistakes_of(["1", text, "2", text], Kind("numeric"))
    assert mistake.what == "not finite numbers: 1 value in 2 rows, first in row 2"
    assert not text or text not in str(mistake)


@pytest.mark.parametrize("text", ["2020-02-30", "2020-2-3", "20200203", "2020-02-03T00:00", "03.02.2020", "0000-01-01"])
def test_what_is_not_a_date_is_refused(text: str) -> None:
    (mistake,) = mistakes_of(["2020-01-01", text], Kind("date"))
    assert "not dates: 1 value in 1 row, first in row 2" in mistake.what
    assert text not in str(mistake)


@pytest.mark.parametrize("text", ["*", "[28-37]", "[1-2)", "{a|b}", "[2020-01-01/2020-02-01]", "Norway", "Europe"])
def test_a_value_that_reads_like_a_generalized_cell_is_refused(text: str) -> None:
    (mistake,) = mistakes_of(["Rome", text], Kind(taxonomy=CITIES))
    assert "read like generalized cells: 1 value in 1 row, first in row 2" in mistake.what
    assert text not in str(mistake)


def test_a_gap_in_the_taxonomy_is_counted_and_its_file_named() -> None:
    (mistake,) = mistakes_of(["Rome", "Paris", "Lyon", "Paris"], Kind(taxonomy=CITIES, file="cities.csv"))
    assert mistake.what == "not in the taxonomy: 2 different values in 3 rows, first in row 2"
    assert mistake.hint is not None
    assert "cities.csv" in mistake.hint
    assert "Paris" not in str(mistake)


def test_leaves_that_the_data_does_not_have_are_fine() -> None:
    domain = domain_of(["Oslo", "Oslo"], Kind(taxonomy=CITIES))
    assert domain.ranks == 3
    assert domain.rows_of.tolist() == [0, 2, 0]


def test_missing_is_a_leaf_under_the_root() -> None:
    tree = domain_of(["Oslo", None, "Rome"], Kind(taxonomy=CITIES)).tree
    assert tree is not None
    assert tree.size == 4
    assert tree.parent[tree.leaf[-1]] == 0


def test_a_mask_needs_values_of_its_length_and_nests_prefixes() -> None:
    assert "not of 3 characters" in mistakes_of(["123", "12"], Kind(mask=3))[0].what
    tree = domain_of(["123", "124", "199"], Kind(mask=3)).tree
    assert tree is not None
    assert set(tree.label) == {"*", "1**", "12*", "19*", "123", "124", "199"}


def test_whole_intervals_are_closed_and_others_half_open_also_below_zero() -> None:
    whole = domain_of(["20", "24", "-3", "25"], Kind("numeric", intervals=(Decimal(5), Decimal(10)))).tree
    assert whole is not None
    assert {"[20-24]", "[20-29]", "[-5--1]", "[-10--1]", "[25-29]"} < set(whole.label)
    broken = domain_of(["0.3", "0.1"], Kind("numeric", intervals=(Decimal("0.2"),))).tree
    assert broken is not None
    assert {"[0-0.2)", "[0.2-0.4)"} < set(broken.label)
    narrow = domain_of(["1", "2"], Kind("numeric", intervals=(Decimal("0.5"),))).tree
    assert narrow is not None
    assert "[1-1.5)" in narrow.label, "a width below 1 makes no closed interval of whole numbers"


def test_the_calendar_nests_days_in_months_quarters_and_years_of_any_century() -> None:
    tree = domain_of(["1899-12-31", "1900-01-01", "9999-12-31", "0001-01-01"], Kind("date", calendar=True)).tree
    assert tree is not None
    node = tree.node_of["1899-12-31"]
    way = []
    while node:
        node = int(tree.parent[node])
        way.append(tree.label[node])
    assert way == ["1899-12", "1899-Q4", "1899", "*"]


@pytest.mark.parametrize(
    "kind",
    [Kind(), Kind("numeric"), Kind("date"), Kind("date", calendar=True), Kind(mask=3), Kind(as_set=True),
     Kind("numeric", intervals=(Decimal(5),)), Kind(taxonomy=flat(["a", "b"]))],
)  # fmt: skip
def test_a_column_of_missing_values_has_one_rank(kind: Kind) -> None:
    domain = domain_of([None, None], kind)
    assert domain.ranks == 1
    assert domain.rank_of.tolist() == [0, 0]


@pytest.mark.parametrize(("values", "size"), [(255, 1), (256, 2), (65_536, 4)])
def test_ranks_take_the_smallest_unsigned_numbers_that_hold_the_missing_one_too(values: int, size: int) -> None:
    domain = domain_of([*map(str, range(values)), None], Kind("numeric"))
    assert (domain.rank_of.dtype.kind, domain.rank_of.itemsize) == ("u", size)
    assert domain.rank_of.tolist() == list(range(values + 1))
