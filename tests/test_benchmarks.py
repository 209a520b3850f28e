"""The benchmarks measure what they say, whatever the numbers are."""

from __future__ import annotations

import inspect
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from benchmarks import artificial, inside, results, tables, yardsticks
from benchmarks.curves import curve
from benchmarks.judging import judge
from benchmarks.outside import start
from benchmarks.results import Finding, Note, Outcome, Row, Target
from benchmarks.setting import Unavailable
from benchmarks.works import TABLE
from kanon_cli.algorithms.base import Terms
from kanon_cli.algorithms.mondrian import Mondrian
from kanon_cli.kernels.boxes import coordinates, tariff
from kanon_cli.kernels.costs import price_all
from kanon_cli.measures.lm import Lm
from tests import naive
from tests.strategies import models_of, problem_of

WORKS = Path(results.HOME / "works")


def test_every_work_is_in_the_table_and_says_what_it_is_about() -> None:
    found = {path.stem for path in WORKS.glob("*.py")} - {"__init__"}
    assert {name: f"benchmarks.works.{name}" for name in found} == TABLE
    for name, module in TABLE.items():
        work = import_module(module)
        assert work.__doc__, name
        assert inspect.isgeneratorfunction(work.measure), name


def test_an_outcome_is_read_back_as_it_was_saved(tmp_path: Path) -> None:
    targets = [Target("a", 1.0, 0.5), Target("b", 1.0, 2.0), Target("c", 1.0, None)]
    found: list[Finding] = [Row({"k": 5, "algorithm": "x"}, {"loss": 0.25}), *targets, Note("n"), Note("n")]
    outcome = Outcome.of("work", "What it is about.", False, found)
    results.save(outcome, tmp_path)
    assert results.load(tmp_path / "work.json") == outcome
    assert [target.holds for target in outcome.targets] == [True, False, None]
    assert outcome.notes == ("n",)


def test_a_column_that_a_row_has_not_is_empty() -> None:
    rows = [Row({"k": 5}, {"loss": 0.25}), Row({"k": 1000, "seconds": 0.5}, {"peak_mb": 12.4})]
    assert results.rows_table(rows).splitlines() == [
        "| k | given CPU s | loss | peak MB |",
        "|---|---|---|---|",
        "| 5 |  | 0.2500 |  |",
        "| 1,000 | 0.5 |  | 12 |",
    ]


def test_the_scan_prices_every_row_in_every_group(tmp_path: Path) -> None:
    table = tables.write(artificial.generate(60), tmp_path / "art.csv")
    problem = inside.prepare(tmp_path, table, artificial.columns(tmp_path), 20).problem
    places = coordinates(problem.costs, problem.rank_of)
    groups = [problem.rank_of[:, first : first + 20].astype(np.int64) for first in range(0, 60, 20)]
    costs = [
        min(price_all(problem.costs, np.minimum(row, g.min(axis=1)), np.maximum(row, g.max(axis=1))) for g in groups)
        for row in problem.rank_of.T.astype(np.int64)
    ]
    lo, hi = (extreme.reduceat(places, [0, 20, 40]) for extreme in (np.minimum, np.maximum))
    assert yardsticks.scan(*tariff(problem.costs), places, lo, hi) == sum(costs)
    assert yardsticks.scan_seconds(problem) >= 0


def test_the_artificial_table_has_the_subsets_of_its_paper(tmp_path: Path) -> None:
    table = tables.write(artificial.generate(2_000), tmp_path / "art.csv")
    domains = inside.prepare(tmp_path, table, artificial.columns(tmp_path), 5).domains
    for at, subsets in enumerate(artificial.SUBSETS):
        tree = domains[f"A{at + 1}"].tree
        assert tree is not None
        sizes = sorted((tree.last - tree.first + 1)[tree.last > tree.first].tolist())
        values = len(artificial.PROBABILITIES[at])
        assert sizes == sorted([values, *(last - first + 1 for first, last in subsets)])


def test_the_loss_of_a_grouping_is_what_the_auditor_finds_in_its_release(tmp_path: Path) -> None:
    table = tables.write(artificial.generate(300), tmp_path / "art.csv")
    prepared = inside.prepare(tmp_path, table, artificial.columns(tmp_path), 5)
    group_of = Mondrian().partition(prepared.problem, Terms()).group_of
    loss = inside.loss_of(prepared.problem, group_of)
    found = judge(prepared, group_of.astype(np.int64), table, tmp_path / "release.csv")
    assert found.loss == pytest.approx(loss, abs=1e-6)
    assert found.k >= 5
    without_first = np.where(group_of == 0, -1, group_of.astype(np.int64))
    assert judge(prepared, without_first, table, tmp_path / "release.csv").loss > loss


def test_groups_below_k_have_no_loss(tmp_path: Path) -> None:
    table = tables.write(artificial.generate(20), tmp_path / "art.csv")
    problem = inside.prepare(tmp_path, table, {"A1": "categorical"}, 5).problem
    with pytest.raises(AssertionError, match="a group has 4 rows, k is 5"):
        inside.loss_of(problem, np.repeat(np.arange(2, dtype=np.int32), [16, 4]))


def test_an_algorithm_that_is_not_there_is_no_mistake() -> None:
    with pytest.raises(Unavailable, match="has no algorithm `better`"):
        inside.ready("better")


def test_a_process_is_measured_with_its_exit_code_and_output() -> None:
    done = start([sys.executable, "-c", "import sys; print(1); sys.exit(3)"])
    assert (done.output, done.code) == (b"1\n", 3)
    assert min(done.wall_s, done.cpu_s, done.peak_mb) > 0


def test_the_memory_of_whoever_starts_a_process_is_not_counted() -> None:
    ballast = np.ones(100 << 17)  # 100 MB
    assert start([sys.executable, "-c", "pass"]).peak_mb < ballast.nbytes / (1 << 20)


def test_a_curve_ends_where_the_next_value_would_take_too_long() -> None:
    tiny = problem_of(naive.Table([("1",)], [naive.Numbers()], (), [None]), models_of(1, None), Lm())
    took = iter((1.0, 30.0))  # CPU seconds at 10 and 100: thirty times as many are expected at 1,000
    found = list(curve("x", "rows", (10, 100, 1_000, 10_000), lambda _: tiny, lambda *_: {"cpu_s": next(took)}))
    assert [row.at["rows"] for row in found if isinstance(row, Row)] == [10, 100]
    said = "`x` was not tried at rows = 1,000, 10,000: the next one would take some 900 s."
    assert [note.text for note in found if isinstance(note, Note)] == [said]


def test_a_curve_of_an_algorithm_that_cannot_be_measured_ends_with_the_reason() -> None:
    tiny = problem_of(naive.Table([("1",)], [naive.Numbers()], (), [None]), models_of(1, None), Lm())
    found = list(curve("kk", "rows", (10, 100), lambda _: tiny))
    assert [note.text for note in found if isinstance(note, Note)] == ["The algorithm `kk` makes no groups."]
    assert len(found) == 1
