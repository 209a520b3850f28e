"""What every measure keeps, whatever it is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_cli.measures.base import CellMeasure, Column, Footprint, Measure, Own, Release, Ties
from tests.contracts.parts import BY_ROW, MEASURES, OBJECTIVES

EVERY = [pytest.param(measure(), id=measure.name) for measure in MEASURES]


def _footprint(has_distances: bool) -> Footprint:
    """Four cells, each covering one value more."""
    leaves = np.arange(1, 5)
    mass = 10 * leaves.astype(np.float64)
    return Footprint(
        leaves=leaves,
        height=leaves - 1,
        depth=4 - leaves,
        nearest=np.full(4, 3),
        width=leaves / 4 - 0.25 if has_distances else None,
        mass=mass,
        mass_log=3 * mass,
        all_leaves=4,
        all_height=3,
        all_rows=40,
    )


def _column(footprint: Footprint, sizes: np.ndarray, weight: float) -> Column:
    """Classes with one cell after the other."""
    cell_of = np.arange(len(sizes)) % 4
    rows = np.bincount(cell_of, sizes, 4).astype(np.int64)
    ties = Ties(np.arange(4), rows, footprint.mass / 2, -0.5 * float(rows.sum()))
    return Column(footprint, rows, weight, cell_of, Own(2.0 * float(rows.sum()), rows / 3), ties)


def _release(footprints: list[Footprint], weights: list[float], sizes: np.ndarray, suppressed: int) -> Release:
    columns = {
        f"q{at}": _column(footprint, sizes, weight)
        for at, (footprint, weight) in enumerate(zip(footprints, weights, strict=True))
    }
    rows = float(sizes.sum())
    return Release(columns, sizes, suppressed, 2, True, (sizes + 1) // 2, -rows, 1.5 * rows)


@st.composite
def releases(draw: st.DrawFn) -> tuple[Release, Release, Release]:
    """Two parts of a table with their own classes, and the whole."""
    first = draw(st.lists(st.integers(2, 30), min_size=4, max_size=4))
    second = draw(st.lists(st.integers(2, 30), min_size=1, max_size=6))
    suppressed = [draw(st.integers(0, 5)) for _ in range(2)]
    weights = draw(st.lists(st.sampled_from([0.5, 1.0, 3.0]), min_size=1, max_size=3))
    footprints = [_footprint(draw(st.booleans())) for _ in weights]
    a, b, both = (
        _release(footprints, weights, np.array(sizes, dtype=np.int64), rows)
        for sizes, rows in [(first, suppressed[0]), (second, suppressed[1]), (first + second, sum(suppressed))]
    )
    return a, b, both


@pytest.mark.parametrize("measure", EVERY)
@given(release=releases())
@settings(max_examples=40, deadline=None)
def test_tallies_of_parts_add_up(measure: Measure, release: tuple[Release, Release, Release]) -> None:
    first, second, whole = release
    assert measure.is_told(whole)
    together = measure.tally(first) + measure.tally(second)
    assert together == pytest.approx(measure.tally(whole))
    assert measure.loss(together) == pytest.approx(measure.loss(measure.tally(whole)))
    assert measure.details(together) == pytest.approx(measure.details(measure.tally(whole)))


@pytest.mark.parametrize("measure", OBJECTIVES + BY_ROW)
def test_an_unchanged_cell_costs_nothing_and_a_suppressed_one_most(measure: CellMeasure) -> None:
    rows = np.array([1, 2, 3, 4])  # of four values; the cells: the first value, two values, three, all
    mass, mass_log = np.cumsum(rows).astype(float), np.cumsum(rows * np.log2(rows))
    depth, nearest = 3 - np.arange(4), np.full(4, 3)
    for width in (None, np.array([0.0, 0.25, 0.5, 1.0])):
        footprint = Footprint(np.arange(1, 5), np.arange(4), depth, nearest, width, mass, mass_log, 4, 3, 10)
        prices = measure.price(footprint)
        assert prices[0] == 0
        assert (prices[3] > prices[:3]).all()
