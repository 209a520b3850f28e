"""Identical rows that no cluster needs are spared, and the others are not."""

from __future__ import annotations

import numpy as np

from kanon_cli.algorithms.base import Terms
from kanon_cli.algorithms.lns import Lns
from kanon_cli.kernels.repeats import KEPT, spare_rows
from kanon_cli.measures.lm import Lm
from tests import naive
from tests.strategies import models_of, problem_of


def test_a_run_spares_whole_times_k_rows_and_keeps_the_rest() -> None:
    k = 3
    rank_of = np.repeat(np.array([[0, 1, 2]], dtype=np.int32), [(KEPT + 1) * k - 1, (KEPT + 4) * k + 2, 1], axis=1)
    order = np.arange(rank_of.shape[1])[::-1]
    spared, run = spare_rows(rank_of, order, k)
    assert np.bincount(rank_of[0, order[spared]], minlength=3).tolist() == [0, 4 * k, 0]
    assert len(np.unique(run)) == 3


def test_spared_rows_are_in_groups_of_their_own_and_cost_nothing() -> None:
    values = ["a"] * 60 + ["b"] * 3 + ["c"]
    tree = naive.Tree({"a": "N", "b": "N", "c": "N"})
    table = naive.Table([(value,) for value in values], [tree], [1.0], [None] * len(values))
    found = Lns().partition(problem_of(table, models_of(2, None), Lm()), Terms())
    groups = naive.groups_of(found.group_of.tolist())
    assert found.facts["spared"] == 60 - 2 * KEPT
    assert naive.loss(table, groups, "lm") * len(values) == 2, "c needs one other row, of which there are enough"
    assert min(map(len, groups)) == 2
