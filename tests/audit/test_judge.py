"""Classes, achieved figures, risks and requirements, on tables with known answers and against plain Python."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanon_cli.audit.gather import first_rows, gather, group
from kanon_cli.audit.judge import Figure, achieved, classes, judge, risk
from kanon_cli.errors import DataError
from kanon_cli.models.evidence import Evidence
from kanon_cli.models.k import K
from kanon_cli.models.l_frequency import LFrequency
from tests.audit.tables import rows, table

Cell = str | None


def sizes_by_row(evidence: Evidence) -> list[int]:
    """Give each row the size of its class."""
    return [int(size) for size in evidence.sizes[evidence.class_of]]


def class_sizes(names: Sequence[str], records: Sequence[Sequence[Cell]]) -> list[int]:
    """Gather records, all columns being quasi-identifiers."""
    return sizes_by_row(gather(rows(names, records), names, []))


# Tables with known answers, recomputed by hand.


def _diverse(figures: dict[str, Figure]) -> dict[str, Figure]:
    """k and the kinds of l."""
    return {name: figure for name, figure in figures.items() if name == "k" or name.startswith("l_")}


def test_seven_people_in_three_classes() -> None:
    """Age halves and zip prefixes: classes of 2, 2 and 3, mean risk 3/7."""
    young, old = ("<50", "*", "816**"), (">=50", "*", "819**")
    evidence = gather(
        rows("abc", [young, young, old, old, ("<50", "*", "819**"), old, ("<50", "*", "819**")]), list("abc"), []
    )
    assert sizes_by_row(evidence) == [2, 2, 3, 3, 2, 3, 2]
    assert achieved(evidence) == {"k": 2}
    assert risk(evidence) == {"prosecutor_max": 0.5, "prosecutor_mean": pytest.approx(3 / 7)}


@pytest.mark.parametrize(
    "records",
    [
        [("M", "4711")] * 3 + [("*", "4711")] * 2 + [("F", "4712"), ("F", "*"), ("M", "*")],
        [
            ("*", "F", "N"),
            ("68", "F", "N"),
            ("68", "*", "N"),
            *[("*", "*", "N")] * 3,
            ("68", "F", "*"),
            ("68", "*", "S"),
        ]
        + [("68", "F", "S")] * 2,
        [("73", "C18.7")] * 2 + [("*", "C18.7")] * 2 + [("*", "C18.2")] + [("67", "C18.2")] * 2 + [("67", "C18.7")] * 3,
    ],
)
def test_a_suppressed_cell_is_a_category_of_its_own(records: list[tuple[str, ...]]) -> None:
    """Counting `*` as a match for everything would overstate: the real k of these tables is 1."""
    names = [f"q{place}" for place in range(len(records[0]))]
    assert achieved(gather(rows(names, records), names, []))["k"] == 1


FREQUENCIES = ["231", "333", "231", "232", "331", "331", "141", "231"]


@pytest.mark.parametrize(
    ("missing", "expected"),
    [
        ([], [3, 1, 3, 1, 2, 2, 1, 3]),
        ([(2, 2), (6, 2)], [2, 1, 1, 1, 2, 2, 1, 2]),
        ([(2, 0), (2, 1), *[(row, 2) for row in range(8)]], [3, 3, 1, 3, 3, 3, 1, 3]),
    ],
)
def test_a_missing_cell_is_a_category_of_its_own(missing: list[tuple[int, int]], expected: list[int]) -> None:
    """Rows with missing cells form classes among themselves."""
    records: list[list[Cell]] = [list(record) for record in FREQUENCIES]
    for row, place in missing:
        records[row][place] = None
    assert class_sizes("abc", records) == expected


def test_one_column_with_missing_values() -> None:
    cells = ["2", "3", None, "2", "1", None, "1", "2"]
    assert class_sizes("a", [(cell,) for cell in cells]) == [3, 1, 2, 3, 2, 2, 2, 3]


def test_inpatients_are_4_anonymous_and_3_diverse() -> None:
    """Three classes of four, each with its sensitive values split 1, 1, 2."""
    diseases = [
        "heart",
        "viral",
        "cancer",
        "cancer",
        "viral",
        "viral",
        "heart",
        "cancer",
        "cancer",
        "heart",
        "heart",
        "viral",
    ]
    evidence = gather(
        table({"zip": ["130**"] * 4 + ["1485*"] * 4 + ["131**"] * 4, "disease": diseases}), ["zip"], ["disease"]
    )
    assert _diverse(achieved(evidence)) == {
        "k": 4,
        "l_frequency": 2.0,
        "l_distinct": 3,
        "l_entropy": pytest.approx(2 * math.sqrt(2)),
    }


# What other tools got wrong.


@pytest.mark.parametrize("columns", [{"a": ["a", "a", "a", None]}, {"a": ["a", "a", "a", None], "b": ["x"] * 4}])
def test_a_missing_quasi_identifier_does_not_overstate_k(columns: dict[str, list[Cell]]) -> None:
    assert achieved(gather(table(columns), list(columns), [])) == {"k": 1}


def test_the_country_code_na_is_a_value() -> None:
    """DE, DE, DE, NA has k = 1, and a missing country is not Namibia."""
    assert class_sizes("c", [("DE",), ("DE",), ("DE",), ("NA",)]) == [3, 3, 3, 1]
    assert class_sizes("c", [("NA",), ("NA",), (None,)]) == [2, 2, 1]


def test_rows_are_found_by_place_however_they_are_ordered() -> None:
    """Classes that lie interleaved keep their own sensitive values."""
    interleaved = table({"q": ["a", "b", "a", "b"], "s": ["x", "y", "x", "y"]})
    assert achieved(gather(interleaved, ["q"], ["s"]))["l_distinct"] == 1


@given(st.lists(st.integers(0, 9)))
def test_the_first_row_of_each_number_is_found(numbers: list[int]) -> None:
    assert first_rows(np.array(numbers, dtype=np.int64)).tolist() == [numbers.index(n) for n in sorted(set(numbers))]


@pytest.mark.parametrize("count", [2, 3, 4, 6, 7, 8, 10])
def test_the_entropy_of_equally_frequent_values_is_not_truncated(count: int) -> None:
    values = [f"s{value}" for value in range(count)] * 3
    evidence = gather(table({"q": ["a"] * len(values), "s": values}), ["q"], ["s"])
    expected = {"k": 3 * count, "l_frequency": count, "l_distinct": count, "l_entropy": count}
    assert _diverse(achieved(evidence)) == expected


def test_missing_sensitive_values_are_not_diverse() -> None:
    """One value and two missing ones: they could all be the same."""
    evidence = gather(table({"q": ["a"] * 3, "s": ["1", None, None]}), ["q"], ["s"])
    assert _diverse(achieved(evidence)) == {"k": 3, "l_frequency": 1.0, "l_distinct": 1, "l_entropy": 1.0}


def test_the_mean_risk_is_over_rows() -> None:
    """Classes of 3 and 1: two of four guesses hit, not (1/3 + 1) / 2."""
    evidence = gather(table({"q": ["a", "a", "a", "b"]}), ["q"], [])
    assert risk(evidence) == {"prosecutor_max": 1.0, "prosecutor_mean": 0.5}


# Against plain Python.

CELLS = st.sampled_from(["a", "b", "*", "", "NA", "nan", None])
RECORDS = st.lists(st.tuples(CELLS, CELLS, CELLS, CELLS), min_size=1, max_size=30)


@given(RECORDS)
def test_figures_agree_with_counting_by_hand(records: list[tuple[Cell, Cell, Cell, Cell]]) -> None:
    """Classes, k, l, risk and histogram from collections.Counter."""
    evidence = gather(rows("abcs", records), list("abc"), ["s"])
    classes_by_hand = Counter(record[:3] for record in records)
    assert sizes_by_row(evidence) == [classes_by_hand[record[:3]] for record in records]

    frequency, distinct, entropy = [], [], []
    for key, size in classes_by_hand.items():
        secrets = Counter(record[3] for record in records if record[:3] == key)
        missing = secrets.pop(None, 0)
        counts = sorted(secrets.values()) or [0]
        counts[-1] += missing
        frequency.append(size / counts[-1])
        distinct.append(len(counts))
        entropy.append(math.exp(-sum(count / size * math.log(count / size) for count in counts)))
    expected = {"l_frequency": min(frequency), "l_distinct": min(distinct), "l_entropy": pytest.approx(min(entropy))}
    assert _diverse(achieved(evidence)) == {"k": min(classes_by_hand.values()), **expected}

    risks = [1 / classes_by_hand[record[:3]] for record in records]
    assert risk(evidence) == {"prosecutor_max": max(risks), "prosecutor_mean": pytest.approx(sum(risks) / len(records))}


@given(st.lists(st.integers(1, 2000), min_size=1, max_size=8))
def test_the_histogram_holds_every_class_and_row_once(sizes: list[int]) -> None:
    """Its bins don't overlap, hold what they say, and none is empty."""
    evidence = Evidence(np.repeat(np.arange(len(sizes)), sizes))
    found = classes(evidence)
    histogram = found["histogram"]
    assert isinstance(histogram, list)
    for place in histogram:
        inside = [size for size in sizes if place["from"] <= size <= place["to"]]
        assert (place["classes"], place["rows"]) == (len(inside), sum(inside))
        assert inside
    assert sum(place["rows"] for place in histogram) == sum(sizes)
    assert (found["count"], found["min"], found["max"]) == (len(sizes), min(sizes), max(sizes))
    assert found["mean"] == pytest.approx(sum(sizes) / len(sizes))


def test_the_bins_of_the_histogram() -> None:
    sizes = [1, 2, 3, 4, 5, 9, 10, 19, 20, 49, 50, 99, 100, 199, 200, 500, 999, 1000]
    histogram = classes(Evidence(np.repeat(np.arange(len(sizes)), sizes)))["histogram"]
    assert isinstance(histogram, list)
    ends = [(1, 1), (2, 2), (3, 3), (4, 4), (5, 9), (10, 19), (20, 49), (50, 99), (100, 199), (200, 499), (500, 999)]
    assert [(place["from"], place["to"]) for place in histogram] == [*ends, (1000, 1999)]


def test_many_wide_columns_do_not_overflow() -> None:
    """Three columns of 2^31 choices have more combinations than 64 bits hold."""
    code = np.array([2**31 - 2, 0, 2**31 - 2, -1, 0], dtype=np.int32)
    assert group([code] * 5, 5).tolist() == [0, 1, 0, 2, 1]


# The edges.


def test_a_table_without_quasi_identifiers_is_one_class() -> None:
    assert achieved(gather(table({"s": ["x", "y", "x"]}), [], ["s"]))["k"] == 3


def test_a_table_without_rows_is_a_data_error() -> None:
    with pytest.raises(DataError, match="no rows"):
        gather(table({"q": []}), ["q"], [])


def test_all_absent_columns_are_told_at_once() -> None:
    with pytest.raises(DataError) as refusal:
        gather(table({"q": ["a"]}), ["q", "age"], ["income"])
    assert [mistake.path for mistake in refusal.value.mistakes] == ["age", "income"]


def test_several_sensitive_columns_are_told_apart() -> None:
    """With one column a figure is a number, with several it is by column."""
    evidence = gather(table({"q": ["a", "a"], "s": ["x", "y"], "t": ["x", "x"]}), ["q"], ["s", "t"])
    assert achieved(evidence)["l_distinct"] == {"s": 2, "t": 1}
    verdicts = judge(evidence, [K(k=2), LFrequency(l=2, columns=("s", "t"))])
    assert [(verdict.model, verdict.column, verdict.holds) for verdict in verdicts] == [
        ("k", None, True),
        ("l_frequency", "s", True),
        ("l_frequency", "t", False),
    ]
