"""What every algorithm keeps that gives each row a box of its own, judged by brute force on its files."""

from __future__ import annotations

import csv
import json
import tempfile
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_cli import bounding, pipeline
from kanon_cli.algorithms.base import Algorithm, Terms
from kanon_cli.events import Silence
from kanon_cli.kernels.records import price_boxes, rates_of
from kanon_cli.measures.base import CellMeasure
from kanon_cli.measures.lm import Lm
from kanon_cli.models import NOTIONS
from kanon_cli.models.base import Notion
from kanon_cli.parts import load
from kanon_cli.problem import Problem
from kanon_cli.spec.parse import parse
from tests import naive
from tests.contracts.parts import FAMILIES, MINIMISED, RECODERS
from tests.contracts.test_releases import _write
from tests.naive import models, notions
from tests.strategies import Task, models_of, problem_of, tables, tasks


def _recode(algorithm: Algorithm, problem: Problem, seed: int = 0) -> tuple[Any, float]:
    """The boxes, and what they lose."""
    found = algorithm.recode(problem, Terms(seed, effort=10))
    assert found.lo.shape == found.hi.shape == problem.rank_of.shape
    assert (found.lo <= problem.rank_of).all(), "a box covers its row"
    assert (found.hi >= problem.rank_of).all()
    price_of = np.empty(problem.rows, dtype=np.int32)
    low, high = np.ascontiguousarray(found.lo.T), np.ascontiguousarray(found.hi.T)
    price_boxes(rates_of(problem.costs), low, high, price_of)
    return found, price_of.sum() / (found.lo.size * int(problem.costs.unit))


def release_of(algorithm: Algorithm, task: Task, measure: str, order: str) -> tuple[list[list[str]], dict[str, Any]]:
    """Run a spec; give the rows of the file and the report."""
    with tempfile.TemporaryDirectory() as name:
        path = _write(task, algorithm, measure, order, Path(name))
        spec = yaml.safe_load(path.read_text())
        spec["privacy"] |= {"notion": algorithm.keeps, "accept_weak": True}
        spec["effort"] = 10
        path.write_text(yaml.safe_dump(spec))
        pipeline.run(parse(path), Silence())
        with (path.parent / "out" / "release.csv").open(newline="") as file:
            _, *rows = list(csv.reader(file))
        return rows, json.loads((path.parent / "out" / "release.report.json").read_text())


@pytest.mark.parametrize("algorithm", RECODERS)
@given(task=tasks(max_rows=14), measure=st.sampled_from(MINIMISED), order=st.sampled_from(["sorted", "input"]))
@settings(max_examples=6, deadline=None)
def test_the_release_keeps_its_notion_and_the_report_says_what_it_keeps(
    algorithm: Algorithm, measure: CellMeasure, task: Task, order: str
) -> None:
    task = replace(task, further={key: asked for key, asked in task.further.items() if key != "delta"})  # with k only
    rows, report = release_of(algorithm, task, measure.name, order)
    released, secrets = [row[:-1] for row in rows], [row[-1] for row in rows]
    assert naive.matched(task.table, released, secrets) == len(task.table.rows), "every cell covers its original"
    graph = notions.neighbours(task.table, released)
    found = notions.figures(graph)
    notion = load(FAMILIES["models"], NOTIONS[algorithm.keeps], Notion)
    assert {name: report["privacy"]["achieved"][name] for name in found} == found
    assert all(found[name] >= task.k for name in notion.figures)
    seen = notions.matches(graph) if notion.ground == "matches" else graph
    assert task.diversity is None or notions.is_diverse(seen, secrets, task.diversity)
    values = [secret or None for secret in secrets]
    assert all(models.keeps(task.further, values, sorted(members)) for members in seen)
    assert report["privacy"]["risk"] == pytest.approx(
        {
            "prosecutor_max": 1 / min(map(len, seen)),
            "prosecutor_mean": sum(1 / len(rows) for rows in seen) / len(seen),
        }
    )
    assert report["privacy"]["weakness"] == notion.weakness
    losses = [
        sum(naive.released_loss(task.table, column, cells[column], measure.name) for cells in released) / len(released)
        for column in range(len(task.table.columns))
    ]
    weights = task.table.weights
    expected = sum(loss * weight for loss, weight in zip(losses, weights, strict=True)) / sum(weights)
    assert report["utility"][measure.name] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("algorithm", RECODERS)
@given(task=tasks(max_rows=25), measure=st.sampled_from(MINIMISED), seed=st.integers(0, 3))
@settings(max_examples=6, deadline=None)
def test_the_same_seed_gives_the_same_boxes_that_lose_no_less_than_the_bound(
    algorithm: Algorithm, measure: CellMeasure, task: Task, seed: int
) -> None:
    problem = problem_of(task.table, task.models, measure)
    arrays: list[Any] = [problem.rank_of, problem.aim.secret_of, *map(np.asarray, problem.costs)]
    before = [array.copy() for array in arrays]
    once, loss = _recode(algorithm, problem, seed)
    again, _ = _recode(algorithm, problem, seed)
    assert (once.lo.tobytes(), once.hi.tobytes(), once.facts) == (again.lo.tobytes(), again.hi.tobytes(), again.facts)
    assert all(np.array_equal(old, new) for old, new in zip(before, arrays, strict=True))
    assert bounding.lower_bound(problem, 0).loss <= loss + 1e-9


@pytest.mark.parametrize("algorithm", RECODERS)
@given(table=tables(max_rows=1, min_rows=1), k=st.integers(2, 5), more=st.integers(0, 9))
@settings(max_examples=3, deadline=None)
def test_identical_rows_cost_nothing(algorithm: Algorithm, table: naive.Table, k: int, more: int) -> None:
    same = naive.Table([table.rows[0]] * (k + more), table.columns, table.weights, [None] * (k + more))
    assert _recode(algorithm, problem_of(same, models_of(k, None), Lm()))[1] == 0


@pytest.mark.parametrize("diversity", [None, Fraction(3, 2), Fraction(3)], ids=["k alone", "l = 1.5", "l at its limit"])
@pytest.mark.parametrize("k", [2, 30])
@pytest.mark.parametrize("algorithm", RECODERS)
def test_tables_at_the_edge_are_released(algorithm: Algorithm, k: int, diversity: Fraction | None) -> None:
    tree = naive.Tree({**{leaf: "NM"[leaf < "e"] for leaf in "abcdefgh"}, "N": "*", "M": "*"})
    cells = [(str(row * row) if row % 7 else None, "abcdefgh"[row % 8]) for row in range(30)]
    table = naive.Table(cells, [naive.Numbers(), tree], [1.0, 1.0], ["x", "y", "z"] * 10)
    rows, report = release_of(algorithm, Task(table, k, diversity), "lm", "sorted")
    graph = notions.neighbours(table, [row[:-1] for row in rows])
    assert {name: report["privacy"]["achieved"][name] for name in ("k1", "1k")} == {
        "k1": min(sum(at in found for found in graph) for at in range(30)),
        "1k": min(map(len, graph)),
    }
