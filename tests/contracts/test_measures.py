"""What every measure keeps, whatever it is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_cli.measures.base import CellMeasure, Column, Footprint, Measure, Release
from tests.contracts.parts import MEASURES, OBJECTIVES

EVERY = [pytest.param(measure(), id=measure.name) for measure in MEASURES]


@st.composite
def releases(draw: st.DrawFn) -> tuple[Release, Release, Release]:
    """Two parts of a table with their own classes, and the whole."""
    sizes = [np.array(draw(st.lists(st.integers(2, 30), min_size=1, max_size=6)), dtype=np.int64) for _ in range(2)]
    suppressed = [draw(st.integers(0, 5)) for _ in range(2)]
    weights = draw(st.lists(st.sampled_from([0.5, 1.0, 3.0]), min_size=1, max_size=3))
    parts: list[dict[str, Column]] = [{}, {}]
    whole: dict[str, Column] = {}
    for at, weight in enumerate(weights):
        leaves = np.arange(1, 5)
        width = leaves / 4 - 0.25 if draw(st.booleans()) else None
        mass = 10 * leaves.astype(np.float64)
        print_ = Footprint(leaves, leaves - 1, width, mass, 3 * mass, 4, 3)
        rows = [np.bincount(np.arange(size.sum()) % 4, minlength=4) for size in sizes]
        for part, counted in zip(parts, rows, strict=True):
            part[f"q{at}"] = Column(print_, counted, weight)
        whole[f"q{at}"] = Column(print_, rows[0] + rows[1], weight)
    first, second = (Release(parts[at], sizes[at], suppressed[at], 2) for at in range(2))
    return first, second, Release(whole, np.concatenate(sizes), sum(suppressed), 2)


@pytest.mark.parametrize("measure", EVERY)
@given(release=releases())
@settings(max_examples=40, deadline=None)
def test_tallies_of_parts_add_up(measure: Measure, release: tuple[Release, Release, Release]) -> None:
    first, second, whole = release
    together = measure.tally(first) + measure.tally(second)
    assert together == pytest.approx(measure.tally(whole))
    assert measure.loss(together) == pytest.approx(measure.loss(measure.tally(whole)))


@pytest.mark.parametrize("measure", OBJECTIVES)
def test_an_unchanged_cell_costs_nothing_and_a_suppressed_one_most(measure: CellMeasure) -> None:
    rows = np.array([1, 2, 3, 4])  # of four values; the cells: the first value, two values, three, all
    mass, mass_log = np.cumsum(rows).astype(float), np.cumsum(rows * np.log2(rows))
    for width in (None, np.array([0.0, 0.25, 0.5, 1.0])):
        prices = measure.price(Footprint(np.arange(1, 5), np.arange(4), width, mass, mass_log, 4, 3))
        assert prices[0] == 0
        assert (prices[3] > prices[:3]).all()
