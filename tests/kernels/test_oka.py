"""oka does what its figures say, for every kind of column, of price and of promise."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_cli.algorithms import closest
from kanon_cli.algorithms.base import Terms
from kanon_cli.algorithms.oka import Oka
from kanon_cli.algorithms.starts import cost_of
from kanon_cli.measures.base import CellMeasure
from kanon_cli.measures.lm import Lm
from tests.contracts.parts import OBJECTIVES
from tests.kernels import twins
from tests.naive import Table
from tests.naive.oka import Oka as StageByStage
from tests.strategies import Task, models_of, problem_of, tables, tasks


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("form", twins.FORMS)
@given(
    task=tasks(max_rows=24, of_papers=True),
    distance=st.sampled_from(["centroid", "increase"]),
    size_factor=st.booleans(),
    is_sorted=st.booleans(),
    passes=st.integers(1, 3),
    small=st.sampled_from(["fill", "unify", "suppress"]),
    most=st.integers(0, 12),
    seed=st.integers(0, 5),
)
@settings(max_examples=30, deadline=None)
def test_the_groups_are_those_of_the_figures(
    form: str,
    objective: CellMeasure,
    task: Task,
    distance: str,
    size_factor: bool,
    is_sorted: bool,
    passes: int,
    small: str,
    most: int,
    seed: int,
) -> None:
    with twins.priced(form):
        problem = problem_of(task.table, task.models, objective)
        options = {"distance": distance, "size_factor": size_factor, "sorted": is_sorted}
        found = Oka(**options, passes=passes, small=small).partition(problem, Terms(seed, most_left_out=most))
    rng, k = np.random.default_rng(seed), twins.needed(task)
    seeds = rng.permutation(problem.rows)[: problem.rows // k].tolist()
    order = rng.permutation(problem.rows).tolist()
    if is_sorted:
        keys = np.vstack([problem.rank_of, problem.aim.secret_of])
        order = sorted(range(problem.rows), key=lambda row: (*keys[:, row].tolist(), row))
        rng = np.random.default_rng(seed)
        rng.permutation(problem.rows)
    twin = StageByStage(
        twins.price_of(problem), twins.shortfall_of(task), k, distance, size_factor, twins.columns_of(problem), passes
    )
    clusters = twin.cluster(seeds, order)
    assert found.facts["small"] == sum(len(cluster) < k for cluster in clusters)
    if small == "fill":
        assert found.facts["moved"] == twin.adjust(clusters, lambda rows: rng.permutation(rows).tolist())
    if small == "suppress":
        shortfall = twins.shortfall_of(task)
        short = [rows for rows in clusters if len(rows) < k or shortfall(rows, len(rows)) > 0]
        left_out = twins.left_out_of(short, most, problem.rows, k, shortfall)
        assert found.facts["left_out"] == sum(map(len, left_out))
        clusters = [rows for rows in clusters if rows not in left_out]
    assert twins.groups_that_stay(found) == twins.repaired(problem, clusters, k)


@given(table=tables(max_rows=40, min_rows=20), seed=st.integers(0, 3), is_sorted=st.booleans())
@settings(max_examples=20, deadline=None)
def test_the_groups_are_the_same_in_small_pieces_of_work(table: Table, seed: int, is_sorted: bool) -> None:
    problem = problem_of(table, models_of(3, None), Lm())
    algorithm = Oka(passes=2, sorted=is_sorted)
    at_once = algorithm.partition(problem, Terms(seed)).group_of.tolist()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(closest, "VISITS", 1)
        assert algorithm.partition(problem, Terms(seed)).group_of.tolist() == at_once


@given(table=tables(max_rows=30, min_rows=8), seed=st.integers(0, 3))
@settings(max_examples=20, deadline=None)
def test_more_starts_never_cost_more(table: Table, seed: int) -> None:
    problem = problem_of(table, models_of(4, None), Lm())
    once, thrice = (Oka(restarts=restarts).partition(problem, Terms(seed)) for restarts in (1, 3))
    assert cost_of(problem, thrice.group_of) <= cost_of(problem, once.group_of)
