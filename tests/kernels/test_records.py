"""Boxes of single rows: what kernels do fast is what the papers' texts say, and what brute force finds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pytest

from kanon_cli import encoding
from kanon_cli.algorithms import recordwise
from kanon_cli.algorithms.base import Algorithm, Covering, Terms
from kanon_cli.algorithms.global_1k import Global1k
from kanon_cli.algorithms.k1_expansion import K1Expansion
from kanon_cli.algorithms.k1_nearest import K1Nearest
from kanon_cli.algorithms.kk import Kk
from kanon_cli.algorithms.mondrian import Mondrian
from kanon_cli.algorithms.nonhomogeneous import Nonhomogeneous
from kanon_cli.kernels import links, outliers
from kanon_cli.kernels.costs import price_all
from kanon_cli.measures.entropy import Entropy
from kanon_cli.measures.lm import Lm
from kanon_cli.problem import Problem
from tests import naive
from tests.kernels.twins import price_of
from tests.naive import nonhomogeneous, notions
from tests.strategies import models_of, problem_of

TREE = naive.Tree({"a": "N1", "b": "N1", "c": "N2", "d": "N2", "N1": "N3", "N2": "N3", "e": "N3"})
MEASURES = {"lm": Lm(), "entropy": Entropy()}


def _table(seed: int, rows: int) -> naive.Table:
    """One to three columns, numbers and categories, some values missing, few enough for rows to be equal."""
    rng = np.random.default_rng(seed)
    kinds: list[naive.Column] = []
    cells: list[list[str | None]] = []
    for _ in range(int(rng.integers(1, 4))):
        is_tree = bool(rng.integers(2))
        kinds.append(TREE if is_tree else naive.Numbers())
        choices = [*("abcde" if is_tree else map(str, rng.integers(-20, 20, 6).tolist()))]
        missing: list[str | None] = [None] if rng.integers(3) == 0 else []
        cells.append([([*choices, *missing])[at] for at in rng.integers(0, len(choices) + len(missing), rows)])
    return naive.Table(list(zip(*cells, strict=True)), kinds, [1.0, 2.0, 0.5][: len(kinds)], [None] * rows)


def _covered(problem: Problem, found: Covering) -> list[set[int]]:
    """The rows that each row's box covers."""
    inside = (found.lo[:, :, None] <= problem.rank_of[:, None]) & (problem.rank_of[:, None] <= found.hi[:, :, None])
    return [set(np.flatnonzero(row).tolist()) for row in np.all(inside, axis=0)]


@pytest.mark.parametrize("table_ranks", [0, encoding.TABLE_RANKS], ids=["formulas", "tables"])
@pytest.mark.parametrize("measure", MEASURES)
def test_boxes_are_those_of_the_paper(measure: str, table_ranks: int) -> None:
    twins = {"k1-nearest": (K1Nearest, notions.by_nearest), "k1-expansion": (K1Expansion, notions.by_expansion)}
    for seed in range(25):
        rng = np.random.default_rng(seed)
        rows = int(rng.integers(4, 11))
        k = int(rng.integers(2, min(rows, 5)))
        table = _table(seed, rows)
        with patch.object(encoding, "TABLE_RANKS", table_ranks):
            problem = problem_of(table, models_of(k, None), MEASURES[measure])

        def price(rows: Sequence[int], problem: Problem = problem) -> int:
            ranks = problem.rank_of[:, list(rows)].astype(np.int64)
            return int(price_all(problem.costs, ranks.min(axis=1), ranks.max(axis=1)))

        for name, (part, twin) in twins.items():
            sets = twin(table, k, price)
            algorithm: Algorithm = part(tighten=False)
            found = _covered(problem, algorithm.recode(problem, Terms()))
            assert found == [notions.covered(table, rows) for rows in sets], (name, seed)
            boxes = notions.cover(table, sets, k, price)
            start = "nearest" if part is K1Nearest else "expansion"
            found = _covered(problem, Kk(start=start, tighten=False).recode(problem, Terms()))
            assert found == [notions.covered(table, rows) for rows in boxes], (name, seed)


def test_a_pair_is_part_of_a_perfect_matching_if_both_ends_are_in_one_component() -> None:
    for seed in range(200):
        rng = np.random.default_rng(seed)
        count = int(rng.integers(1, 8))
        covers = rng.random((count, count)) < 0.3  # [row, box]
        covers[np.arange(count), np.arange(count)] = True
        graph = [np.flatnonzero(row).tolist() for row in covers]
        box, point = np.nonzero(covers.T)
        start = np.searchsorted(box, np.arange(count + 1))
        begin, box_of = links.turn(start, point.astype(np.int32), count)
        component = links.strong_components(begin, box_of, np.arange(count, dtype=np.int32))
        found = [[at for at in graph[row] if component[at] == component[row]] for row in range(count)]
        assert found == notions.matches(graph)


@pytest.mark.parametrize("measure", MEASURES)
def test_tightening_never_costs_and_keeps_what_is_counted(measure: str) -> None:
    shrunk = 0
    for seed in range(10):
        problem = problem_of(_table(seed, 30), models_of(3, None), MEASURES[measure])
        loose, tight = (Kk(tighten=on).recode(problem, Terms()) for on in (False, True))
        assert (tight.lo >= loose.lo).all()
        assert (tight.hi <= loose.hi).all()
        for find in (Kk(), Global1k(), Kk(start="nearest")):
            covered = _covered(problem, find.recode(problem, Terms()))
            graph = [[at for at in range(30) if row in covered[at]] for row in range(30)]
            found = notions.figures(graph)
            assert found["kk"] >= 3
            assert not isinstance(find, Global1k) or found["global_1k"] >= 3
        shrunk += int(tight.facts["shrunk"])
    assert shrunk > 0


def test_no_box_can_shrink_when_all_have() -> None:
    """A box that is left needs what it covers: no point can be dropped alone from a tightened column of numbers."""
    problem = problem_of(
        naive.Table([(str(row * row),) for row in range(30)], [naive.Numbers()], [1.0], [None] * 30),
        models_of(4, None),
        Lm(),
    )
    found = Kk().recode(problem, Terms())
    covered = _covered(problem, found)
    held = [sum(row in box for box in covered) for row in range(30)]
    for row in range(30):
        ends = {int(found.lo[0, row]), int(found.hi[0, row])} - {int(problem.rank_of[0, row])}
        assert len(covered[row]) == 4 or all(held[rank] <= 4 for rank in ends)


@pytest.mark.parametrize("table_ranks", [0, encoding.TABLE_RANKS], ids=["formulas", "tables"])
@pytest.mark.parametrize("measure", MEASURES)
def test_rings_are_those_of_the_text(measure: str, table_ranks: int) -> None:
    for seed in range(50):
        rng = np.random.default_rng(seed)
        rows = int(rng.integers(6, 25))
        k, block = int(rng.integers(2, 5)), int(rng.integers(1, 4))
        table = _table(seed, rows)
        with patch.object(encoding, "TABLE_RANKS", table_ranks):
            problem = problem_of(table, models_of(k, None), MEASURES[measure])
        price = price_of(problem)
        found = _covered(problem, Nonhomogeneous(block=block).recode(problem, Terms(seed)))
        roomy = problem.aim._replace(k=min(block * k, rows))
        blocks = naive.groups_of(Mondrian().partition(replace(problem, aim=roomy), Terms()).group_of.tolist())
        shifts = np.random.default_rng(seed).integers(0, k, len(blocks)).tolist()
        window_of: dict[int, list[int]] = {}
        for members, shift in zip(blocks, shifts, strict=True):
            window_of |= nonhomogeneous.windows(members, k, shift, price)
        assert found == [notions.covered(table, window_of[row]) for row in range(rows)], seed


@pytest.mark.parametrize("seed", range(3))
def test_every_box_of_a_ring_covers_k_rows_and_all_shifts_occur(seed: int) -> None:
    problem = problem_of(_table(seed, 60), models_of(4, None), Lm())
    found = Nonhomogeneous(block=2).recode(problem, Terms(seed))
    covered = _covered(problem, found)
    assert min(map(len, covered)) >= 4
    others = {Nonhomogeneous(block=2).recode(problem, Terms(other)).lo.tobytes() for other in range(12)}
    assert len(others) > 1


@pytest.mark.parametrize("table_ranks", [0, encoding.TABLE_RANKS], ids=["formulas", "tables"])
def test_what_boxes_would_save_without_a_record_is_found(table_ranks: int) -> None:
    for seed in range(8):
        table = _table(seed, 12)
        with patch.object(encoding, "TABLE_RANKS", table_ranks):
            problem = problem_of(table, models_of(3, None), Lm())
        found = Kk().recode(problem, Terms())
        bench = recordwise.lay_out(problem)
        linked = recordwise.link(bench, recordwise.enclose(bench, found.lo, found.hi))
        own, ranks = bench.records.point_of, bench.records.rank_of.astype(np.int64)
        saved = np.zeros(bench.count, dtype=np.int64)
        outliers.add_savings(own, linked.start, linked.point, bench.rates, bench.records.rank_of, saved)
        expected = np.zeros_like(saved)
        for box in range(problem.rows):
            points = linked.point[linked.start[box] : linked.start[box + 1]].tolist()
            for point in set(points) - {int(own[box])}:
                rest = [other for other in points if other != point]
                with_it, without = (
                    int(price_all(problem.costs, ranks[held].min(axis=0), ranks[held].max(axis=0)))
                    for held in (points, rest)
                )
                expected[point] += with_it - without
        assert (saved == expected).all()


def test_people_count_once_in_a_box_and_in_a_crowd() -> None:
    """Twelve rows of three people each: who counted rows would find enough of them in one person's."""
    cells = [(str(person * 100 + visit),) for person in range(6) for visit in range(4)]
    table = naive.Table(cells, [naive.Numbers()], [1.0], [None] * 24)
    problem = replace(problem_of(table, models_of(3, None), Lm()), unit_of=np.repeat(np.arange(6, dtype=np.int32), 4))
    for part in (K1Nearest(), K1Expansion()):
        for covered in _covered(problem, part.recode(problem, Terms())):
            assert len({row // 4 for row in covered}) >= 3
