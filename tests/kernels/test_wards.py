"""Clusters that are dissolved and rebuilt: what is written down of them is true, and they keep their promise."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from fractions import Fraction
from unittest.mock import Mock, patch

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_cli import encoding
from kanon_cli.algorithms import grounds, lns, searching
from kanon_cli.algorithms.base import Terms
from kanon_cli.kernels.clusterings import Clustering, Ground, describe, sort_keys
from kanon_cli.kernels.costs import price_all
from kanon_cli.kernels.draws import draw
from kanon_cli.kernels.improving import LARGEST_POOL, SPARE_ROOM
from kanon_cli.kernels.jit import kernel
from kanon_cli.kernels.pools import least_place
from kanon_cli.measures.base import CellMeasure
from kanon_cli.measures.lm import Lm
from kanon_cli.problem import Problem
from tests import naive
from tests.contracts.parts import OBJECTIVES
from tests.strategies import Task, models_of, problem_of, tables, tasks

FORMS = pytest.mark.parametrize("table_ranks", [0, encoding.TABLE_RANKS], ids=["formulas", "tables"])

Rows = npt.NDArray[np.int64]


@kernel
def _drawn(seed: np.uint64, limit: int, count: int) -> Rows:
    state = np.full(1, seed, dtype=np.uint64)
    found = np.empty(count, dtype=np.int64)
    for at in range(count):
        found[at] = draw(state, limit)
    return found


@kernel
def _least(total: npt.NDArray[np.int32], places: np.uint64) -> int:
    found: int = least_place(total, places)
    return found


@contextmanager
def _small_pieces(table_ranks: int = encoding.TABLE_RANKS) -> Iterator[None]:
    """Cut small tables into several chunks and wards, as if they were large."""
    with (
        patch.object(searching, "CHUNKS", (8, 8)),
        patch.object(searching, "CHUNK_CLUSTERS", 2),
        patch.object(searching, "WARD", 3),
        patch.object(encoding, "TABLE_RANKS", table_ranks),
    ):
        yield


@contextmanager
def _searching(
    task: Task, objective: CellMeasure, seed: int, threads: int = 1, effort: int = 500
) -> Iterator[searching.Search]:
    """A search that has made its start."""
    problem = problem_of(task.table, task.models, objective)
    with ThreadPoolExecutor(threads) as pool:
        search = searching.Search(
            problem, Terms(seed, effort, threads), pool, grounds.sorted_rows(problem), problem.rows
        )
        search.start()
        yield search


def _check(task: Task, problem: Problem, ground: Ground, clustering: Clustering, order: Rows) -> None:
    """What is written down of each cluster agrees with its rows."""
    assert sorted(order.tolist()) == list(range(problem.rows)), "every row is there once"
    taken = []
    for c, (first, size) in enumerate(zip(clustering.first.tolist(), clustering.size.tolist(), strict=True)):
        rows = order[first : first + size]
        taken += list(range(first, first + size))
        assert task.keeps(rows.tolist())
        box = ground.coordinate[rows]
        assert clustering.lo[c].tolist() == box.min(axis=0).tolist()
        assert clustering.hi[c].tolist() == box.max(axis=0).tolist()
        ranks = problem.rank_of[:, rows].astype(np.int64)
        assert clustering.price[c] == price_all(problem.costs, ranks.min(axis=1), ranks.max(axis=1))
    assert sorted(taken) == list(range(problem.rows)), "clusters lie side by side"


def _check_search(task: Task, search: searching.Search) -> None:
    _check(task, search.problem, search.ground, search.clustering, search.order)
    assert (search.layout.coordinate == search.ground.coordinate[search.order]).all()
    assert (search.layout.code == search.ground.secret_of[:, search.order]).all()


@FORMS
@pytest.mark.parametrize("objective", OBJECTIVES)
@given(task=tasks(), seed=st.integers(0, 5), threads=st.integers(1, 2))
@settings(max_examples=20, deadline=None)
def test_a_start_and_rounds_leave_clusters_that_are_as_written(
    objective: CellMeasure, table_ranks: int, task: Task, seed: int, threads: int
) -> None:
    with _small_pieces(table_ranks), _searching(task, objective, seed, threads) as search:
        _check_search(task, search)
        for _ in range(3):
            search.round(search.heat)
            _check_search(task, search)
        groups = search.group_of()
        assert sorted(np.bincount(groups).tolist()) == sorted(search.clustering.size.tolist())
        assert all(task.keeps(members) for members in naive.groups_of(groups.tolist()))


@given(task=tasks(), seed=st.integers(0, 5))
@settings(max_examples=20, deadline=None)
def test_clusters_that_nobody_works_on_stay_what_they_are(task: Task, seed: int) -> None:
    with (
        _small_pieces(),
        _searching(task, Lm(), seed) as search,
        patch.object(searching, "_work_of", lambda rows, _cost: 0 * rows),
    ):
        before = naive.groups_of(search.group_of().tolist())
        search.round(search.heat)
        assert sorted(naive.groups_of(search.group_of().tolist())) == sorted(before)
        _check_search(task, search)


@pytest.mark.parametrize("steps", [2, 4, 8])
def test_clusters_with_a_value_in_common_stand_together_and_lines_count_in_steps(steps: int) -> None:
    names, numbers = "abca" * 8, [number // 4 for number in range(32)]
    rows = [(name, str(number)) for name, number in zip(names, numbers, strict=True)]
    kinds: list[naive.Column] = [naive.Tree(dict.fromkeys("abc", "*")), naive.Numbers()]
    ground = grounds.ground_of(problem_of(naive.Table(rows, kinds, (), [None] * 32), models_of(1, None), Lm()), 1)
    clustering, _ = describe(np.arange(32, dtype=np.int32), ground)
    keys = sort_keys(clustering, ground, np.array([0, 1]), np.array([0, steps])).tolist()
    told = sorted(zip(keys, names, numbers, strict=True))
    assert [name for _, name, _ in told] == sorted(names)
    for name in "abc":
        own = [(number, key) for key, other, number in told if other == name]
        assert own == sorted(own)
        assert len({key for _, key in own}) == len({number * steps // 8 for number, _ in own}) == steps


@given(task=tasks(), seed=st.integers(0, 5))
@settings(max_examples=20, deadline=None)
def test_a_start_by_cuts_is_as_written_and_ends_the_search(task: Task, seed: int) -> None:
    with patch.object(searching, "LARGEST_K", 1), _searching(task, Lm(), seed) as search:
        _check_search(task, search)
        assert not search.can_improve


@given(
    seed=st.integers(0, 1000), diversity=st.sampled_from([None, Fraction(2)]), heat=st.sampled_from([0, 8000, 60000])
)
@settings(max_examples=8, deadline=None)
def test_a_rebuilding_is_kept_only_if_it_costs_as_little_as_the_heat_allows(
    seed: int, diversity: Fraction | None, heat: int
) -> None:
    """A pool of 300 rows takes all the work of one touch, so that a round is one rebuilding of all clusters."""
    rng = np.random.default_rng(seed)
    rows = [tuple(map(str, numbers)) for numbers in rng.integers(0, 50, (300, 3)).tolist()]
    task = Task(naive.Table(rows, [naive.Numbers()] * 3, (), ["x", "y", "z"] * 100), 100, diversity)
    with _searching(task, Lm(), seed, effort=1) as search:
        costs = [search.cost]
        for _ in range(8):
            search.round(heat)
            _check_search(task, search)
            costs.append(search.cost)
    assert all(after <= before + (before * heat >> 20) for before, after in itertools.pairwise(costs))
    assert len(set(costs)) > 1 or heat == 0


def _names(values: str) -> Task:
    """A column of names that are kept or suppressed, in groups of two."""
    rows = [(value,) for value in values]
    return Task(naive.Table(rows, [naive.Tree(dict.fromkeys(values, "*"))], (), [None] * len(rows)), 2, None)


@given(task=tasks(), seed=st.integers(0, 5), times=st.integers(1, 9))
@settings(max_examples=20, deadline=None)
def test_work_goes_to_where_the_cost_is(task: Task, seed: int, times: int) -> None:
    with _small_pieces(), _searching(task, Lm(), seed) as search:
        size, cost = search.clustering.size, search.clustering.price * search.clustering.size
        rows = times * size  # as if every cluster were a ward of its own, with several times its rows
        work = searching._work_of(rows, cost)
        assert (work >= rows // searching.EVEN).all()
        assert rows.sum() - len(rows) <= work.sum() <= rows.sum()
        beside = work - rows // searching.EVEN
        more = beside[:, None] - beside > 1
        assert not (more & (cost[:, None] < cost)).any(), "no ward gets more beside its rows than one that costs more"
        assert (searching._work_of(rows, 0 * cost) == rows).all()


@given(
    amounts=st.lists(st.integers(0, 3000), min_size=1, max_size=80),
    times=st.integers(1, 30),
    rows=st.integers(1, 100_000),
)
@settings(max_examples=60, deadline=None)
def test_wards_with_little_to_do_take_turns_and_no_work_is_lost(amounts: list[int], times: int, rows: int) -> None:
    with _searching(_names("abab"), Lm(), 0) as search:
        work, search.problem = np.array(amounts), Mock(rows=rows)
        dealt = np.array([search._dealt(work) for _ in range(times)])
    most = max(min(searching.LEAST_WORK, rows // searching.LEAST_PART), 1)
    waits = work < most
    assert (dealt[:, ~waits] == work[~waits]).all()
    assert set(dealt[:, waits].ravel().tolist()) <= {0, most}
    assert 0 <= times * sum(amounts) - dealt.sum() < most, "what is left has to wait"


@given(amounts=st.lists(st.integers(0, 1000), max_size=60), threads=st.integers(1, 3))
@settings(max_examples=60, deadline=None)
def test_work_that_is_shared_out_is_done_once(amounts: list[int], threads: int) -> None:
    with _searching(_names("aabb"), Lm(), 0, threads) as search:
        done: list[tuple[int, int]] = []
        search.share_out(np.array(amounts, dtype=np.int64), lambda first, last: done.append((first, last)))
    assert [at for first, last in sorted(done) for at in range(first, last)] == list(range(len(amounts)))
    if threads > 1 and sum(amounts) > 0:
        pieces = threads * searching.TASKS
        assert all(sum(amounts[first : last - 1]) <= sum(amounts) / pieces + max(amounts) for first, last in done)


def test_a_search_is_cold_where_all_is_lost() -> None:
    for values, is_hot in (("abcdefgh", False), ("aabbccde", True)):
        with _searching(_names(values), Lm(), 0) as search:
            assert (search.heat > 0) == is_hot


@given(table=tables(max_rows=40, min_rows=12), seed=st.integers(0, 3))
@settings(max_examples=20, deadline=None)
def test_the_start_has_slack(table: naive.Table, seed: int) -> None:
    task = Task(table, 3, None)
    with _searching(task, Lm(), seed) as search:
        assert len(search.clustering.size) == int(searching.SHARE * (len(table.rows) // 3))


def test_a_chunk_that_cannot_keep_the_promise_is_joined_to_others() -> None:
    """One row in ten has another secret: chunks have to be large to hold enough of them."""
    secrets = ["y" if row % 10 == 0 else "x" for row in range(60)]
    table = naive.Table([(str(row),) for row in range(60)], [naive.Numbers()], (), secrets)
    task = Task(table, 2, Fraction(11, 10))
    with _small_pieces(), _searching(task, Lm(), 0) as search:
        _check_search(task, search)
        search.round(search.heat)
        _check_search(task, search)
        assert len(search.clustering.size) > 1


def test_clusters_larger_than_a_pool_are_left_alone() -> None:
    table = naive.Table([(str(row),) for row in range(300)], [naive.Numbers()], (), ["x"] * 300)
    task = Task(table, 2, None)
    with patch.object(searching, "SHARE", 0.02), _searching(task, Lm(), 0) as search:
        start = naive.groups_of(search.group_of().tolist())
        large = [rows for rows in start if len(rows) > LARGEST_POOL * 2 + SPARE_ROOM]
        assert large
        for _ in range(3):
            search.round(search.heat)
            _check_search(task, search)
        end = naive.groups_of(search.group_of().tolist())
        assert all(rows in end for rows in large)


@given(
    total=st.lists(st.integers(0, 3), min_size=1, max_size=40),
    high=st.integers(0, 1 << 30),
)
@settings(max_examples=50, deadline=None)
def test_the_least_place_is_the_first_of_several(total: list[int], high: int) -> None:
    numbers = np.array(total, dtype=np.int32) + np.int32(high)
    assert _least(numbers, np.uint64(len(total))) == total.index(min(total))


@given(seed=st.integers(1, (1 << 64) - 1), limit=st.integers(1, 10))
@settings(max_examples=30, deadline=None)
def test_draws_stay_below_the_limit_and_meet_every_number(seed: int, limit: int) -> None:
    found = _drawn(np.uint64(seed), limit, 500)
    assert set(found.tolist()) == set(range(limit))
    assert found.tolist() == _drawn(np.uint64(seed), limit, 500).tolist(), "a state says all"


def test_clusters_are_made_large_enough_for_values_that_are_rare_nearby() -> None:
    """Ten rows of typical values keep the promise, but most rows are near others with the same value."""
    rng = np.random.default_rng(0)
    numbers = rng.integers(0, 60, (900, 3))
    codes = np.where(rng.random(900) < 0.7, numbers[:, 0] // 5, rng.integers(0, 12, 900))
    rows = [tuple(map(str, row)) for row in numbers.tolist()]
    table = naive.Table(rows, [naive.Numbers()] * 3, (), [f"v{code}" for code in codes])
    task = Task(table, 10, None, {"t": 0.3})
    problem = problem_of(table, task.models, Lm())
    found = lns.Lns().partition(problem, Terms(effort=2))
    with patch.object(searching, "sizes_of", lambda aim: [aim.k]):
        small = lns.Lns().partition(problem, Terms(effort=2))
    assert found.losses[-1] < 0.8 * small.losses[-1]
    assert all(task.keeps(members) for members in naive.groups_of(found.group_of.tolist()))
