"""k-member and threshold-greedy do what their papers say, for every kind of column, of price and of promise."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_cli.algorithms import growing
from kanon_cli.algorithms.base import Terms
from kanon_cli.algorithms.k_member import KMember
from kanon_cli.algorithms.starts import cost_of
from kanon_cli.algorithms.threshold_greedy import ThresholdGreedy
from kanon_cli.kernels import greedy
from kanon_cli.measures.base import CellMeasure
from kanon_cli.measures.il import Il
from kanon_cli.measures.lm import Lm
from kanon_cli.problem import Problem
from tests import naive
from tests.contracts.parts import OBJECTIVES
from tests.kernels import twins
from tests.naive.k_member import Cluster, best_cluster
from tests.naive.k_member import KMember as LineByLine
from tests.naive.threshold_greedy import ThresholdGreedy as AsTold
from tests.strategies import Task, models_of, problem_of, tables, tasks

Twin = LineByLine | AsTold
STARTS = ["furthest", "furthest-from-last", "random"]


def _slowly(twin: Twin, problem: Problem, seed: int, most: int = 0) -> list[list[int]]:
    """What the twin makes of the sorted rows, some left out, the rest handed out, and the shared repair."""
    rng = np.random.default_rng(seed)
    draws: Iterator[float] = iter(rng.random(problem.rows).tolist())
    clusters, dissolved = twin.run(sorted(range(problem.rows), key=lambda row: (twin.kind[row], row)), draws)
    left_out = twins.left_out_of(dissolved, most, problem.rows, twin.k, twin.shortfall)
    rest = sorted(row for rows in dissolved if rows not in left_out for row in rows)
    if not clusters:
        return twins.repaired(problem, [[row] for row in rest], twin.k)
    for row in rng.permutation(rest).tolist() if rest else Cluster():
        clusters[best_cluster(twin.price, twin.shortfall, clusters, row)].append(row)
    return twins.repaired(problem, clusters, twin.k)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("form", twins.FORMS)
@given(
    task=tasks(max_rows=24, of_papers=True),
    start=st.sampled_from(STARTS),
    penalty=st.sampled_from([0.0, 0.25, 3.0]),
    seed=st.integers(0, 5),
)
@settings(max_examples=30, deadline=None)
def test_k_member_does_what_figure_5_says(
    form: str, objective: CellMeasure, task: Task, start: str, penalty: float, seed: int
) -> None:
    with twins.priced(form):
        problem = problem_of(task.table, task.models, objective)
        found = KMember(start=start, class_penalty=penalty).partition(problem, Terms(seed))
    labels = problem.label_of.tolist()
    whole = round(penalty * int(problem.costs.unit))
    kind = twins.kinds(problem, labels if penalty else ())
    twin = LineByLine(twins.price_of(problem), twins.shortfall_of(task), twins.needed(task), start, whole, labels, kind)
    assert naive.groups_of(found.group_of.tolist()) == _slowly(twin, problem, seed)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("form", twins.FORMS)
@given(
    task=tasks(max_rows=24, of_papers=True),
    threshold=st.sampled_from([0.0, 0.1, 0.3, 0.6]),
    small=st.sampled_from(["hand-out", "suppress"]),
    most=st.integers(0, 12),
    seed=st.integers(0, 5),
)
@settings(max_examples=30, deadline=None)
def test_threshold_greedy_does_what_section_2_2_says(
    form: str, objective: CellMeasure, task: Task, threshold: float, small: str, most: int, seed: int
) -> None:
    with twins.priced(form):
        problem = problem_of(task.table, task.models, objective)
        terms = Terms(seed, most_left_out=most)
        found = ThresholdGreedy(threshold=threshold, small=small).partition(problem, terms)
    limit = round(threshold * int(problem.costs.unit) * len(problem.rank_of))
    twin = AsTold(twins.price_of(problem), twins.shortfall_of(task), task.k, limit, twins.kinds(problem))
    assert twins.groups_that_stay(found) == _slowly(twin, problem, seed, most if small == "suppress" else 0)


@given(table=tables(max_rows=40, min_rows=20), start=st.sampled_from(STARTS), seed=st.integers(0, 3))
@settings(max_examples=20, deadline=None)
def test_the_groups_are_the_same_in_small_pieces_of_work(table: naive.Table, start: str, seed: int) -> None:
    problem = problem_of(table, models_of(3, None), Lm())
    algorithm = KMember(start=start)
    at_once = algorithm.partition(problem, Terms(seed)).group_of.tolist()
    told: list[float] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(growing, "VISITS", 1)
        patch.setattr(greedy, "WASTE", 1 << 20)
        terms = Terms(seed, progress=lambda done, _note: told.append(done))
        assert algorithm.partition(problem, terms).group_of.tolist() == at_once
    assert told == sorted(told)
    assert len(told) >= len(table.rows) // 3


@given(table=tables(max_rows=30, min_rows=8), seed=st.integers(0, 3))
@settings(max_examples=20, deadline=None)
def test_more_starts_never_cost_more(table: naive.Table, seed: int) -> None:
    problem = problem_of(table, models_of(4, None), Lm())
    for algorithm in (KMember, ThresholdGreedy):
        once = algorithm().partition(problem, Terms(seed))
        thrice = algorithm(restarts=3).partition(problem, Terms(seed))
        assert cost_of(problem, thrice.group_of) <= cost_of(problem, once.group_of)
        assert thrice.facts["starts"] == 3


def test_a_class_penalty_keeps_labels_together() -> None:
    rows = [(str(number),) for number in range(40)]
    table = naive.Table(rows, [naive.Numbers()], (), ["x", "y"] * 20)
    problem = problem_of(table, models_of(4, None), Il())
    groups = naive.groups_of(KMember(class_penalty=5.0).partition(problem, Terms()).group_of.tolist())
    assert all(len({table.secrets[row] for row in members}) == 1 for members in groups)
    plain = naive.groups_of(KMember().partition(problem, Terms()).group_of.tolist())
    assert any(len({table.secrets[row] for row in members}) == 2 for members in plain)


@pytest.mark.parametrize("small", ["hand-out", "suppress"])
def test_a_threshold_that_no_cluster_keeps_is_said_to_be_too_low(small: str) -> None:
    table = naive.Table([(str(4**number),) for number in range(12)], [naive.Numbers()], (), [None] * 12)
    problem = problem_of(table, models_of(3, None), Lm())
    said: list[str] = []
    terms = Terms(warn=said.append, most_left_out=4)
    ThresholdGreedy(threshold=0.0, small=small, restarts=2).partition(problem, terms)
    assert [message.endswith("raise `threshold`") for message in said] == [True]
    ThresholdGreedy(threshold=1.0, small=small).partition(problem, terms)
    assert len(said) == 1


def test_clusters_are_larger_than_k_where_that_loses_less() -> None:
    """Five rows can hardly be as mixed as the table; each cluster that fails is united with others."""
    rng = np.random.default_rng(0)
    numbers = rng.integers(0, 60, (300, 3)).tolist()
    secrets = [f"v{code}" for code in rng.integers(0, 12, 300)]
    table = naive.Table([tuple(map(str, row)) for row in numbers], [naive.Numbers()] * 3, (), secrets)
    problem = problem_of(table, Task(table, 5, None, {"t": 0.15}).models, Lm())
    found = KMember().partition(problem, Terms())
    alone = KMember()._of_k(problem, Terms())
    assert cost_of(problem, found.group_of) < cost_of(problem, alone.group_of)
