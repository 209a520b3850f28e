"""Cells as numbers."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from kanon_cli.audit.reading import Reading, read
from kanon_cli.mining.features import View, features, items, of_original, of_release
from kanon_cli.tables.columns import TextColumn
from kanon_cli.tables.kinds import Kind
from kanon_cli.tables.taxonomy import grow

TREE = grow(["a", "b", "c", "d"], {"a": "ab", "b": "ab", "ab": "*", "c": "*", "d": "*"})


def column(*texts: str | None) -> TextColumn:
    found = list(dict.fromkeys(text for text in texts if text is not None))
    codes = [-1 if text is None else found.index(text) for text in texts]
    return TextColumn(np.array(codes, dtype=np.int32), pa.array(found, pa.string()), pa.string())


def reading(original: TextColumn, released: TextColumn, kind: Kind) -> Reading:
    return read({"x": released}, {"x": original}, {"x": kind}, "interval")["x"]


def both(original: TextColumn, released: TextColumn, kind: Kind) -> tuple[View, View]:
    found = reading(original, released, kind)
    return of_original(found, original), of_release(found)


def test_a_node_is_the_mean_of_the_leaves_below_it_that_occur() -> None:
    exact, coarse = both(column("a", "b", "c", "c"), column("ab", "ab", "c", "*"), Kind(taxonomy=TREE))
    frequent_first = [1, 2, 0, 3]  # c, a, b, missing
    by_row = np.array([[0.5, 0.5, 0, 0], [0.5, 0.5, 0, 0], [0, 0, 1, 0], [0.25] * 4])
    order = [2, 0, 1, 3]
    assert features({"x": coarse})[:, :4].tolist() == by_row[:, order].tolist()
    assert features({"x": exact})[:, :4].argmax(axis=1).tolist() == [frequent_first[0], 2, 0, 0]


def test_an_interval_is_its_bounds_and_a_suppressed_number_may_be_missing() -> None:
    exact, coarse = both(column("1", "3", "9", None), column("[1-3]", "[1-3]", "*", "*"), Kind(type="numeric"))
    assert features({"x": coarse}).tolist() == [[1, 3, 0], [1, 3, 0], [1, 9, 0.25], [1, 9, 0.25]]
    assert features({"x": exact}).tolist() == [[1, 1, 0], [3, 3, 0], [9, 9, 0], [1, 9, 1]]


def test_a_release_that_changes_nothing_has_the_features_of_its_original() -> None:
    texts = column("2020-01-01", "2020-03-01", None)
    exact, coarse = both(texts, texts, Kind(type="date"))
    assert np.array_equal(features({"x": exact}), features({"x": coarse}))


def test_values_beyond_the_most_frequent_share_a_feature(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kanon_cli.mining.features.MOST_VALUES", 1)
    exact, _ = both(column("a", "a", "b", None), column("a", "a", "b", None), Kind())
    assert features({"x": exact}).tolist() == [[1, 0], [1, 0], [0, 1], [0, 1]]


def test_items_of_a_number_are_ranges_with_about_as_many_rows() -> None:
    texts = column(*(str(at) for at in range(8)))
    exact, coarse = both(texts, column(*["[0-3]"] * 4, *["[4-7]"] * 4), Kind(type="numeric"))
    assert items({"x": exact})[0].tolist() == np.repeat(np.eye(4), 2, axis=0).tolist()
    assert items({"x": coarse})[0].tolist() == [[0.5, 0.5, 0, 0]] * 4 + [[0, 0, 0.5, 0.5]] * 4


def test_every_row_has_each_column_once() -> None:
    exact, coarse = both(column("a", "b", "c", "d"), column("ab", "ab", "*", "*"), Kind(taxonomy=TREE))
    for view in (exact, coarse):
        found, column_of = items({"x": view, "y": view})
        assert column_of.tolist() == [0] * 4 + [1] * 4
        assert np.allclose(found[:2].sum(axis=1), 2)
