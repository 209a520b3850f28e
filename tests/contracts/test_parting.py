"""What promises of nearness to the table have kept large is parted where that loses less, and nothing else is."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.inside import loss_of, prepare
from kanon_cli.algorithms import parting
from kanon_cli.algorithms.base import Algorithm, Grouping, Terms
from kanon_cli.algorithms.mondrian import Mondrian
from kanon_cli.measures.base import CellMeasure
from kanon_cli.measures.lm import Lm
from tests import naive
from tests.contracts.parts import ALGORITHMS, BY_ROW
from tests.naive import models
from tests.strategies import FURTHER, Task, problem_of, tables

SAMPLE = Path(__file__).parents[2] / "sample_data" / "hospital.csv"
NEAR = [privacy for privacy in FURTHER if privacy.keys() & {"t", "beta", "delta"}]
OTHERS = [{}, *(privacy for privacy in FURTHER if privacy not in NEAR)]


@st.composite
def near_tasks(draw: st.DrawFn) -> Task:
    """A table, and a promise that compares the values of a class with those of the table."""
    table = draw(tables(min_rows=8))
    asked = [privacy for privacy in NEAR if models.keeps(privacy, table.secrets, range(len(table.rows)))]
    return Task(table, draw(st.integers(2, 3)), None, draw(st.sampled_from(asked)))


def _whole(rows: int) -> Grouping:
    return Grouping(np.zeros(rows, dtype=np.int32))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@given(task=near_tasks(), seed=st.integers(0, 3))
@settings(max_examples=15, deadline=None)
def test_no_algorithm_loses_more_for_it(algorithm: Algorithm, task: Task, seed: int) -> None:
    problem, terms = problem_of(task.table, task.models, Lm()), Terms(seed, effort=10)
    found, before = algorithm.work(problem, terms), algorithm.partition(problem, terms)
    assert isinstance(found, Grouping)
    groups = naive.groups_of(found.group_of.tolist())
    assert len(groups) == found.groups
    assert all(task.keeps(members) for members in groups)
    old = naive.groups_of(before.group_of.tolist())
    assert naive.loss(task.table, groups, "lm") <= naive.loss(task.table, old, "lm") + 1e-9


@pytest.mark.parametrize("objective", [pytest.param(Lm(), id="lm"), *BY_ROW])
@given(task=near_tasks(), chunk=st.sampled_from([4, parting.CHUNK]))
@settings(max_examples=20, deadline=None)
def test_parts_keep_the_promise_lose_less_by_the_measure_itself_and_are_the_same_on_two_threads(
    objective: CellMeasure, task: Task, chunk: int
) -> None:
    problem = problem_of(task.table, task.models, objective)
    whole = _whole(problem.rows)
    with patch.object(parting, "CHUNK", chunk):
        found = parting.part_large(problem, whole, Terms())
        again = parting.part_large(problem, whole, Terms(seed=1, threads=2))
    assert found.group_of.tolist() == again.group_of.tolist()
    assert not whole.group_of.any()
    groups = naive.groups_of(found.group_of.tolist())
    assert all(task.keeps(members) for members in groups)
    assert found.facts["parted"] == (len(groups) > 1)
    one, parts = (naive.loss(task.table, split, objective.name) for split in ([list(range(problem.rows))], groups))
    assert parts < one or len(groups) == 1


@pytest.mark.parametrize("further", OTHERS, ids=str)
def test_groups_that_need_not_be_like_the_table_stay_as_they_are(further: dict[str, object]) -> None:
    table = naive.Table([(str(row),) for row in range(40)], [naive.Numbers()], (), list("xyzw") * 10)
    whole = _whole(40)
    assert parting.part_large(problem_of(table, Task(table, 2, None, further).models, Lm()), whole, Terms()) is whole


def test_rows_that_are_left_out_are_not_parted() -> None:
    table = naive.Table([(str(row),) for row in range(40)], [naive.Numbers()], (), ["x", "y"] * 20)
    problem = problem_of(table, Task(table, 2, None, {"t": 0.2}).models, Lm())
    left_out = np.arange(40) < 10
    found = parting.part_large(problem, Grouping(1 - left_out.astype(np.int32), left_out=left_out), Terms())
    assert len(set(found.group_of[left_out])) == 1
    assert not set(found.group_of[left_out]) & set(found.group_of[~left_out])
    assert found.groups > 2


def test_mondrian_does_not_stop_at_a_few_large_groups(tmp_path: Path) -> None:
    columns = {"age": "numeric", "sex": "categorical", "zip": {"taxonomy": {"mask": 5}}}
    problem = prepare(tmp_path, SAMPLE, columns, 10, sensitive=["diagnosis"], promises={"t": 0.2}).problem
    found, before = Mondrian().work(problem, Terms()), Mondrian().partition(problem, Terms())
    assert isinstance(found, Grouping)
    assert found.groups > 2 * before.groups
    assert loss_of(problem, found.group_of) < 0.9 * loss_of(problem, before.group_of)
