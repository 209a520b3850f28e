"""Explanations: what is said to be saved is saved, and no value of few rows is named."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from kanon_cli.deepening import deepen
from kanon_cli.events import Silence
from kanon_cli.explaining import by_value, explain
from kanon_cli.report.explanation import tell_explanation
from kanon_cli.report.html import page_of
from kanon_cli.spec.parse import parse
from kanon_cli.tables.columns import TextColumn
from kanon_cli.tables.domains import Domain, build
from kanon_cli.tables.kinds import Kind

SPEC = """\
input: in.csv
quasi_identifiers:
  far: numeric
  town: categorical
  same: categorical
privacy: {k: 3}
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Explain a table in which `far` is hard to hide, `same` costs nothing, and one town has few rows."""
    folder = tmp_path_factory.mktemp("explain")
    rng = np.random.default_rng(0)
    rows = [f"{rng.integers(10**6)},{'Rareham' if row < 4 else f'Town{row % 4}'},x" for row in range(120)]
    (folder / "in.csv").write_text("\n".join(["far,town,same", *rows, ""]), encoding="utf-8")
    (folder / "spec.yaml").write_text(SPEC, encoding="utf-8")
    return explain(parse(folder / "spec.yaml", need_output=False), 200, Silence())


def columns(found: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {entry["column"]: entry for entry in found["columns"]}


def test_the_loss_is_the_mean_over_the_columns(found: dict[str, Any]) -> None:
    assert found["loss"] == pytest.approx(np.mean([entry["loss"] for entry in found["columns"]]))
    assert sum(entry["share"] for entry in found["columns"]) == pytest.approx(1)


def test_a_column_that_costs_nothing_saves_nothing(found: dict[str, Any]) -> None:
    same = columns(found)["same"]
    assert same["loss"] == 0
    assert same["others_without"] == pytest.approx(same["others"], rel=0.05)  # a search is no exact science
    assert same["half_weight"]["others"] <= 1.1 * same["others"]


def test_without_the_column_that_is_hardest_to_hide_the_others_lose_next_to_nothing(found: dict[str, Any]) -> None:
    far = columns(found)["far"]
    assert far["others_without"] == 0
    assert far["others_without"] <= far["half_weight"]["others"] <= far["others"]
    assert far["half_weight"]["loss"] >= 0.95 * far["loss"]


def test_more_k_loses_more_and_never_less_than_the_bound(found: dict[str, Any]) -> None:
    losses = [entry["loss"] for entry in found["frontier"]]
    assert [entry["k"] for entry in found["frontier"]] == [2, 3, 5, 10, 20, 50]
    assert losses == sorted(losses)
    assert all(entry["bound"] <= entry["loss"] for entry in found["frontier"])


def test_rows_that_lose_most_lose_more_than_their_share(found: dict[str, Any]) -> None:
    assert found["left_out"]
    for entry in found["left_out"]:
        assert entry["share_of_loss"] > entry["rows"] / found["rows"]
        assert entry["loss"] < found["loss"]


def test_values_of_few_rows_are_not_named(found: dict[str, Any]) -> None:
    *towns, rare = found["values"]["town"]
    assert [(entry["value"][:4], entry["rows"]) for entry in towns] == [("Town", 29)] * 3
    assert (rare["value"], rare["rows"]) == ("1 value of fewer than 10 rows each", 4)
    assert [entry["rows"] for entry in found["values"]["far"]] == [24] * 5
    assert "Rareham" not in json.dumps(found)
    assert found["values"]["town"][-1]["row_loss"] is None


def test_an_explanation_is_told(found: dict[str, Any]) -> None:
    story = tell_explanation("t", found, "1")
    assert [section.key for section in story.sections] == ["columns", "values", "rows", "frontier"]
    assert "</html>" in page_of(story)


def domain_of(texts: list[str], kind: Kind) -> Domain:
    known = list(dict.fromkeys(texts))
    codes = np.array([known.index(text) for text in texts], dtype=np.int32)
    found = build("c", TextColumn(codes, pa.array(known), pa.string()), kind)
    assert isinstance(found, Domain)
    return found


def test_rows_with_the_same_number_are_in_the_same_part() -> None:
    texts = ["1"] * 45 + ["2"] * 15 + ["3"] * 40
    entries = by_value(domain_of(texts, Kind(type="numeric")), np.repeat([1.0, 5.0, 2.0], [45, 15, 40]), 10)
    assert [(entry["value"].partition(" %")[0], entry["rows"], entry["row_loss"]) for entry in entries] == [
        ("0-45", 45, 1.0),
        ("45-60", 15, 5.0),
        ("60-100", 40, 2.0),
    ]


def test_missing_numbers_are_neither_low_nor_high() -> None:
    column = TextColumn(np.repeat([0, 1, -1], 20).astype(np.int32), pa.array(["1", "2"]), pa.string())
    domain = build("c", column, Kind(type="numeric"))
    assert isinstance(domain, Domain)
    entries = by_value(domain, np.repeat([1.0, 2.0, 3.0], 20), 10)
    assert [(entry["value"][:6], entry["row_loss"]) for entry in entries] == [
        ("0-50 %", 1.0),
        ("50-100", 2.0),
        ("(missi", 3.0),
    ]


def test_sets_have_no_order_and_are_shown_by_value() -> None:
    entries = by_value(domain_of(["b"] * 12 + ["a"] * 12 + ["c"], Kind(as_set=True)), np.arange(25.0), 10)
    assert [entry["value"] for entry in entries] == ["a", "b", "1 value of fewer than 10 rows each"]


def test_a_finer_tree_has_the_same_leaves_in_the_same_order() -> None:
    flat = domain_of([f"v{at}" for at in range(9)], Kind())
    deeper = deepen(flat)
    assert deeper is not None
    assert deeper.tree is not None
    assert flat.tree is not None
    assert [deeper.tree.label[node] for node in deeper.tree.leaf] == [flat.tree.label[node] for node in flat.tree.leaf]
    assert deeper.tree.height[0] == 2
    assert np.bincount(deeper.tree.parent[deeper.tree.leaf]).tolist()[1:] == [3, 3, 3]


def test_a_finer_tree_of_numbers_knows_how_wide_its_groups_are() -> None:
    deeper = deepen(domain_of([str(at) for at in range(40)], Kind(type="numeric", intervals=(Decimal(10),))))
    assert deeper is not None
    assert deeper.tree is not None
    groups = {label: span for label, span in deeper.node_bounds.items() if label.startswith("\0")}
    assert sorted(int(high - low) for low, high in groups.values()) == [1, 1, 1, 1] + [3] * 8 + [19, 19]


@pytest.mark.parametrize("kind", [Kind(type="numeric"), Kind(as_set=True)])
def test_what_is_free_cannot_be_finer(kind: Kind) -> None:
    assert deepen(domain_of(["1", "2", "3", "4", "5"], kind)) is None
    assert deepen(domain_of(["a", "b", "c"], Kind())) is None
