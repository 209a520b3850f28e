"""Scans over many clusters find what looking at one after the other finds, also beyond a block."""

from __future__ import annotations

import numpy as np
import pytest

from kanon_cli.kernels.clusters import gather
from kanon_cli.kernels.costs import price_all
from kanon_cli.kernels.layers import lay
from kanon_cli.kernels.moves import relocate
from kanon_cli.kernels.scans import BLOCK, no_question
from kanon_cli.kernels.splits import Draws, Rules
from kanon_cli.kernels.unions import measure, nearest
from kanon_cli.measures.entropy import Entropy
from kanon_cli.measures.lm import Lm
from kanon_cli.problem import Problem
from tests import naive
from tests.strategies import LEAVES, models_of, problem_of

ROWS = 2 * BLOCK + 300
TREE = naive.Tree({"a": "N1", "b": "N1", "c": "N2", "d": "N2", "N1": "N3", "N2": "N3", "e": "N3"})


def _problem(rows: int) -> Problem:
    """Numbers and categories, each row different from most others."""
    rng = np.random.default_rng(0)
    cells = [
        (str(number), leaf, str(other))
        for number, leaf, other in zip(
            rng.integers(0, 700, rows).tolist(),
            rng.choice(list("abcde"), rows).tolist(),
            rng.integers(0, 50, rows).tolist(),
            strict=True,
        )
    ]
    table = naive.Table(cells, [naive.Numbers(), TREE, naive.Numbers()], (), ["x"] * rows)
    return problem_of(table, models_of(2, None), Entropy())


def _distances(problem: Problem, group_of: list[int], c: int) -> list[int]:
    """What it costs to unify c with each cluster."""
    members = naive.groups_of(group_of)

    def cost(rows: list[int]) -> int:
        ranks = problem.rank_of[:, rows].astype(np.int64)
        return int(price_all(problem.costs, ranks.min(axis=1), ranks.max(axis=1))) * len(rows)

    own = cost(members[c])
    return [cost(members[c] + rows) - cost(rows) - own for rows in members]


@pytest.mark.parametrize("c", [0, BLOCK, ROWS - 400])
def test_distances_are_those_one_by_one(c: int) -> None:
    problem = _problem(ROWS)
    group_of = np.minimum(np.arange(ROWS), ROWS - 200).astype(np.int32)  # single rows, and one large cluster
    layers = lay(problem.costs, problem.rank_of)
    clusters = gather(layers, problem.costs, problem.aim, group_of, ROWS - 199)
    count = len(clusters.head)
    question, total = no_question(layers), np.empty(BLOCK, dtype=np.int32)
    found = np.empty(count, dtype=np.int64)
    measure(clusters.closures, layers, problem.costs, c, count, question, total, found)
    expected = _distances(problem, group_of.tolist(), c)
    assert found.tolist() == expected
    best, gap = nearest(clusters.closures, layers, problem.costs, c, c + 1, count, question, total)
    assert gap == min(expected[c + 1 :])
    assert best == c + 1 + expected[c + 1 :].index(gap)


@pytest.mark.parametrize("rows", [40, ROWS // 3])
@pytest.mark.parametrize("most", [0, 4, 128])
def test_a_sieve_changes_nothing_but_the_time(rows: int, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows go where they would go if what it costs to join each cluster were worked out; a sieve sees narrow layers."""
    monkeypatch.setattr("kanon_cli.kernels.layers.NARROW_LABELS", most)
    rng = np.random.default_rng(rows)
    flat = naive.Tree(dict.fromkeys(LEAVES, "all"))
    codes = rng.integers(0, [len(LEAVES), 2, 4, 4, 3], (rows, 5)).tolist()
    cells = [(*(LEAVES[code] for code in row), str(number)) for number, row in enumerate(codes)]
    table = naive.Table(cells, [*[flat] * 5, naive.Numbers()], (), ["x"] * rows)
    problem = problem_of(table, models_of(3, None), Lm())
    layers = lay(problem.costs, problem.rank_of)
    assert layers.least_rise > 0
    group_of = (np.arange(rows) // 3).astype(np.int32)
    draws = Draws(rng.permutation(rows), np.empty(0, dtype=np.bool_))
    found = []
    for laid in (layers, layers._replace(least_rise=0)):
        clusters = gather(laid, problem.costs, problem.aim, group_of, rows)
        count = int(group_of.max()) + 1
        for _ in range(3):  # at first all rows move, later few do
            _, count, moves, _ = relocate(
                clusters, laid, problem.costs, problem.aim, Rules(3, 5, True, False), draws, 0, rows, count
            )
        found.append((clusters.group_of.tolist(), count, moves))
    assert found[0] == found[1]


def test_a_row_finds_its_equal_in_any_block() -> None:
    half = _problem(ROWS // 2)
    twice = half.rank_of[:, np.tile(np.arange(ROWS // 2), 2)].copy()
    layers = lay(half.costs, twice)
    order = np.arange(ROWS, dtype=np.int32)
    clusters = gather(layers, half.costs, half.aim, order, ROWS)
    draws = Draws(order.astype(np.int64), np.empty(0, dtype=np.bool_))
    last = 40
    relocate(clusters, layers, half.costs, half.aim, Rules(2, ROWS, False, False), draws, 0, last, ROWS)
    homes = clusters.group_of[:last]
    assert (homes != order[:last]).all()
    assert (twice[:, homes] == twice[:, :last]).all()
