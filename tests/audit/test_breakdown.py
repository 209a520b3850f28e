"""Who pays for a release, and what a reader would count in it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_cli.audit.breakdown import Part
from kanon_cli.audit.inspection import Finding, IntArray, Original, Subject, inspect
from kanon_cli.measures.base import CellMeasure
from kanon_cli.measures.lm import Lm
from kanon_cli.measures.mi import Mi
from kanon_cli.measures.tree import Tree
from kanon_cli.measures.wmi import Wmi
from kanon_cli.models.k import K
from kanon_cli.tables.kinds import Kind
from tests.audit.releases import CHOICES, KINDS, Columns, release
from tests.audit.tables import table
from tests.naive import measures as naive


@st.composite
def drawn(draw: st.DrawFn) -> tuple[Columns, list[int]]:
    """A random table, and groups of its rows."""
    rows = draw(st.integers(2, 16))
    original = {
        name: draw(st.lists(st.sampled_from(cells), min_size=rows, max_size=rows)) for name, cells in CHOICES.items()
    }
    return original, draw(st.lists(st.integers(0, 3), min_size=rows, max_size=rows))


def _inspect(original: Columns, groups: list[int], measure: CellMeasure, fairness: str | None = None) -> Finding:
    subject = Subject(release(original, groups, "interval"), KINDS, ("illness",), fairness=fairness)
    return inspect(subject, (K(k=2),), measure, Original(table(original), ("illness",), np.arange(len(groups))))


def _mean(parts: list[Part]) -> float:
    return sum(part.rows * (part.loss or 0.0) for part in parts) / sum(part.rows for part in parts)


@given(drawn(), st.sampled_from([Lm(), Tree(), Mi(), Wmi()]), st.sampled_from(["sex", "illness", "age"]))
@settings(max_examples=40, deadline=None)
def test_the_losses_of_parts_make_up_the_loss(
    given_: tuple[Columns, list[int]], measure: CellMeasure, column: str
) -> None:
    original, groups = given_
    found = _inspect(original, groups, measure, column)
    assert found.utility is not None
    assert found.by_size is not None
    assert found.by_group is not None
    loss = found.utility.losses[measure.name]
    assert _mean(list(found.by_size.values())) == pytest.approx(loss, abs=1e-9)
    assert _mean(list(found.by_group)) == pytest.approx(loss, abs=1e-9)
    assert sum(part.rows for part in found.by_group) == len(groups)
    rows = [part.rows for part in found.by_group]
    assert min(rows) >= 2
    assert rows[:-1] == sorted(rows[:-1], reverse=True)


@given(drawn(), st.sampled_from([Lm(), Tree(), Mi(), Wmi()]), st.sampled_from(["sex", "illness", "age"]), st.data())
@settings(max_examples=40, deadline=None)
def test_rows_that_were_left_out_count_in_their_group_and_beside_the_classes(
    given_: tuple[Columns, list[int]], measure: CellMeasure, column: str, data: st.DataObject
) -> None:
    original, groups = given_
    kept = data.draw(st.lists(st.sampled_from(range(len(groups))), min_size=1, max_size=len(groups) - 1, unique=True))
    rows = {name: [cells[row] for row in kept] for name, cells in original.items()}
    released = release(rows, [groups[row] for row in kept], "interval")
    subject = Subject(released, KINDS, ("illness",), fairness=column)
    found = inspect(subject, (K(k=2),), measure, Original(table(original), ("illness",), np.array(kept)))
    assert found.utility is not None
    assert found.by_size is not None
    assert found.by_group is not None
    loss = found.utility.losses[measure.name]
    for parts in (list(found.by_size.values()), list(found.by_group)):
        assert _mean(parts) == pytest.approx(loss, abs=1e-9)
        assert sum(part.rows for part in parts) == len(groups)
        assert sum(part.left_out for part in parts) == len(groups) - len(kept)
    assert found.by_size["left out"].rows == found.by_size["left out"].left_out


def _small(cells: dict[str, str], released: dict[str, str], **options: Any) -> Finding:
    """A release of columns whose values are letters."""
    columns = {name: list(letters) for name, letters in cells.items()}
    kinds = {name: Kind() for name in cells}
    after = {name: list(letters) for name, letters in released.items()}
    rows = np.arange(len(next(iter(columns.values()))))
    return inspect(Subject(table(after), kinds, (), **options), (K(k=2),), Lm(), Original(table(columns), (), rows))


def test_a_minority_that_pays_more_is_seen() -> None:
    found = _small({"q": "aabbcd", "g": "xxxxyy"}, {"q": "aabb**", "g": "xxxxyy"}, fairness="g")
    assert found.by_group == [Part(4, 0.0), Part(2, 0.5)]
    assert found.by_size is not None
    (sizes, part), *others = found.by_size.items()
    assert (sizes, part.rows, others) == ("2", 6, [])
    assert part.loss == pytest.approx(1 / 6)


@pytest.mark.parametrize("witness", [np.array([0, 1, 2, 4, 3]), None])
def test_a_minority_that_was_left_out_pays_for_it(witness: IntArray | None) -> None:
    released, original = (
        table({"q": list(cells), "g": list(groups)}) for cells, groups in (("aaabb", "xxxyx"), ("aaabbcc", "xxxxyyy"))
    )
    subject = Subject(released, {"q": Kind()}, (), fairness="g")
    found = inspect(subject, (K(k=2),), Lm(), Original(original, ("g",), witness))
    assert found.by_group == [Part(4, 0.0), Part(3, 2 / 3, left_out=2)]
    assert found.by_size == {"2": Part(2, 0.0), "3": Part(3, 0.0), "left out": Part(2, 1.0, left_out=2)}


def test_groups_of_fewer_than_k_rows_are_not_shown_by_themselves() -> None:
    found = _small({"q": "aaaaaa", "g": "xxxxyz"}, {"q": "aaaaaa", "g": "xxxx**"}, fairness="g")
    assert found.by_group is not None
    assert [(part.rows, part.values) for part in found.by_group] == [(4, 1), (2, 2)]
    found = _small({"q": "aaaaaa", "g": "xxxxxy"}, {"q": "aaaaaa", "g": "******"}, fairness="g")
    assert found.by_group is not None
    assert [(part.rows, part.values) for part in found.by_group] == [(6, 2)]


@pytest.mark.parametrize(("column", "rows", "parts"), [("q", "baba", None), ("s", "baba", 2), ("q", "aabb", 2)])
def test_without_a_witness_only_the_same_order_tells_the_groups_of_a_column_that_is_generalized(
    column: str, rows: str, parts: int | None
) -> None:
    original, released = (table({"q": list(values), "s": list("xyxy")}) for values in ("aabb", rows))
    subject = Subject(released, {"q": Kind()}, ("s",), fairness=column)
    found = inspect(subject, (K(k=2),), Lm(), Original(original, ("s",))).by_group
    assert (found and len(found)) == parts


def test_two_columns_tell_as_much_about_each_other_as_counting_says() -> None:
    cells = {"q": "aaaabbbbcc", "p": "xxxyyyyxyx"}
    found = _small(cells, cells)
    assert found.pairs is not None
    before, after = found.pairs["q"]["p"]
    assert before == pytest.approx(naive.bits_of_pair(list(cells["q"]), list(cells["p"])), abs=1e-6)
    assert after == pytest.approx(before)
    hidden = _small(cells, {"q": "aaaabbbbcc", "p": "*" * 10})
    assert hidden.pairs is not None
    assert hidden.pairs["q"]["p"] == pytest.approx((before, 0.0))


@given(drawn())
@settings(max_examples=40, deadline=None)
def test_counts_are_of_all_rows_and_those_of_an_unchanged_table_are_the_same(
    given_: tuple[Columns, list[int]],
) -> None:
    original, groups = given_
    rows = len(groups)
    changed, unchanged = _inspect(original, groups, Lm()), _inspect(original, list(range(rows)), Lm())
    for found in (changed, unchanged):
        for attribute in (found.attributes or {}).values():
            assert attribute.counts_in is not None
            assert attribute.counts_out is not None
            assert sum(attribute.counts_in) == rows
            assert sum(attribute.counts_out) == pytest.approx(rows, abs=0.1)
    for name, attribute in (unchanged.attributes or {}).items():
        assert attribute.counts_out == attribute.counts_in
        if attribute.means is not None:
            assert attribute.means[0] == pytest.approx(attribute.means[1]), name


def test_a_mean_is_that_of_the_middles() -> None:
    original = table({"age": ["20", "30", "60", None]})
    released = table({"age": ["[20-30]", "[20-30]", "60", None]})
    subject = Subject(released, {"age": Kind(type="numeric")}, ())
    found = inspect(subject, (), Lm(), Original(original, (), np.arange(4)))
    assert found.attributes is not None
    before, after = found.attributes["age"].means or (0.0, 0.0)
    assert before == pytest.approx(110 / 3)
    assert after == pytest.approx(110 / 3)
