"""What a table gives away: each rule on tables that break it and on tables that do not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_cli.audit.inspection import Original, Subject
from kanon_cli.audit.leaks import RULES, Leak, count_serious, leaks
from kanon_cli.audit.order import is_sorted, keeps_order
from kanon_cli.audit.reading import Numeric
from kanon_cli.report.checks import REQUIREMENT_RULES
from kanon_cli.tables.kinds import Kind
from tests.audit.releases import CHOICES, KINDS, Cell, release
from tests.audit.tables import table
from tests.audit.test_truth import fixed, reorder

NUMERIC = Kind(type="numeric")


def found(
    released: Mapping[str, Sequence[Cell]],
    kinds: Mapping[str, Kind | None],
    original: Mapping[str, Sequence[Cell]] | None = None,
    sensitive: Sequence[str] = (),
) -> list[tuple[str, str, str | None]]:
    """The rule, severity and column of all leaks; no text may hold a cell."""
    plain = [name for name in released if name not in kinds]
    before = None if original is None else Original(table(original), plain)
    seen = leaks(Subject(table(released), kinds, sensitive), before)
    texts = {cell for cells in released.values() for cell in cells if cell and len(cell) > 3}
    assert not [text for leak in seen for text in texts if text in leak.what + leak.hint]
    assert {leak.rule for leak in seen} <= set(RULES)
    return [(leak.rule, leak.severity, leak.column) for leak in seen]


# The order of rows.


def test_rows_in_the_order_of_the_original_are_an_error() -> None:
    original = {"age": ["38", "21", "35", "26"], "ill": ["flu", "cold", "cold", "flu"]}
    released = {"age": ["[35-38]", "[21-26]", "[35-38]", "[21-26]"], "ill": original["ill"]}
    rules = [rule for rule in found(released, {"age": NUMERIC}, original) if rule[0] == "input-order"]
    assert rules == [("input-order", "error", None)]


def test_left_out_rows_do_not_hide_the_order_of_the_others() -> None:
    """As of a tool that drops rows and keeps the rest where they were."""
    original = {"age": ["38", "21", "90", "35", "26", "50"]}
    released: dict[str, list[Cell]] = {"age": ["[35-38]", "[21-26]", "[35-38]", "[21-26]"]}
    assert ("input-order", "error", None) in found(released, {"age": NUMERIC}, original)


def test_sorted_rows_say_nothing() -> None:
    """Also where the original was sorted in the same way; missing cells stand last."""
    cells: list[Cell] = ["a", "a", "b", None]
    assert found({"q": cells}, {"q": Kind()}, {"q": cells}) == []
    assert is_sorted(table({"q": cells, "p": ["x", "y", "a", "a"]}))
    assert not is_sorted(table({"q": cells, "p": ["y", "x", "a", "a"]}))
    assert not is_sorted(table({"q": [None, "a"]}))


def test_unsorted_rows_are_worth_a_note_where_the_original_is_not_known() -> None:
    assert found({"q": ["b", "a"]}, {"q": Kind()}) == [("input-order", "note", None)]


def test_another_order_than_the_original_is_no_leak() -> None:
    assert found({"q": ["b", "a", "c"]}, {"q": Kind()}, {"q": ["a", "c", "b"]}) == []


def test_rows_in_the_order_of_the_original_from_its_end_on_are_an_error_too() -> None:
    assert found({"q": ["b", "a", "c"]}, {"q": Kind()}, {"q": ["c", "a", "b"]}) == [("input-order", "error", None)]


def _by_class(seed: int, within: Callable[[list[int]], list[int]]) -> list[tuple[str, str, str | None]]:
    """The leaks of a table that is sorted by its classes, each in an order of its own."""
    draw = np.random.default_rng(seed)
    ages = draw.integers(20, 80, 60).tolist()
    ills = draw.choice(["flu", "cold", "gout"], 60).tolist()
    order = [
        row
        for start in (20, 30, 40, 50, 60, 70)
        for row in within([r for r in range(60) if ages[r] // 10 * 10 == start])
    ]
    cells: list[Cell] = [f"[{ages[row] // 10 * 10}-{ages[row] // 10 * 10 + 9}]" for row in order]
    original: dict[str, list[Cell]] = {"age": [str(age) for age in ages], "ill": ills}
    return [
        leak
        for leak in found({"age": cells, "ill": [ills[row] for row in order]}, {"age": NUMERIC}, original)
        if leak[0] == "input-order"
    ]


@pytest.mark.parametrize("seed", range(3))
def test_rows_that_stand_in_the_order_of_the_original_in_each_class_are_an_error(seed: int) -> None:
    """As after a stable sort by the quasi-identifiers."""
    assert _by_class(seed, lambda rows: rows) == [("input-order", "error", None)]
    assert _by_class(seed, lambda rows: rows[::-1]) == [("input-order", "error", None)]
    assert _by_class(seed, lambda rows: np.random.default_rng(seed).permutation(rows).tolist()) == []
    assert _by_class(seed, lambda rows: rows if rows[0] % 2 else rows[::-1]) == []


def test_a_cell_that_is_not_understood_does_not_hide_the_order() -> None:
    original = {"age": ["38", "21", "35", "26"], "ill": ["flu", "cold", "cold", "flu"]}
    released = {"age": ["[35-38]", "[21-26]", "young", "[21-26]"], "ill": original["ill"]}
    assert ("input-order", "error", None) in found(released, {"age": NUMERIC}, original)


def test_where_rows_are_not_true_of_the_original_their_order_is_worth_a_note() -> None:
    columns, original = table({"age": ["5", "3", "9"]}), Original(table({"age": ["5", "3", "4"]}), ())
    subject = Subject(columns, {"age": NUMERIC}, ())
    assert [leak.severity for leak in leaks(subject, original, is_true=False)] == ["note"]
    assert leaks(subject, original) == []


def test_rows_that_fit_in_any_order_tell_no_order() -> None:
    """A few coarse rows find a place among many others whichever way they stand."""
    original: dict[str, list[Cell]] = {"q": ["a", "b", "c"] * 20}
    assert found({"q": ["b", "*", "a"]}, {"q": Kind()}, original) == []


def test_who_says_which_row_is_which_has_chosen_the_order() -> None:
    """A run knows its rows: `output.order` says how they stand."""
    columns = table({"q": ["b", "a"]})
    assert leaks(Subject(columns, {"q": Kind()}, ()), Original(columns, (), np.arange(2))) == []


@given(st.data())
@settings(deadline=None, max_examples=50)
def test_the_order_is_found_in_every_kind_of_column(data: st.DataObject) -> None:
    """A release in the order of its original keeps it, whatever was left out of it at the end."""
    rows = data.draw(st.integers(1, 8))
    original = {
        name: data.draw(st.lists(st.sampled_from(cells), min_size=rows, max_size=rows))
        for name, cells in CHOICES.items()
    }
    numeric: Numeric = data.draw(st.sampled_from(["interval", "bounds"]))
    released = release(original, [row // 2 for row in range(rows)], numeric)
    backwards = list(range(rows))[::-1]
    fits_backwards = keeps_order(
        reorder(released, backwards), reorder(table(original), backwards), KINDS, ["illness"], numeric
    )
    assert keeps_order(released, table(original), KINDS, ["illness"], numeric) == fits_backwards


def test_a_shuffled_release_does_not_keep_the_order() -> None:
    original = fixed()
    released = release(original, [0, 0, 0, 1, 1, 2, 2, 3], "interval")
    assert keeps_order(released, table(original), KINDS, ["illness"], "interval")
    order = [3, 0, 7, 1, 5, 2, 6, 4]
    assert not keeps_order(reorder(released, order), table(original), KINDS, ["illness"], "interval")


# Columns that work as keys.


@pytest.mark.parametrize(
    "cells",
    [
        ["0", "1", "2", "3", "4"],
        ["1005", "1001", "1003", "1002", "1004"],
        ["0", "1", "3", "4", "7", "8"],  # after rows were left out
        ["01", "02", "03", "04", "05"],
    ],
)
def test_a_column_that_numbers_the_rows_is_an_error(cells: list[Cell]) -> None:
    released: dict[str, list[Cell]] = {"q": ["a"] * len(cells), "index": cells}
    assert [leak for leak in found(released, {"q": Kind()}) if leak[0] != "input-order"] == [
        ("index-like", "error", "index")
    ]
    sensitive = [leak for leak in found(released, {"q": Kind()}, sensitive=["index"]) if leak[0] != "input-order"]
    assert sensitive == [("near-unique", "warning", "index")]  # numbers that people have may lie side by side


@pytest.mark.parametrize(
    "cells", [["17", "9000", "23", "512", "77"], ["a1", "a2", "a3", "a4", "x"], ["1", "2", "3", "3", "x"]]
)
def test_a_column_with_a_value_of_its_own_in_most_rows_is_nearly_a_key(cells: list[Cell]) -> None:
    """An error in a kept column, a warning in a sensitive one, which the release is there for."""
    released: dict[str, list[Cell]] = {"q": ["a"] * len(cells), "visit": cells}
    kept = [leak for leak in found(released, {"q": Kind()}) if leak[0] != "input-order"]
    assert kept == [("near-unique", "error", "visit")]
    sensitive = [leak for leak in found(released, {"q": Kind()}, sensitive=["visit"]) if leak[0] != "input-order"]
    assert sensitive == [("near-unique", "warning", "visit")]


@pytest.mark.parametrize(
    "cells",
    [
        ["a", "a", "b", "b", "c"],
        [None, None, None, "a", "b"],
        ["1", "2", "3"],  # too few rows to say
        ["1", "1", "2", "2", "3", "4", None],
    ],
)
def test_columns_whose_values_are_shared_are_no_keys(cells: list[Cell]) -> None:
    assert [
        leak for leak in found({"q": ["a"] * len(cells), "kept": cells}, {"q": Kind()}) if leak[0] != "input-order"
    ] == []


@pytest.mark.parametrize(("alone", "severity"), [(25, "error"), (24, "warning"), (5, "warning"), (4, None)])
def test_a_few_rows_with_a_value_of_their_own_are_a_warning(alone: int, severity: str | None) -> None:
    """From a tenth of the rows on in a kept column; in a sensitive one only most of them count."""
    cells = sorted([*(f"x{row}" for row in range(alone)), *["a"] * (50 - alone)])
    kept = [level for _, level, _ in found({"q": ["a"] * 50, "kept": cells}, {"q": Kind()})]
    assert kept == ([severity] if severity else [])
    sensitive = found({"q": ["a"] * 50, "kept": cells}, {"q": Kind()}, sensitive=["kept"])
    assert len(sensitive) == (alone == 25)


def test_quasi_identifiers_are_judged_by_their_classes() -> None:
    """That they tell rows apart is what k is about."""
    assert found({"q": ["1", "2", "3", "4", "5"]}, {"q": Kind()}) == []


# The ends of intervals.


def test_an_extreme_value_of_one_record_is_told() -> None:
    original = {"age": ["20", "20", "30", "97"]}
    released: dict[str, list[Cell]] = {"age": ["20", "20", "[30-97]", "[30-97]"]}
    for kind in (NUMERIC, None):
        seen = [
            leak
            for leak in leaks(Subject(table(released), {"age": kind}, ()), Original(table(original), ()))
            if leak.rule == "extreme-endpoint"
        ]
        assert [(leak.severity, leak.column) for leak in seen] == [("note", "age")]
        assert "highest" in seen[0].what
        assert "lowest" not in seen[0].what


@pytest.mark.parametrize(
    ("original", "released", "kind"),
    [
        (["20", "21", "97", "97"], ["20", "21", "[21-97]", "[21-97]"], NUMERIC),  # two records
        (["20", "20", "30", "97"], ["20", "20", "[30-98)", "[30-98)"], NUMERIC),  # another end
        (["20", "20", "30", "97"], ["20", "20", "[30-97[", "[30-97["], None),  # the end is not taken in
        (["20", "20", "30", "97"], ["20", "20", "*", "*"], NUMERIC),
        (["20", "20", "30", "39"], ["20", "20", "[30-39]", "[30-39]"], Kind(type="numeric", intervals=(Decimal(10),))),
        ([None, None], ["*", "*"], NUMERIC),
    ],
)
def test_other_ends_say_nothing_of_one_record(original: list[Cell], released: list[Cell], kind: Kind | None) -> None:
    assert [
        leak for leak in found({"age": released}, {"age": kind}, {"age": original}) if leak[0] == "extreme-endpoint"
    ] == []


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["[20-30]", "[25-40]"], True),
        (["[20-30]", "[30-40]"], False),  # bins that touch
        (["[20-40]", "[20-30]", "[30-40]", "25"], False),  # one inside another
        (["[20-60]", "[20-30]", "[25-40]"], True),
        (["[2020-01-01/2020-03-01]", "[2020-02-01/2020-05-01]"], True),
        (["<50", ">=50"], False),
        (["[1-1e1000000]", "[1-2]"], False),
        (["[2020-01-01/2020-03-01]", "2020", "2020-02"], False),
        (["a-b", "NYC"], False),
    ],
)
def test_intervals_that_overlap_have_ends_from_the_data(cells: list[Cell], expected: bool) -> None:
    """Bins that were chosen beforehand lie side by side or inside each other."""
    rules = [rule for rule, _, _ in found({"age": cells}, {"age": None})]
    assert ("extreme-endpoint" in rules) == expected


def test_bounds_in_two_columns_are_looked_at_with_the_original() -> None:
    released = table({"age_min": ["20", "20", "30", "30"], "age_max": ["20", "20", "97", "97"]})
    original = Original(table({"age": ["20", "20", "30", "97"]}), ())
    assert [leak.rule for leak in leaks(Subject(released, {"age": NUMERIC}, (), "bounds"), original)] == [
        "extreme-endpoint"
    ]
    assert leaks(Subject(released, {"age": NUMERIC}, (), "bounds")) == []


# Labels that are sets.


def test_a_set_that_lists_the_value_of_one_record_is_a_warning() -> None:
    cells: list[Cell] = ["{10001|10002|10003}"] * 3
    assert found({"zip": cells}, {"zip": None}) == [("set-label", "note", "zip")]
    shared: list[Cell] = ["10001", "10002", "10003"] * 2
    assert found({"zip": cells * 2}, {"zip": Kind(as_set=True)}, {"zip": shared}) == [("set-label", "note", "zip")]
    assert found({"zip": cells}, {"zip": Kind(as_set=True)}, {"zip": shared[:3]}) == [("set-label", "warning", "zip")]


def test_sets_with_commas_are_sets() -> None:
    assert found({"zip": ["{10001,10002}"] * 2}, {"zip": None}) == [("set-label", "note", "zip")]


def test_notes_are_not_serious() -> None:
    severities: list[Leak] = [Leak("set-label", severity, None, "", "") for severity in ("note", "warning", "error")]
    assert count_serious(severities) == 2


def test_the_manual_says_what_every_rule_finds() -> None:
    text = (Path(__file__).parents[2] / "docs" / "audit.md").read_text(encoding="utf-8")
    assert [rule for rule in (*RULES, *REQUIREMENT_RULES) if f"`{rule}`" not in text] == []
