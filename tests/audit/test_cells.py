"""Every form of a released cell: what it covers, and which texts nobody can understand."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import pytest

from kanon_cli.audit.cells import parse, parse_bounds, parse_midpoint
from kanon_cli.audit.covers import Cover, Everything, Missing, Span
from kanon_cli.audit.guess import guess, guess_kind
from kanon_cli.audit.values import values_of
from kanon_cli.errors import DataError
from kanon_cli.tables.kinds import Kind
from kanon_cli.tables.taxonomy import grow
from tests.audit.tables import column

NUMERIC = Kind(type="numeric")
DATE = Kind(type="date", calendar=True)
ZIP = Kind(mask=5)
SET = Kind(as_set=True)
DEGREES = Kind(
    taxonomy=grow(
        ["BA", "MA", "8", "9"],
        {"BA": "10-20", "MA": "10-20", "8": "School", "9": "School", "10-20": "Any", "School": "Any"},
    )
)


def covered(cover: Cover | None, kind: Kind, original: Sequence[str | None]) -> list[str | None]:
    """Find the values of the original, in its order, that a cell covers."""
    values = values_of("q", column(original), kind)
    code_of = {text: code for code, text in enumerate(values.texts)}
    reach = set(values.reach(cover))
    return [text for text in original if values.rank_of[-1 if text is None else code_of[text]] in reach]


@pytest.mark.parametrize(
    ("cell", "original", "expected"),
    [
        ("7", ["6", "7", "8"], ["7"]),
        ("1.5", ["1.5", "1.50", "15e-1", "1.51"], ["1.5", "1.50", "15e-1"]),
        ("0", ["-0", "0.0", "1"], ["-0", "0.0"]),
        ("[28-37]", ["27", "28", "30.5", "37", "38", None], ["28", "30.5", "37"]),
        ("[-5--1]", ["-6", "-5", "-3", "-1", "0", "1", "5"], ["-5", "-3", "-1"]),
        ("[-5-1]", ["-6", "-5", "0", "1", "2"], ["-5", "0", "1"]),
        ("[1e-3-2e-3]", ["0.0009", "0.001", "1.5e-3", ".002", "0.0021"], ["0.001", "1.5e-3", ".002"]),
        ("[1.5-2e3]", ["1.4", "1.5", "2000", "2000.1"], ["1.5", "2000"]),
        ("[-2e-3--1e+2]", ["0"], []),
        ("[20000-24999]", ["19999", "20000", "24999", "25000"], ["20000", "24999"]),
        ("[20000-25000)", ["20000", "24999.99", "25000"], ["20000", "24999.99"]),
        ("[-5000-0)", ["-5000", "-0.01", "0"], ["-5000", "-0.01"]),
        ("[5-5]", ["4", "5"], ["5"]),
        ("0.1000000000000000055511151231257827", ["0.1"], []),
        ("[9007199254740993-9007199254740993]", ["9007199254740992", "9007199254740993"], ["9007199254740993"]),
        ("[1e149-1e150]", ["1e148", "5e149"], ["5e149"]),
    ],
)
def test_numeric_cells_cover_exact_values(cell: str, original: list[str | None], expected: list[str]) -> None:
    """Numbers are compared by exact value, intervals include their ends unless they close with a parenthesis."""
    assert covered(parse(cell, NUMERIC), NUMERIC, original) == expected


@pytest.mark.parametrize(
    "cell",
    [
        "",
        "young",
        "28-37",
        "[37-28]",
        "[28-37",
        "28-37]",
        "[28,37]",
        "[a-b]",
        "[5-5)",
        "[28 - 37]",
        "nan",
        "inf",
        "1_000",
        "٣",
        "[-]",
        "1e",
        "[1e-3]",
        "{1|2}",
        "**",
        "1e99999999999999999999",
        "[1-1e99999999999999999999]",
        "[28-37]\n",
    ],
)
def test_other_texts_are_not_numeric_cells(cell: str) -> None:
    """What is not written as the release is written is not understood, and never a crash."""
    assert parse(cell, NUMERIC) is None


@pytest.mark.parametrize(
    ("cell", "original", "expected"),
    [
        ("2020-02-29", ["2020-02-28", "2020-02-29"], ["2020-02-29"]),
        (
            "[2020-01-01/2020-03-31]",
            ["2019-12-31", "2020-01-01", "2020-03-31", "2020-04-01", None],
            ["2020-01-01", "2020-03-31"],
        ),
        ("2020-02", ["2020-01-31", "2020-02-01", "2020-02-29", "2020-03-01"], ["2020-02-01", "2020-02-29"]),
        ("2020-Q1", ["2019-12-31", "2020-01-01", "2020-03-31", "2020-04-01"], ["2020-01-01", "2020-03-31"]),
        ("2020-Q4", ["2020-09-30", "2020-10-01", "2020-12-31", "2021-01-01"], ["2020-10-01", "2020-12-31"]),
        ("2020", ["2019-12-31", "2020-01-01", "2020-12-31", "2021-01-01"], ["2020-01-01", "2020-12-31"]),
        (
            "[1799-12-31/1899-12-31]",
            ["1799-12-30", "1850-06-01", "1899-12-31", "1900-01-01"],
            ["1850-06-01", "1899-12-31"],
        ),
        ("0001", ["0001-01-01", "0001-12-31", "0002-01-01"], ["0001-01-01", "0001-12-31"]),
        ("9999-12", ["9999-11-30", "9999-12-31"], ["9999-12-31"]),
        ("9999", ["9998-12-31", "9999-12-31"], ["9999-12-31"]),
        ("1900-02", ["1900-02-28", "1900-03-01"], ["1900-02-28"]),
    ],
)
def test_date_cells_cover_their_days(cell: str, original: list[str | None], expected: list[str]) -> None:
    """Days, intervals of days and the nodes of the calendar, from the year 1 to the year 9999."""
    assert covered(parse(cell, DATE), DATE, original) == expected


@pytest.mark.parametrize(
    "cell",
    [
        "2020-13",
        "2020-00",
        "2020-Q5",
        "0000",
        "0000-01-01",
        "2021-02-29",
        "20200101",
        "2020-W01-1",
        "[2020-01-01/2020-02-30]",
        "[2020-02-01/2020-01-01]",
        "[2020-01-01-2020-02-01]",
        "20",
        "2020-1-1",
        "01/02/2020",
        "2020-01-01T00:00",
        "20200",
        "٢٠٢٠",
    ],
)
def test_other_texts_are_not_date_cells(cell: str) -> None:
    """Days that do not exist and other notations are not understood."""
    assert parse(cell, DATE) is None


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("47918", ["47918"]),
        ("4791*", ["47918", "47910"]),
        ("479**", ["47918", "47910", "47900"]),
        ("4****", ["47918", "47910", "47900", "4 x-y"]),
        ("*", ["47918", "47910", "47900", "4 x-y", "\U0010ffff\U0010ffff111", None]),
        ("\U0010ffff\U0010ffff***", ["\U0010ffff\U0010ffff111"]),
        ("99999", []),
    ],
)
def test_masks_cover_what_starts_alike(cell: str, expected: list[str | None]) -> None:
    """A mask covers the values that start with its visible characters; the root covers missing, too."""
    original = ["47918", "47910", "47900", "4 x-y", "\U0010ffff\U0010ffff111", None]
    assert covered(parse(cell, ZIP), ZIP, original) == expected


def test_a_mask_of_another_length_is_not_understood() -> None:
    assert [parse(cell, ZIP) for cell in ("479*", "479***", "")] == [None, None, None]


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("BA", ["BA"]),
        ("10-20", ["BA", "MA"]),
        ("School", ["8"]),
        ("9", []),
        ("Any", ["BA", "MA", "8"]),
        ("*", ["BA", "MA", "8", None]),
    ],
)
def test_taxonomy_labels_cover_their_leaves(cell: str, expected: list[str | None]) -> None:
    """A label is a label even if it reads like a number or an interval; no node but `*` covers missing."""
    assert covered(parse(cell, DEGREES), DEGREES, ["BA", "MA", "8", None]) == expected


def test_a_label_that_the_taxonomy_does_not_have_is_not_understood() -> None:
    assert [parse(cell, DEGREES) for cell in ("[8-9]", "8.0", "ba", "{BA|MA}")] == [None] * 4


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("a", ["a"]),
        ("{a|c}", ["a", "c"]),
        ("{a|b|c}", ["a", "b", "c"]),
        ("{|b}", ["b", ""]),
        ("*", ["a", "b", "c", "", None]),
    ],
)
def test_sets_cover_their_members(cell: str, expected: list[str | None]) -> None:
    """A set covers what it lists, whether or not its members are neighbours, and never missing."""
    assert covered(parse(cell, SET), SET, ["a", "b", "c", "", None]) == expected


@pytest.mark.parametrize("kind", [Kind(), NUMERIC, DATE, ZIP, SET, DEGREES])
def test_star_is_everything_and_missing_is_missing(kind: Kind) -> None:
    """`*` and the missing cell mean the same in every kind of column."""
    assert parse("*", kind) == Everything()
    assert parse(None, kind) == Missing()
    assert covered(Missing(), kind, [None]) == [None]


def test_a_column_without_taxonomy_keeps_texts_apart() -> None:
    """Categories are texts: neither case, nor blanks, nor a way to write a number is looked through."""
    assert covered(parse("1.0", Kind()), Kind(), ["1", "1.0", " 1.0", "1.00"]) == ["1.0"]


def test_bounds_are_two_cells() -> None:
    """Both missing is suppressed or missing; one missing, or the wrong way round, is not understood."""
    assert parse_bounds("-5", "-1.0") == Span(Decimal(-5), Decimal("-1.0"))
    assert parse_bounds(None, None) == Everything()
    for pair in [("1", None), (None, "1"), ("2", "1"), ("*", "*"), ("a", "2")]:
        assert parse_bounds(*pair) is None


def test_a_midpoint_is_a_number_or_missing() -> None:
    assert parse_midpoint("32.5") == Span(Decimal("32.5"), Decimal("32.5"))
    assert parse_midpoint(None) == Everything()
    assert parse_midpoint("[28-37]") is None


@pytest.mark.parametrize(
    ("cell", "original", "expected"),
    [
        ("[20-30]", ["19", "20", "30", "31"], ["20", "30"]),
        ("[20-30)", ["19", "20", "30", "31"], ["20"]),
        ("[20,30]", ["19", "20", "30", "31"], ["20", "30"]),
        ("[20, 30)", ["19", "20", "30", "31"], ["20"]),
        ("[20,30[", ["19", "20", "30", "31"], ["20"]),
        ("20-30", ["19", "20", "30", "31"], ["20", "30"]),
        ("(20,30]", ["19", "20", "30", "31"], ["30"]),
        ("]20, 30]", ["19", "20", "30", "31"], ["30"]),
        ("]20,30[", ["19", "20", "25", "30"], ["25"]),
        ("20 ~ 30", ["19", "20", "30", "31"], ["20", "30"]),
        ("20 - 30", ["19", "20", "30", "31"], ["20", "30"]),
        ("20\u201330", ["19", "20", "30", "31"], ["20", "30"]),
        ("[20.0-61.0]", ["19", "20", "61", "62"], ["20", "61"]),
        ("<50", ["49", "50", "51"], ["49"]),
        ("<= 50", ["49", "50", "51"], ["49", "50"]),
        (">50", ["49", "50", "51"], ["51"]),
        (">=50", ["49", "50", "51"], ["50", "51"]),
        ("-20--10", ["-20", "-10", "10"], ["-20", "-10"]),
        ("1*", ["10", "19", "1", "100", "21"], ["10", "19"]),
        ("{10|21}", ["10", "19", "21"], ["10", "21"]),
        ("[2020-01-01/2020-12-31]", ["2019-12-31", "2020-05-05"], ["2020-05-05"]),
        ("2020-05", ["2020-04-30", "2020-05-05"], ["2020-05-05"]),
        ("2020-05-**", ["2020-04-30", "2020-05-05"], ["2020-05-05"]),
        ("20-30", ["20-30", "x"], ["20-30"]),
        ("NY*", ["NYC", "NY", "LA"], ["NYC"]),
        ("{NYC,LA}", ["NYC", "NY", "LA"], ["NYC", "LA"]),
        ("{NYC, LA}", ["NYC", "NY", "LA"], ["NYC", "LA"]),
        ("*****", ["47911", "479", None], ["47911", "479", None]),
        ("*", ["NYC", None], ["NYC", None]),
        (None, ["NYC", None], [None]),
    ],
)
def test_cells_without_a_spec_are_guessed(
    cell: str | None, original: list[str | None], expected: list[str | None]
) -> None:
    """The notations of other tools, by what the original column holds."""
    kind = guess_kind(column(original))
    assert covered(guess(cell, kind, {text for text in original if text is not None}), kind, original) == expected


@pytest.mark.parametrize(
    ("cell", "original"),
    [
        ("20-30", ["NYC", "LA"]),
        ("2020-03", ["1", "2"]),
        ("young", ["1", "2"]),
        ("Europe", ["DE", "FR"]),
        ("{DE|XX}", ["DE"]),
        ("<50", ["a", "b"]),
        ("< 5 0", ["1", "2"]),
        ("(5,5]", ["4", "5"]),
        ("]5,5[", ["4", "5"]),
        ("[a-b]", ["a", "b"]),
    ],
)
def test_what_cannot_be_guessed_is_not_understood(cell: str, original: list[str]) -> None:
    """An interval needs numbers, a set known members, and a label a taxonomy."""
    assert guess(cell, guess_kind(column(original)), set(original)) is None


@pytest.mark.parametrize(
    ("kind", "bad"),
    [(NUMERIC, "abc-secret"), (DATE, "2020-02-30"), (ZIP, "479"), (DEGREES, "PhD"), (DEGREES, "School")],
)
def test_values_of_another_kind_are_a_data_error_that_does_not_name_them(kind: Kind, bad: str) -> None:
    """The message holds the column, the count and the first row, never the value."""
    good = {"numeric": "1", "date": "2020-01-01"}.get(kind.type, "47918" if kind.mask else "BA")
    with pytest.raises(DataError) as refusal:
        values_of("age", column([good, bad, bad, None]), kind)
    assert "age: 2 values" in str(refusal.value)
    assert "row 2" in str(refusal.value)
    assert bad not in str(refusal.value)
