"""No release of any algorithm loses less than the bound."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanon_cli import bounding, encoding, pipeline
from kanon_cli.algorithms.base import Algorithm, Terms
from kanon_cli.events import Silence
from kanon_cli.kernels.bounds import never_falling
from kanon_cli.kernels.pairs import nearest_of
from kanon_cli.measures.base import CellMeasure
from kanon_cli.measures.lm import Lm
from kanon_cli.spec.parse import parse
from tests import naive
from tests.contracts.parts import ALGORITHMS, OBJECTIVES
from tests.strategies import Task, examples, models_of, problem_of, tasks

KINDS = ("exact-k1", "pair", "sampled")


def _table(rows: int, seed: int, numbers: int = 2) -> naive.Table:
    rng = np.random.default_rng(seed)
    tree = naive.Tree({"a": "N1", "b": "N1", "c": "N2", "d": "N2", "N1": "N3", "N2": "N3"})
    columns = [rng.choice(["a", "b", "c", "d"], rows).tolist()]
    columns += [[str(value) for value in rng.geometric(0.1, rows)] for _ in range(numbers)]
    kinds: list[naive.Column] = [tree, *[naive.Numbers()] * numbers]
    return naive.Table(list(zip(*columns, strict=True)), kinds, [2.0, *[1.0] * numbers], [None] * rows)


@pytest.mark.parametrize("table_ranks", [0, encoding.TABLE_RANKS], ids=["formulas", "tables"])
@pytest.mark.parametrize("objective", OBJECTIVES)
@given(task=tasks(max_rows=6, max_k=3), work=st.sampled_from([0, 40, 400, bounding.DEFAULT_WORK]))
@examples(15)
def test_the_bound_is_never_above_the_optimum(objective: CellMeasure, table_ranks: int, task: Task, work: int) -> None:
    with patch.object(encoding, "TABLE_RANKS", table_ranks):
        problem = problem_of(task.table, task.models, objective)
    assert bounding.lower_bound(problem, 0, work).loss <= task.optimum(objective.name)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@given(task=tasks(), work=st.sampled_from([0, 400, bounding.DEFAULT_WORK]))
@examples(20)
def test_no_algorithm_is_better_than_the_bound(
    algorithm: Algorithm, objective: CellMeasure, task: Task, work: int
) -> None:
    problem = problem_of(task.table, task.models, objective)
    bound = bounding.lower_bound(problem, 0, work)
    groups = naive.groups_of(algorithm.partition(problem, Terms()).group_of.tolist())
    assert bound.kind in KINDS
    assert bound.loss <= naive.loss(task.table, groups, objective.name)


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_a_sample_gives_less_than_all_rows_and_the_input_is_untouched(objective: CellMeasure) -> None:
    problem = problem_of(_table(600, 0), models_of(5, None), objective)
    before = [array.copy() for array in map(np.asarray, problem.costs)]
    exact = bounding.lower_bound(problem, 0, 10 * bounding.DEFAULT_WORK)
    assert (exact.kind, exact.rows, exact.confidence) == ("exact-k1", 600, 1)
    rows = []
    for work in (1, 100_000, 1_000_000):
        sampled = bounding.lower_bound(problem, 0, work)
        assert (sampled.kind, sampled.confidence) == ("sampled", 0.999)
        assert 0 <= sampled.loss <= exact.loss
        rows.append(sampled.rows)
    assert min(rows) > 0
    assert max(rows) < 600
    assert all(np.array_equal(old, new) for old, new in zip(before, map(np.asarray, problem.costs), strict=True))


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_where_boxes_are_too_many_rows_are_held_against_their_nearest(objective: CellMeasure) -> None:
    problem = problem_of(_table(200, 0, 8), models_of(5, None), objective)
    bound = bounding.lower_bound(problem, 0, 300_000)
    assert (bound.kind, bound.rows, bound.confidence) == ("pair", 200, 1)
    found = np.empty(200, dtype=np.int64)
    costs = never_falling(problem.costs)
    nearest_of(np.arange(200), problem.rank_of, np.ones(200, dtype=np.int64), 5, costs, np.arange(9), found)
    nearest = found.sum() / (int(costs.unit) * 9 * 200)
    assert bound.loss >= nearest - 1e-6
    assert bound.loss > 0


@pytest.mark.parametrize("work", [0, 30_000, 200_000, bounding.DEFAULT_WORK])
def test_the_same_input_gives_the_same_bound(work: int) -> None:
    problem = problem_of(_table(600, 1), models_of(5, None), Lm())
    assert bounding.lower_bound(problem, 3, work) == bounding.lower_bound(problem, 3, work)


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_a_column_of_sets_is_never_worth_more_than_a_set_of_two(objective: CellMeasure) -> None:
    rows = [(value,) for value in "11234556"]
    problem = problem_of(naive.Table(rows, [naive.Numbers()], [1.0], [None] * 8), models_of(2, None), objective)
    loss = bounding.lower_bound(problem, 0, sets=[True]).loss
    assert loss <= 4 / 8 * 1 / 5
    assert (loss > 0) == (objective.line == "width")


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("holes", [0, 1])
def test_a_release_with_sets_loses_at_least_the_bound(objective: CellMeasure, holes: int, tmp_path: Path) -> None:
    rows = [*"aabcddefgghh", *[""] * holes]
    (tmp_path / "table.csv").write_text("skill\n" + "\n".join(f'"{row}"' for row in rows) + "\n")
    for spread in ("k: 2", "k: 3", "k: 5"):
        (tmp_path / "spec.yaml").write_text(
            "input: table.csv\noutput: release.csv\n"
            "quasi_identifiers: {skill: {type: categorical, generalize: set}}\n"
            f"privacy: {{{spread}}}\nmeasure: {objective.name}\n"
        )
        utility = pipeline.run(parse(tmp_path / "spec.yaml"), Silence(), dry_run=True).report.model_dump()["utility"]
        assert utility["bound"][objective.name] <= utility[objective.name]
