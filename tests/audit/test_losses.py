"""Footprints: what each cell covers of the original, by hand and against plain counting."""

from __future__ import annotations

import math
from collections import Counter
from decimal import Decimal

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_cli.audit.losses import Trace, footprints
from kanon_cli.audit.reading import Numeric
from kanon_cli.measures.entropy import Entropy
from kanon_cli.measures.gcp import Gcp
from kanon_cli.measures.il import Il
from kanon_cli.measures.lm import Lm
from kanon_cli.tables.kinds import Kind
from kanon_cli.tables.taxonomy import grow
from tests.audit.releases import CHOICES, DEGREE_OF, DEGREES, KINDS, Cell, Columns, release
from tests.audit.tables import table


def footprint(
    original: list[Cell], released: list[Cell], kind: Kind | None, witness: npt.NDArray[np.int64] | None = None
) -> Trace:
    """The footprint of one column of a release."""
    numeric: Numeric = "interval" if witness is None else "midpoint"
    column = footprints(table({"q": released}), table({"q": original}), {"q": kind}, numeric, witness)["q"]
    assert column is not None
    return column


def widths(original: list[Cell], released: list[Cell], kind: Kind) -> list[float]:
    """The width of each different cell, in the order they are met."""
    width = footprint(original, released, kind).footprint.width
    assert width is not None
    result: list[float] = width.tolist()
    return result


NUMERIC = Kind(type="numeric")
AGES: list[Cell] = ["20", "25", "25.0", "30", "60", None]


def test_numbers_are_measured_in_their_range() -> None:
    """Width by the range of the present values, leaves by exact value, mass by rows; the missing value is one more."""
    column = footprint(AGES, ["25", "[20-30]", "[20-30]", "*", None, "[20-60]"], NUMERIC)
    found = column.footprint
    assert column.rows.tolist() == [1, 2, 1, 1, 1]
    assert found.width is not None
    assert found.width.tolist() == [0.0, 0.25, 1.0, 0.0, 1.0]
    assert found.leaves.tolist() == [1, 3, 5, 1, 4]
    assert found.height.tolist() == [0, 1, 1, 0, 1]
    assert found.mass.tolist() == [2.0, 4.0, 6.0, 1.0, 5.0]
    assert found.mass_log.tolist() == [2.0] * 3 + [0.0, 2.0]
    assert (found.all_leaves, found.all_height) == (5, 1)


def test_nodes_of_numbers_are_clipped_to_the_range() -> None:
    """A closed node ends with its last whole number, an open one with its bound; no more than the table counts."""
    nested = Kind(type="numeric", intervals=(Decimal(5000),))
    cells: list[Cell] = ["[20000-24999]", "[15000-19999]", "[20000-25000)", "[25000-29999]"]
    assert widths(["18000", "28000"] * 2, cells, nested) == [0.4999, 0.1999, 0.5, 0.3]


def test_dates_are_measured_in_days() -> None:
    """A node of the calendar counts from its first to its last day."""
    calendar = Kind(type="date", calendar=True)
    original: list[Cell] = ["2020-01-01", "2020-02-10", "2020-04-10", "2020-01-01"]
    cells: list[Cell] = ["2020-02", "[2020-01-01/2020-02-10]", "2020-Q2", "2020"]
    assert widths(original, cells, calendar) == [0.28, 0.4, 0.09, 1.0]


@pytest.mark.parametrize(
    ("original", "cell", "expected"),
    [
        (["5", "5.0"], "5", 0.0),
        (["5", "5.0"], "*", 0.0),
        (["5", None], "*", 1.0),
        (["5", None], None, 0.0),
        ([None, None], None, 0.0),
        ([None, None], "*", 0.0),
        (["1e150", "-1e150"], "[0-1e150]", 0.5),
        (["0.1", "0.4"], "[0.1-0.2]", 1 / 3),
        (["9007199254740992", "9007199254740994"], "[9007199254740992-9007199254740993]", 0.5),
    ],
)
def test_the_edges_of_a_range(original: list[Cell], cell: Cell, expected: float) -> None:
    """A domain of one value costs nothing, unless missing is hidden with it; huge and tiny differences are exact."""
    assert widths(original, [cell] * 2, NUMERIC) == [expected]


def test_a_taxonomy_counts_all_its_leaves() -> None:
    """Leaves that don't occur count as well; missing, where it occurs, is one more under the root."""
    cells: list[Cell] = ["BA", "Higher", "School", "Any", "*", None]
    found = footprint(["BA", "MA", "8th", None, "BA", "BA"], cells, Kind(taxonomy=DEGREES)).footprint
    assert found.leaves.tolist() == [1, 3, 2, 5, 6, 1]
    assert found.height.tolist() == [0, 1, 1, 2, 2, 0]
    assert found.mass.tolist() == [3.0, 4.0, 1.0, 5.0, 6.0, 1.0]
    assert found.mass_log == pytest.approx([3 * math.log2(3)] * 2 + [0.0] + [3 * math.log2(3)] * 2 + [0.0])
    assert (found.all_leaves, found.all_height, found.width) == (6, 2, None)
    without_missing = footprint(["BA", "MA"], ["*", "*"], Kind(taxonomy=DEGREES)).footprint
    assert (without_missing.leaves.tolist(), without_missing.all_leaves) == ([5], 5)


def test_a_chain_in_a_taxonomy_has_height_but_no_more_leaves() -> None:
    kind = Kind(taxonomy=grow(["a", "b"], {"a": "A", "A": "AA", "AA": "root", "b": "root"}))
    found = footprint(["a", "b"], ["A", "AA"], kind).footprint
    assert (found.leaves.tolist(), found.height.tolist(), found.all_height) == ([1, 1], [1, 2], 3)


def test_masks_count_the_values_that_occur() -> None:
    cells: list[Cell] = ["47918", "4791*", "479**", "4****", "*", None]
    found = footprint(["47918", "47911", "47900", "40000", None, "90000"], cells, Kind(mask=5)).footprint
    assert found.leaves.tolist() == [1, 2, 3, 4, 6, 1]
    assert found.height.tolist() == [0, 1, 2, 4, 5, 0]
    assert (found.all_leaves, found.all_height) == (6, 5)


def test_sets_count_what_they_list() -> None:
    """Their `il` is the share of the leaves; members need not be neighbours."""
    column = footprint(["a", "b", "c", "c", None], ["a", "{a|c}", "{a|b|c}", "*", None], Kind(as_set=True))
    assert column.footprint.leaves.tolist() == [1, 2, 3, 4, 1]
    assert column.footprint.mass.tolist() == [1.0, 3.0, 4.0, 5.0, 1.0]
    assert column.footprint.mass_log.tolist() == [0.0, 2.0, 2.0, 2.0, 0.0]
    assert (
        Il().price(column.footprint).tolist() == Lm().price(column.footprint).tolist() == [0.0, 1 / 3, 2 / 3, 1.0, 0.0]
    )


def test_without_a_taxonomy_a_cell_is_kept_or_suppressed() -> None:
    found = footprint(["f", "m", "f"], ["f", "*", "*"], Kind(weight=3.0))
    assert (found.footprint.leaves.tolist(), found.footprint.height.tolist()) == ([1, 2], [0, 1])
    assert (found.footprint.all_leaves, found.footprint.all_height, found.weight) == (2, 1, 3.0)


def test_cells_that_are_not_understood_cost_as_much_as_suppressed_ones() -> None:
    degrees: list[Cell] = [*DEGREE_OF]
    for kind, original in [(NUMERIC, AGES), (Kind(taxonomy=DEGREES), degrees)]:
        found = footprint(original, ["what?"] * len(original), kind).footprint
        assert Gcp().price(found).tolist() == [1.0]
        assert found.mass.tolist() == [len(original)]


def test_guessed_columns_have_footprints() -> None:
    """Numbers by range, categories by the share of their values."""
    found = footprint(["479", "478", "300", "310"], ["47*", "47*", "[300,310]", "*"], None).footprint
    assert found.width == pytest.approx([1 / 179, 10 / 179, 1.0])
    categories = footprint(["NY", "NJ", "CA", None], ["N*", "{NY,CA}", "NY", "*"], None).footprint
    assert categories.leaves.tolist() == [2, 2, 1, 4]
    assert Il().price(categories).tolist() == [1 / 3, 1 / 3, 0.0, 1.0]


def test_bounds_are_measured_by_pairs() -> None:
    """Both missing says nothing at all."""
    released = table({"age_min": ["20", "20", "20", None], "age_max": ["30", "20", "30", None]})
    column = footprints(released, table({"age": ["20", "20", "30", None]}), {"age": NUMERIC}, "bounds")["age"]
    assert column is not None
    assert column.footprint.width is not None
    assert (column.footprint.width.tolist(), column.rows.tolist()) == ([1.0, 0.0, 1.0], [2, 1, 1])


def test_midpoints_are_measured_by_the_values_of_their_class() -> None:
    """A missing midpoint costs everything: a reader can't tell it from a suppressed one."""
    sexes: list[Cell] = ["a", "a", "b", "b", "c", "c", "d"]
    original = table({"age": ["20", "30", "60", "60", "20", None, None], "sex": sexes})
    midpoints: list[Cell] = ["25", "25", "60", "60", None, None, None]
    released = table({"age": midpoints, "sex": sexes})
    backwards = table({"age": midpoints[::-1], "sex": sexes[::-1]})
    kinds = {"age": NUMERIC, "sex": Kind()}
    for columns, witness in [(released, np.arange(7)), (backwards, np.arange(7)[::-1].copy())]:
        column = footprints(columns, original, kinds, "midpoint", witness)["age"]
        assert column is not None
        assert column.footprint.width is not None
        by_rows = sorted(zip(column.footprint.width.tolist(), column.rows.tolist(), strict=True))
        assert by_rows == [(0.0, 2), (0.25, 2), (1.0, 1), (1.0, 2)]
    without = footprints(released, original, kinds, "midpoint")
    assert without["age"] is None
    assert without["sex"] is not None
    assert footprints(released, original, kinds, "midpoint", np.full(7, 9))["age"] is None


@st.composite
def releases(draw: st.DrawFn) -> tuple[Columns, list[int], Numeric]:
    """A random table, groups of its rows, and a way to write numbers."""
    rows = draw(st.integers(1, 12))
    original = {
        name: draw(st.lists(st.sampled_from(cells), min_size=rows, max_size=rows)) for name, cells in CHOICES.items()
    }
    groups = draw(st.lists(st.integers(0, 3), min_size=rows, max_size=rows))
    return original, groups, draw(st.sampled_from(["interval", "bounds", "midpoint"]))


@given(releases())
@settings(deadline=None)
def test_the_entropy_of_a_release_agrees_with_counting(drawn: tuple[Columns, list[int], Numeric]) -> None:
    """Where a cell is the set of its group's values, the missing bits are those of counting the covered rows."""
    original, groups, numeric = drawn
    kinds = {"skill": KINDS["skill"], "sex": KINDS["sex"], "age": KINDS["age"]}
    witness = np.arange(len(groups))
    found = footprints(release(original, groups, numeric), table(original), kinds, numeric, witness)
    counts = Counter(original["skill"])
    bits = 0.0
    for group in groups:
        members = {value for value, other in zip(original["skill"], groups, strict=True) if other == group}
        inside = (
            list(counts.values()) if None in members and len(members) > 1 else [counts[member] for member in members]
        )
        bits += sum(-count / sum(inside) * math.log2(count / sum(inside)) for count in inside)
    skill = found["skill"]
    assert skill is not None
    assert Entropy().price(skill.footprint) @ skill.rows == pytest.approx(bits, abs=1e-9)


@given(releases())
@settings(deadline=None)
def test_prices_lie_between_nothing_and_all(drawn: tuple[Columns, list[int], Numeric]) -> None:
    """No cell costs less than nothing or more than `*`, and each row stands in one cell."""
    original, groups, numeric = drawn
    released = release(original, groups, numeric)
    found = footprints(released, table(original), KINDS, numeric, np.arange(len(groups)))
    for column in found.values():
        assert column is not None
        assert column.rows.sum() == len(groups)
        assert (column.footprint.mass >= 1).all()
        for measure in (Lm(), Il(), Gcp()):
            prices = measure.price(column.footprint)
            assert (prices >= 0).all()
            assert (prices <= 1).all()


@given(releases())
@settings(deadline=None)
def test_a_table_that_is_released_unchanged_costs_nothing(drawn: tuple[Columns, list[int], Numeric]) -> None:
    """Every row its own group."""
    original, groups, _ = drawn
    unchanged = release(original, range(len(groups)), "interval")
    for column in footprints(unchanged, table(original), KINDS, "interval").values():
        assert column is not None
        for measure in (Lm(), Il(), Gcp(), Entropy()):
            assert measure.price(column.footprint) == pytest.approx(0.0, abs=1e-12)
