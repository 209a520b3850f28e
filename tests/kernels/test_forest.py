"""The forest algorithm does what its paper says: it plants trees and cuts them up."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_cli.algorithms.base import Terms
from kanon_cli.algorithms.forest import Forest as Algorithm
from kanon_cli.kernels.costs import price_all
from kanon_cli.kernels.forests import NONE, Forest, cut_up, sum_up
from kanon_cli.measures.base import CellMeasure
from kanon_cli.measures.entropy import Entropy
from kanon_cli.measures.il import Il
from kanon_cli.measures.lm import Lm
from tests import naive
from tests.naive import forest as line_by_line
from tests.strategies import Task, models_of, priced_as, problem_of, tasks


@pytest.mark.parametrize(
    ("objective", "form"), [(Lm(), "as ever"), (Il(), "wide labels"), (Entropy(), "trees as spans by formula")]
)
@given(task=tasks(max_rows=40, max_k=6))
@settings(max_examples=70, deadline=None)
def test_the_groups_are_those_of_the_algorithm_done_line_by_line(objective: CellMeasure, form: str, task: Task) -> None:
    with priced_as(form):
        problem = problem_of(task.table, models_of(task.k, None), objective)
        found = Algorithm().partition(problem, Terms())

    @cache
    def price(*rows: int) -> int:
        ranks = problem.rank_of[:, list(rows)].astype(np.int64)
        return int(price_all(problem.costs, ranks.min(axis=1), ranks.max(axis=1)))

    def of_rows(rows: Sequence[int]) -> int:
        return price(*rows)

    groups = naive.groups_of(found.group_of.tolist())
    assert sorted(groups) == line_by_line.groups(of_rows, task.k, problem.rows)


@given(
    parents=st.lists(st.integers(0, 10**6), min_size=4, max_size=150), k=st.integers(2, 9), reach=st.integers(1, 150)
)
@settings(max_examples=150, deadline=None)
def test_trees_of_any_shape_are_cut_as_the_paper_says(parents: list[int], k: int, reach: int) -> None:
    rows = len(parents) + 1
    k = min(k, rows)
    above = [NONE, *(max(row - 1 - parent % reach, 0) for row, parent in enumerate(parents, start=1))]
    nodes = rows + rows // k + 1
    forest = Forest(*(np.full(nodes, NONE, dtype=np.int32) for _ in range(4)))
    forest.above[:rows], forest.size[rows:] = above, 0
    group_of = np.empty(rows, dtype=np.int32)
    sum_up(forest, rows)
    cut_up(forest, rows, k, group_of)
    found = naive.groups_of(group_of.tolist())
    assert {len(members) for members in found} <= set(range(k, max(2 * k, 3 * k - 2)))
    (tree,) = line_by_line.trees({row: parent for row, parent in enumerate(above) if parent != NONE}, rows)
    assert sorted(found) == sorted(sorted(piece.rows) for piece in line_by_line.cut(tree, k))
