"""Worked examples are the papers', and every experiment has its results (`test_docs_are_fresh` sees to the page)."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from benchmarks import artificial
from benchmarks.results import Row, Target
from benchmarks.setting import Setting
from reproduction import census, page, surveys, worked
from reproduction.experiment import Grid, spread_out
from reproduction.papers import TABLE, paper_called

PAPERS = Path(page.HOME / "papers")


def test_every_paper_is_in_the_table() -> None:
    found = {path.stem for path in PAPERS.glob("*.py")} - {"__init__"}
    assert {name: f"reproduction.papers.{name}" for name in found} == TABLE
    for module in TABLE.values():
        assert import_module(module).__doc__


@pytest.mark.parametrize("name", TABLE)
def test_every_experiment_was_measured_in_full_and_its_remark_is_written(name: str) -> None:
    for experiment in paper_called(name).experiments:
        outcome = page.outcome_of(name, experiment)
        assert outcome is not None, experiment.name
        assert not outcome.is_quick
        assert experiment.remark.endswith(".")
        for grid in experiment.grids:
            assert spread_out(outcome.rows, grid).count("\n") > 1, experiment.name


def test_no_result_in_the_tree_belongs_to_no_experiment() -> None:
    works = {page.work_name(name, experiment) for name in TABLE for experiment in paper_called(name).experiments}
    assert {path.stem for path in page.RESULTS.glob("*.json")} == works


def test_the_table_of_the_hilbert_curve_is_the_papers(tmp_path: Path) -> None:
    _agrees(list(worked.hilbert(Setting(is_quick=True, folder=tmp_path))), "place on the curve", 0)


def test_the_example_of_private_information_is_the_papers(tmp_path: Path) -> None:
    _agrees(list(worked.private_information(Setting(is_quick=True, folder=tmp_path))), "pmi", 5e-4)


def _agrees(found: list[object], figure: str, near: float) -> None:
    rows = [row for row in found if isinstance(row, Row)]
    assert rows
    for row in rows:
        assert row.got[figure] == pytest.approx(row.got["paper"], abs=near)
    assert all(target.holds for target in found if isinstance(target, Target))


def test_the_artificial_table_is_drawn_with_the_probabilities_of_its_paper() -> None:
    table = artificial.generate(artificial.ROWS)
    for at, probabilities in enumerate(artificial.PROBABILITIES):
        assert sum(probabilities) == pytest.approx(1)
        values = table.column(f"A{at + 1}").to_pylist()
        for value, probability in enumerate(probabilities):
            off = 4 * (probability * (1 - probability) / len(values)) ** 0.5  # four standard errors
            assert values.count(f"a{value + 1}") / len(values) == pytest.approx(probability, abs=off)


@pytest.mark.parametrize("name", census.TABLES)
def test_the_census_like_tables_have_the_values_that_the_paper_counts(name: str) -> None:
    table = census.generate(name, 20_000)
    assert table == census.generate(name, 20_000)
    for key, attribute in census.TABLES[name].items():
        values = np.array(table.column(key))
        assert values.min() >= 0
        assert values.max() < attribute.values
        assert len(np.unique(values)) > attribute.values / 2


def test_bands_hold_the_values_that_are_near() -> None:
    assert surveys.banded([1, 2, 3, 7], (2, 4)).splitlines() == [
        "1;1..2;1..4;*",
        "2;1..2;1..4;*",
        "3;3..4;1..4;*",
        "7;7..8;5..8;*",
    ]


def test_a_grid_puts_kinds_of_rows_side_by_side() -> None:
    rows = [
        Row({"algorithm": "a", "k": 5}, {"loss": 0.25, "paper": 0.2}),
        Row({"algorithm": "b", "k": 5}, {"loss": 0.5}),
        Row({"algorithm": "a", "k": 10}, {"loss": 0.75}),
    ]
    assert spread_out(rows, Grid(("k",), ("loss", "paper"), "algorithm", digits=2)).splitlines() == [
        "| k | a | a, paper | b |",
        "|---|---|---|---|",
        "| 5 | 0.25 | 0.20 | 0.50 |",
        "| 10 | 0.75 |  |  |",
    ]
