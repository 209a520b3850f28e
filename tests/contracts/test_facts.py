"""What every algorithm says of itself is true: whether it draws, whether parts may be worked on, how much it holds."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from kanon_cli import algorithms, catalogue, sharding
from kanon_cli.algorithms.base import Algorithm, Covering, Terms
from kanon_cli.algorithms.k_member import KMember
from kanon_cli.algorithms.oka import Oka
from kanon_cli.algorithms.starts import cost_of
from kanon_cli.algorithms.threshold_greedy import ThresholdGreedy
from kanon_cli.measures.lm import Lm
from kanon_cli.parts import load
from kanon_cli.problem import Problem
from tests import naive
from tests.contracts.parts import EVERY_ALGORITHM
from tests.strategies import models_of, problem_of

ROWS = 12_000
PAIRS = ROWS * ROWS // 8  # bytes that one bit for each pair of rows takes: 18 MB
STATUS, REFERENCES = Path("/proc/self/status"), Path("/proc/self/clear_refs")
TREE = naive.Tree({**{leaf: "NM"[leaf < "e"] for leaf in "abcdefgh"}, "N": "*", "M": "*"})
NAMES = list(algorithms.TABLE)


def _problem(rows: int, k: int, diversity: Fraction | None = None) -> Problem:
    """Numbers, some of them missing, and categories, drawn at random."""
    rng = np.random.default_rng(rows)
    numbers, leaves, more = rng.integers(0, 90, rows), rng.choice(list("abcdefgh"), rows), rng.integers(0, 400, rows)
    cells = [
        (str(number) if number % 11 else None, str(leaf), str(other))
        for number, leaf, other in zip(numbers.tolist(), leaves.tolist(), more.tolist(), strict=True)
    ]
    secrets = rng.choice(list("xyzw"), rows).tolist()
    table = naive.Table(cells, [naive.Numbers(), TREE, naive.Numbers()], [1.0, 0.5, 3.0], secrets)
    return problem_of(table, models_of(k, diversity), Lm())


def _variants(name: str) -> list[Algorithm]:
    return [part for _, part in EVERY_ALGORITHM if part.name == name]


def _made(algorithm: Algorithm, problem: Problem, seed: int) -> bytes:
    """What an algorithm makes of a problem, as something that can be compared."""
    found = algorithm.work(problem, Terms(seed, effort=5))
    return found.lo.tobytes() + found.hi.tobytes() if isinstance(found, Covering) else found.group_of.tobytes()


@pytest.mark.parametrize("name", NAMES)
def test_another_seed_gives_another_result_only_where_that_is_said(name: str) -> None:
    problem = _problem(200, 4)
    differs = any(len({_made(part, problem, seed) for seed in range(4)}) > 1 for part in _variants(name))
    assert differs == load(algorithms.TABLE, name, Algorithm).randomized


@pytest.mark.parametrize("algorithm", [part for label, part in EVERY_ALGORITHM if label in NAMES and part.shardable])
def test_parts_of_a_table_that_are_worked_on_by_themselves_keep_the_promise(algorithm: Algorithm) -> None:
    problem = _problem(300, 4, Fraction(2))
    rows = np.random.default_rng(0).permutation(300)
    shards = [sharding.Shard(half, problem.part(half)) for half in (np.sort(rows[:120]), np.sort(rows[120:]))]
    joined = sharding.join(shards, [algorithm.work(shard.problem, Terms(effort=5)) for shard in shards])
    assert not isinstance(joined, Covering)
    for members in naive.groups_of(joined.group_of.tolist()):
        counts = np.bincount(problem.aim.secret_of[0, members])
        assert len(members) >= 4
        assert 2 * int(counts.max()) <= len(members)


@pytest.mark.parametrize("algorithm", [KMember(), ThresholdGreedy(threshold=0.3), Oka()], ids=lambda part: part.name)
def test_a_k_below_l_loses_no_more_than_one_above_it(algorithm: Algorithm) -> None:
    loss_of = {}
    for k in (2, 3):
        problem = _problem(300, k, Fraction(3))
        loss_of[k] = cost_of(problem, algorithm.partition(problem, Terms()).group_of)
    assert loss_of[2] <= 1.1 * loss_of[3]


@pytest.mark.parametrize("name", NAMES)
def test_the_memory_is_that_of_its_cost(name: str) -> None:
    memory = load(algorithms.TABLE, name, Algorithm).memory
    assert memory in ("O(n)", "O(r n)", "O(nk)"), "nothing is held for each pair of rows"
    assert f"{memory}memory".replace(" ", "") in catalogue.entry("algorithms", name).signed["Cost"].replace(" ", "")


def _resident(line: str) -> int:
    """Bytes of this process, now (VmRSS) or at the most since they were last reset (VmHWM)."""
    found = re.search(rf"^{line}:\s+(\d+) kB", STATUS.read_text(), re.MULTILINE)
    assert found is not None
    return int(found[1]) << 10


@pytest.mark.skipif(not REFERENCES.exists(), reason="only Linux says how much memory was held at the most")
@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_held_for_each_pair_of_rows(name: str) -> None:
    algorithm = load(algorithms.TABLE, name, Algorithm)()
    problem = _problem(ROWS, 10)
    algorithm.work(_problem(1_507, 10), Terms(effort=5))  # compiles all, what a last cluster below k needs, too
    REFERENCES.write_text("5")  # the most so far is what there is now
    before = _resident("VmHWM")
    algorithm.work(problem, Terms(effort=5))
    assert _resident("VmHWM") - before < PAIRS
