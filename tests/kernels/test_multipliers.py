"""Boxes that could be clusters, what they are worth by what rows pay, and the clusterings that are made of them."""

from __future__ import annotations

import itertools
import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from unittest.mock import patch

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_cli.algorithms import courses, diving, grounds, lns, searching
from kanon_cli.algorithms.base import Terms
from kanon_cli.algorithms.courses import LEAST_UNITS, MOST_UNIT, SHORTEST, least_unit_of, unit_of
from kanon_cli.algorithms.recombining import Recombination
from kanon_cli.kernels.candidates import Candidates, Kinds, find_kinds, widen_all
from kanon_cli.kernels.costs import LINE, price_all
from kanon_cli.kernels.multipliers import STEPS, open_boxes
from kanon_cli.kernels.reshaping import reshape_boxes, shelf_of
from kanon_cli.kernels.selecting import narrow, take_boxes
from kanon_cli.measures.base import CellMeasure
from kanon_cli.measures.lm import Lm
from kanon_cli.problem import Problem
from tests import naive
from tests.contracts.parts import OBJECTIVES
from tests.strategies import LEAVES, Task, models_of, problem_of, tasks

Ints = npt.NDArray[np.int64]
Boxes = list[tuple[tuple[int, ...], tuple[int, ...]]]


def _free(task: Task) -> Task:
    """The task with k alone."""
    return replace(task, diversity=None, further={})


def _all_boxes(problem: Problem, coordinate: npt.NDArray[np.int32], k: int) -> Boxes:
    """The closures of all sets of k rows and more."""
    rows = range(problem.rows)
    sets = itertools.chain.from_iterable(itertools.combinations(rows, size) for size in range(k, problem.rows + 1))
    return sorted({(tuple(coordinate[list(s)].min(axis=0)), tuple(coordinate[list(s)].max(axis=0))) for s in sets})


@pytest.mark.parametrize("objective", OBJECTIVES)
@given(task=tasks(), seed=st.integers(0, 9))
@settings(max_examples=20, deadline=None)
def test_boxes_are_widened_for_free_and_hold_the_kinds_within_them(
    objective: CellMeasure, task: Task, seed: int
) -> None:
    problem = problem_of(task.table, _free(task).models, objective)
    ground = grounds.ground_of(problem, task.k)
    pairs = np.random.default_rng(seed).integers(0, problem.rows, (30, 2))
    ends = ground.coordinate[pairs]
    lo, hi = ends.min(axis=1), ends.max(axis=1)
    old_lo, old_hi = lo.copy(), hi.copy()
    ranks = problem.rank_of.T[pairs].astype(np.int64)
    price = widen_all(lo, hi, ground)
    assert price.tolist() == [price_all(problem.costs, pair.min(axis=0), pair.max(axis=0)) for pair in ranks]
    assert ((lo <= old_lo) & (old_hi <= hi)).all()
    if objective.name == "lm":  # which costs the more, the more a cell covers
        _check_all_that_is_free_is_within(problem, ground.coordinate, ranks, lo, hi)
    kinds = Kinds(ground.coordinate, np.ones(problem.rows, dtype=np.int64))
    first, kind = find_kinds(lo, hi, kinds, 30 * problem.rows)
    for box in range(30):
        inside = (ground.coordinate >= lo[box]) & (ground.coordinate <= hi[box])
        assert kind[first[box] : first[box + 1]].tolist() == np.flatnonzero(inside.all(axis=1)).tolist()
    few, _ = find_kinds(lo, hi, kinds, 0)
    assert few.tolist() == first[:2].tolist(), "it stops as soon as there are more than wanted"


def _check_all_that_is_free_is_within(
    problem: Problem,
    coordinate: npt.NDArray[np.int32],
    ranks: Ints,
    lo: npt.NDArray[np.int32],
    hi: npt.NDArray[np.int32],
) -> None:
    for box, row, column in itertools.product(range(len(lo)), range(problem.rows), range(len(ranks[0, 0]))):
        if problem.costs.form[column] == LINE:
            continue
        least, most = ranks[box].min(axis=0), ranks[box].max(axis=0)
        before = price_all(problem.costs, least, most)
        own = int(problem.rank_of[column, row])
        least[column], most[column] = min(least[column], own), max(most[column], own)
        if price_all(problem.costs, least, most) == before:
            assert lo[box, column] <= coordinate[row, column] <= hi[box, column]


@given(
    pays=st.lists(st.integers(0, 2000), min_size=1, max_size=12),
    price=st.integers(0, 2000),
    k=st.integers(1, 9),
    bits=st.integers(0, 6),
    seed=st.integers(0, 9),
)
@settings(max_examples=100, deadline=None)
def test_a_box_takes_who_pays_most_and_is_worth_what_they_pay_beyond_its_price(
    pays: list[int], price: int, k: int, bits: int, seed: int
) -> None:
    copies = np.random.default_rng(seed).integers(1, 4, len(pays))
    kind = np.arange(len(pays), dtype=np.int32)
    box = Candidates(np.array([price]), np.array([0, len(pays)]), kind)
    taken = np.zeros(len(pays), dtype=np.int64)
    opened = np.zeros(1, dtype=np.int64)
    found = int(open_boxes(box, 0, 1, np.array(pays), copies, k, bits, taken, opened))
    assert opened[0] == (found > 0)
    gains = sorted((pay - price for pay, rows in zip(pays, copies, strict=True) for _ in range(rows)), reverse=True)
    if len(gains) < k:
        assert (found, taken.sum()) == (0, 0)
        return
    many = max(k, sum(gain > 0 for gain in gains))
    gains = [max(gain, -(STEPS - 1) << bits) for gain in gains]  # what is even less counts as that
    exact = sum(gains[:many])
    assert max(exact, 0) <= found <= max(exact + (k << bits), 0)
    if found:
        assert taken.sum() == many
        assert (taken <= copies).all()
        assert all(rows == copies[at] for at, rows in enumerate(taken.tolist()) if pays[at] > price)


@pytest.mark.parametrize("objective", OBJECTIVES)
@given(task=tasks(max_rows=6, max_k=3), seed=st.integers(0, 9))
@settings(max_examples=10, deadline=None)
def test_what_rows_pay_less_what_boxes_are_worth_is_never_above_the_optimum(
    objective: CellMeasure, task: Task, seed: int
) -> None:
    task = _free(task)
    problem = problem_of(task.table, task.models, objective)
    ground = grounds.ground_of(problem, task.k)
    boxes = np.array(_all_boxes(problem, ground.coordinate, task.k), dtype=np.int32)
    lo, hi = boxes[:, 0].copy(), boxes[:, 1].copy()
    price = widen_all(lo, hi, ground)
    copies = np.ones(problem.rows, dtype=np.int64)
    first, kind = find_kinds(lo, hi, Kinds(ground.coordinate, copies), len(lo) * problem.rows)
    whole = int(problem.costs.unit) * len(problem.rank_of) * problem.rows
    for scale in (0.1, 0.5, 1.0):
        most = int(scale * int(problem.costs.unit) * len(problem.rank_of))
        pays = np.random.default_rng(seed).integers(0, most, problem.rows)
        taken = np.zeros(problem.rows, dtype=np.int64)
        known, opened = Candidates(price, first, kind), np.zeros(len(lo), dtype=np.int64)
        worth = open_boxes(known, 0, len(lo), pays, copies, task.k, 10, taken, opened)
        assert (int(pays.sum()) - int(worth)) / whole <= task.optimum(objective.name) + 1e-6


def _worth(pays: Ints, inside: npt.NDArray[np.bool_], copies: Ints, price: int, k: int, bits: int) -> tuple[int, int]:
    """The least and the most that a box may be said to be worth: rows that pay too little are told apart by steps."""
    gains = sorted(np.repeat(pays[inside] - price, copies[inside]).tolist(), reverse=True)
    if len(gains) < k:
        return -(1 << 62), -(1 << 62)
    gains = [max(gain, -(STEPS - 1) << bits) for gain in gains[: max(k, sum(gain > 0 for gain in gains))]]
    return sum(gains), sum(gains) + (k << bits)


@pytest.mark.parametrize("objective", OBJECTIVES)
@given(task=tasks(), seed=st.integers(0, 9))
@settings(max_examples=20, deadline=None)
def test_reshaped_boxes_are_worth_what_is_said_and_never_less_than_before(
    objective: CellMeasure, task: Task, seed: int
) -> None:
    problem = problem_of(task.table, _free(task).models, objective)
    ground, rng, bits = grounds.ground_of(problem, task.k), np.random.default_rng(seed), 10
    copies = rng.integers(1, 3, problem.rows)
    kinds = Kinds(ground.coordinate, copies)
    ends = ground.coordinate[rng.integers(0, problem.rows, (12, 2))]
    lo, hi = ends.min(axis=1), ends.max(axis=1)
    pays = rng.integers(0, int(problem.costs.full.sum()) + 1, problem.rows)
    worths = []
    for _ in range(2):
        price = widen_all(lo, hi, ground)
        inside = (ground.coordinate >= lo[:, None]) & (ground.coordinate <= hi[:, None])
        boxes = zip(inside.all(axis=2), price.tolist(), strict=True)
        worths.append([_worth(pays, within, copies, cost, task.k, bits) for within, cost in boxes])
        found = np.empty(len(lo), dtype=np.int64)
        assert reshape_boxes(lo, hi, 0, len(lo), shelf_of(kinds), pays, copies, ground, bits, found) > 0
    before, after = worths  # and those have been reshaped once more
    for (_, most), (least, _) in zip(before, after, strict=True):
        assert least >= most - 2 * (task.k << bits)
    price = widen_all(lo, hi, ground)
    inside = (ground.coordinate >= lo[:, None]) & (ground.coordinate <= hi[:, None])
    for within, cost, worth in zip(inside.all(axis=2), price.tolist(), found.tolist(), strict=True):
        least, most = _worth(pays, within, copies, cost, task.k, bits)
        assert least <= worth <= most


@given(free=st.lists(st.integers(0, 3), min_size=1, max_size=10), k=st.integers(1, 5), seed=st.integers(0, 9))
@settings(max_examples=50, deadline=None)
def test_boxes_that_are_taken_get_k_rows_that_are_free_and_pay_most(free: list[int], k: int, seed: int) -> None:
    rng, kinds = np.random.default_rng(seed), len(free)
    copies = np.array(free) + rng.integers(0, 2, kinds)
    members = [np.flatnonzero(rng.integers(0, 2, kinds)).astype(np.int32) for _ in range(6)]
    price, pays = rng.integers(0, 100, 6), rng.integers(0, 100, kinds)
    every = Candidates(price, np.append(0, np.cumsum([len(kind) for kind in members])), np.concatenate(members))
    narrow_ones, number = narrow(every, np.array(free), k)
    kept = [box for box in range(6) if sum(free[kind] for kind in members[box]) >= k]
    assert number.tolist() == kept
    assert narrow_ones.price.tolist() == price[kept].tolist()
    for place, box in enumerate(kept):
        own = narrow_ones.kind[narrow_ones.first[place] : narrow_ones.first[place + 1]]
        assert own.tolist() == [kind for kind in members[box] if free[kind]]
    kind_at = np.append(0, np.cumsum(copies))
    by = rng.permutation(len(kept))
    group_of, left, most = np.full(kind_at[-1], -1, dtype=np.int32), np.array(free), np.full(kinds, 1000)
    groups = take_boxes(narrow_ones, by, pays, left, kind_at, k, 0, 2 * k, 5, group_of, most)
    taken, still_free, prices = list[list[int]](), list(free), [1000] * kinds
    for box in (kept[place] for place in by):
        own = sorted((-int(pays[kind]), int(kind)) for kind in members[box] for _ in range(still_free[kind]))
        gains = [-pay - int(price[box]) for pay, _ in own]
        if len(taken) == 2 or len(own) < k or sum(gains[: max(k, sum(gain > 0 for gain in gains))]) < 0:
            continue
        taken.append([kind for _, kind in own[:k]])
        for kind in taken[-1]:
            still_free[kind] -= 1
        for kind in members[box]:
            prices[kind] = min(prices[kind], int(price[box])) if free[kind] else 1000
    assert groups == len(taken)
    assert left.tolist() == still_free
    for group, expected in enumerate(taken, 5):
        rows = np.flatnonzero(group_of == group)
        assert sorted(np.searchsorted(kind_at, rows, side="right") - 1) == sorted(expected)
    assert most.tolist() == prices
    assert (group_of >= 0).sum() == k * groups


def _problem_of_numbers(numbers: npt.NDArray[np.int64], k: int, is_flat: bool) -> Problem:
    """Columns of numbers, or of names that are kept or suppressed."""
    kind = naive.Tree(dict.fromkeys(LEAVES, "*")) if is_flat else naive.Numbers()
    rows = [tuple(LEAVES[cell % len(LEAVES)] if is_flat else str(cell) for cell in row) for row in numbers.tolist()]
    table = naive.Table(rows, [kind] * numbers.shape[1], (), ["x"] * len(rows))
    return problem_of(table, models_of(k, None), Lm())


@given(steps=st.floats(0, 1e6))
def test_a_dive_reshapes_boxes_only_where_there_is_time_for_many_steps(steps: float) -> None:
    each, reshapes = diving._pace(steps)
    assert each >= diving.LEAST_STEPS
    assert reshapes == (steps >= diving.RESHAPED)
    assert each <= max(math.sqrt(steps), diving.LEAST_STEPS)


@given(task=tasks(), seed=st.integers(0, 5), threads=st.integers(1, 2), effort=st.sampled_from([1, 60, 4000]))
@settings(max_examples=20, deadline=None)
def test_what_is_recombined_is_a_grouping_that_keeps_k(task: Task, seed: int, threads: int, effort: int) -> None:
    task = _free(task)
    problem = problem_of(task.table, task.models, Lm())
    with ThreadPoolExecutor(threads) as pool, patch.object(searching, "CHUNKS", (8, 8)):
        search = searching.Search(problem, Terms(seed, 0, threads), pool, grounds.sorted_rows(problem), problem.rows)
        search.start()
        found = Recombination(search)
        for _ in range(3):
            search.round(search.heat)
            found.remember()
        group_of = found.recombine(effort)
        if group_of is None:
            return
        groups = naive.groups_of(group_of.tolist())
        assert sorted(itertools.chain.from_iterable(groups)) == list(range(problem.rows))
        assert all(task.keeps(members) for members in groups)
        search.take(group_of)
        assert search.cost / search.whole == pytest.approx(naive.loss(task.table, groups, "lm"), abs=1e-6)


@given(loss=st.floats(0, 1), rows=st.integers(1, 20_000), effort=st.integers(0, 5000))
def test_a_unit_is_a_power_of_two_that_leaves_time_to_recombine(loss: float, rows: int, effort: int) -> None:
    least = least_unit_of(loss, rows)
    unit = unit_of(effort, least)
    assert unit == 0 or least <= unit <= MOST_UNIT
    assert unit & (unit - 1) == 0
    assert (unit == 0) == (effort < SHORTEST * least)
    assert least <= least_unit_of(loss / 2, 2 * rows), "the less is lost in more rows, the longer one search is better"
    assert SHORTEST * unit <= effort
    assert effort < 2 * SHORTEST * unit or unit in (0, MOST_UNIT)


@given(
    seed=st.integers(0, 3),
    calls=st.integers(1, 60) | st.integers(1500, 6000),
    effort=st.sampled_from([60, 120, 1800]),
    is_flat=st.booleans(),
)
@settings(max_examples=8, deadline=None)
def test_the_effort_repeats_a_search_that_ran_out_of_time_anywhere(
    seed: int, calls: int, effort: int, is_flat: bool
) -> None:
    """Every call of the clock takes as long, so that courses of all lengths are stopped in all their parts."""
    problem = _problem_of_numbers(np.random.default_rng(seed).integers(0, 30, (24, 2)), 3, is_flat)
    asked = itertools.count(1)
    stopped = lns.Lns().partition(problem, Terms(seed, effort, spent=lambda: min(next(asked) / calls, 1.0)))
    again = lns.Lns().partition(problem, Terms(seed, int(stopped.facts["effort"])))
    assert again.facts == stopped.facts
    assert again.losses == stopped.losses
    assert again.group_of.tolist() == stopped.group_of.tolist()


def test_a_search_that_recombines_says_so_and_is_never_worse_than_it_was() -> None:
    problem = _problem_of_numbers(np.random.default_rng(0).integers(0, 9, (60, 3)), 5, is_flat=True)
    found = lns.Lns().partition(problem, Terms(effort=SHORTEST * min(unit for _, unit in LEAST_UNITS)))
    assert found.facts["recombined"] == courses.LEAST_LOOPS
    after_starts = courses.STARTS * min(unit for _, unit in LEAST_UNITS)
    assert found.losses[-1] <= min(found.losses[:after_starts])
