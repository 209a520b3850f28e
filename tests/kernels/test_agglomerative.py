"""Agglomerative clustering does what algorithms 1 and 2 say, for every distance, kind of column and of price."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings

from kanon_cli.algorithms.agglomerative import DISTANCES, Agglomerative
from kanon_cli.algorithms.base import Terms
from kanon_cli.kernels.costs import price_all
from kanon_cli.kernels.distances import LOG_BITS, logarithms
from kanon_cli.measures.base import CellMeasure
from kanon_cli.measures.entropy import Entropy
from kanon_cli.measures.il import Il
from kanon_cli.measures.lm import Lm
from kanon_cli.problem import Problem
from tests import naive
from tests.naive.agglomerative import Agglomerative as LineByLine
from tests.strategies import Task, models_of, priced_as, problem_of, tables, tasks

FORMS = ["as ever", "wide labels", "trees as spans by formula"]


def _line_by_line(problem: Problem, distance: str, is_modified: bool) -> list[list[int]]:
    @cache
    def price(rows: tuple[int, ...]) -> int:
        ranks = problem.rank_of[:, list(rows)].astype(np.int64)
        return int(price_all(problem.costs, ranks.min(axis=1), ranks.max(axis=1)))

    def of_rows(rows: Sequence[int]) -> int:
        return price(tuple(rows)) if rows else 0

    epsilon = round(Fraction(int(problem.costs.unit) * len(problem.rank_of), 10))
    return LineByLine(of_rows, problem.aim.k, distance, epsilon, is_modified).run(problem.rows)


def _groups(problem: Problem, threads: int = 1, **options: object) -> list[list[int]]:
    found = Agglomerative(**options).partition(problem, Terms(threads=threads))
    return sorted(naive.groups_of(found.group_of.tolist()))


@pytest.mark.parametrize("is_modified", [False, True], ids=["algorithm 1", "algorithm 2"])
@pytest.mark.parametrize("distance", DISTANCES)
@pytest.mark.parametrize(("objective", "form"), list(zip([Lm(), Il(), Entropy()], FORMS, strict=True)), ids=FORMS)
@given(task=tasks(max_rows=24, max_k=6))
@settings(max_examples=7, deadline=None)
def test_the_groups_are_those_of_the_algorithm_done_line_by_line(
    objective: CellMeasure, form: str, distance: str, is_modified: bool, task: Task
) -> None:
    with priced_as(form):
        problem = problem_of(task.table, models_of(task.k, None), objective)
        assert _groups(problem, distance=distance, modified=is_modified) == _line_by_line(
            problem, distance, is_modified
        )


@pytest.mark.parametrize("distance", DISTANCES)
@given(task=tasks(max_rows=30, max_k=5))
@settings(max_examples=15, deadline=None)
def test_what_is_expelled_breaks_no_promise(distance: str, task: Task) -> None:
    groups = _groups(problem_of(task.table, task.models, Lm()), distance=distance, modified=True)
    assert all(task.keeps(members) for members in groups)


@given(table=tables(max_rows=40, min_rows=20))
@settings(max_examples=20, deadline=None)
def test_clusters_that_shrink_have_k_rows_but_for_those_that_were_dealt(table: naive.Table) -> None:
    groups = _groups(problem_of(table, models_of(4, None), Lm()), modified=True)
    assert sum(len(members) - 4 for members in groups) == len(table.rows) % 4


def test_logarithms_are_those_of_the_library_but_for_the_last_places() -> None:
    exact = np.log2(np.arange(1, 5000)) * 2.0**LOG_BITS
    assert np.abs(logarithms(5000)[2:] - exact[1:]).max() < 1.1
    assert logarithms(65)[[2, 4, 8, 64]].tolist() == [n * 2.0**LOG_BITS for n in (1, 2, 3, 6)]
