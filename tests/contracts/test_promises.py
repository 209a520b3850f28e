"""Every model, several sensitive columns, people, rows left out: what a run promises, its file keeps."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kanon_cli import pipeline, settling
from kanon_cli.algorithms.base import IMPLIED, Algorithm, Terms
from kanon_cli.algorithms.oka import Oka
from kanon_cli.algorithms.threshold_greedy import ThresholdGreedy
from kanon_cli.errors import PromiseError
from kanon_cli.events import Silence
from kanon_cli.measures.lm import Lm
from kanon_cli.spec.parse import parse
from tests import naive
from tests.contracts.parts import ALGORITHMS, EVERY_ALGORITHM
from tests.contracts.random_specs import PROMISES, Record, World, draw
from tests.naive import leaving
from tests.strategies import Task, problem_of, tasks

TABLES = (*range(200), 382)  # the last one: which numbers there are depends on the rows that are left out
AS_THEY_ARE = [algorithm for name, algorithm in EVERY_ALGORITHM if name == algorithm.name]
TURNED = [algorithm for name, algorithm in EVERY_ALGORITHM if name != algorithm.name]
TURNS = 10  # of so many tables with the same promise, each algorithm with an option turned works on one


def _check(world: World, algorithm: Algorithm, folder: Path) -> bool:
    """Run a spec and judge what comes of it; say whether there is a release."""
    path = world.write(folder, {"name": algorithm.name, **algorithm.model_dump()})
    everybody = list(range(len(world.records)))
    try:
        report = pipeline.run(parse(path), Silence(), force=True).report
    except PromiseError as error:
        assert not world.keeps(world.records, [everybody]), error
        assert any(
            word in str(error) for word in ("largest", "smallest", "keep any", "one class they keep", "cannot keep it")
        )
        return False
    released, originals = world.read(folder)
    assert report.privacy.verified
    assert report.suppressed_rows == len(world.records) - len(originals) <= world.most_left_out()
    if "notion" in world.spec["privacy"]:
        _judge_by_row(world, released, originals)
    else:
        assert world.keeps(originals, world.classes(released)), world.spec
    return True


def _judge_by_row(world: World, released: list[Record], originals: list[Record]) -> None:
    """Hold a release in which each row has cells of its own against its notion, and what is promised beside it."""
    notion, places = world.spec["privacy"]["notion"], range(len(released))
    fits = [[world.covers(record, original) for record in released] for original in world.records]
    own = [fits[int(record["row"])] for record in released]
    neighbours = [[at for at in places if found[at]] for found in fits if any(found)]  # also of rows that are left out
    if notion != "(1,k)":
        assert world.hides(originals, [[row for row in places if own[row][at]] for at in places]), world.spec
    if notion != "(k,1)":
        assert world.hides(originals, neighbours), world.spec
    if notion == "global-(1,k)":
        neighbours = [_matches(row, own) for row in places]
        assert world.hides(originals, neighbours), world.spec
    assert world.is_diverse(originals, neighbours), world.spec


def _matches(row: int, fits: list[list[bool]]) -> list[int]:
    """The released rows that may be a row's own, where each fits its own row: taken away, others change round to it.

    Whoever has lost theirs takes one that fits, and so on, until somebody takes the row's.
    """
    changing, new = {row}, [row]
    while new:
        taken = new.pop()
        new += (takers := {other for other, fit in enumerate(fits) if fit[taken]} - changing)
        changing |= takers
    return [at for at in changing if fits[row][at]]


def _asked_as(algorithm: Algorithm, world: World, turn: int) -> World:
    """The world with a notion that an algorithm keeps; each of them in turn."""
    if algorithm.keeps == "k":
        return world
    notions = [notion for notion in IMPLIED[algorithm.keeps] if notion != "k"]
    asked = {"notion": notions[turn % len(notions)], "accept_weak": True}
    return replace(world, spec=world.spec | {"privacy": world.spec["privacy"] | asked})


@pytest.mark.parametrize("seed", TABLES)
def test_a_release_keeps_every_promise_or_the_whole_table_cannot(seed: int, tmp_path: Path) -> None:
    """Each model is asked of a tenth of the tables at the least; each algorithm works on all of them.

    Those with options turned work on a tenth, two tables of each model.
    """
    world = draw(random.Random(seed), seed % len(PROMISES))  # noqa: S311  a table, no secret
    turn = seed // len(PROMISES)
    chosen = AS_THEY_ARE + [algorithm for at, algorithm in enumerate(TURNED) if (at + turn) % TURNS == 0]
    released = [_check(_asked_as(algorithm, world, turn), algorithm, tmp_path) for algorithm in chosen]
    assert len(set(released)) == 1, "whether there is a release does not depend on the algorithm"


@given(rng=st.randoms(use_true_random=False), algorithm=st.sampled_from(AS_THEY_ARE + TURNED), turn=st.integers(0, 3))
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_table_that_is_searched_for_breaks_no_promise(
    rng: random.Random, algorithm: Algorithm, turn: int, tmp_path: Path
) -> None:
    _check(_asked_as(algorithm, draw(rng), turn), algorithm, tmp_path)


def _judge(task: Task) -> settling.Judge:
    """A judge of some of the rows, as if the table had no others."""

    def judge(rows: np.ndarray[Any, Any], class_of: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        part = Task(
            naive.Table(
                [task.table.rows[row] for row in rows],
                task.table.columns,
                task.table.weights,
                [task.table.secrets[row] for row in rows],
            ),
            task.k,
            task.diversity,
            task.further,
        )
        return np.array([part.keeps(np.flatnonzero(class_of == c).tolist()) for c in range(class_of.max() + 1)])

    return judge


class _Listener(Silence):
    """An observer that remembers what it was warned of."""

    def __init__(self) -> None:
        self.warnings: list[str] = []

    def warn(self, message: str) -> None:
        """Remember a warning."""
        self.warnings.append(message)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@given(task=tasks(), most=st.integers(1, 8))
@settings(max_examples=25, deadline=None)
def test_rows_are_left_out_only_where_that_loses_less(algorithm: Algorithm, task: Task, most: int) -> None:
    problem = problem_of(task.table, task.models, Lm())
    group_of = algorithm.partition(problem, Terms(effort=10)).group_of
    before = group_of.copy()

    judge = _judge(task)
    settled = settling.settle(problem, group_of, judge, False, most)
    kept = np.flatnonzero(~settled.left_out)
    assert settled.left_out.sum() <= most
    assert judge(kept, settled.group_of[kept].astype(np.int64)).all()
    groups = [[int(row) for row in kept if settled.group_of[row] == c] for c in np.unique(settled.group_of[kept])]
    old, new = (leaving.loss(task.table, found, "lm") for found in (naive.groups_of(group_of.tolist()), groups))
    assert new <= old + 1e-6
    assert (new < old) or not settled.left_out.any()
    assert (group_of == before).all()


@pytest.mark.parametrize("algorithm", [Oka(small="suppress"), ThresholdGreedy(small="suppress")])
@given(task=tasks(), most=st.integers(0, 8), seed=st.integers(0, 3))
@settings(max_examples=40, deadline=None)
def test_small_clusters_are_left_out_within_the_limit_and_the_others_keep_the_promise(
    algorithm: Algorithm, task: Task, most: int, seed: int
) -> None:
    problem = problem_of(task.table, task.models, Lm())
    found = algorithm.partition(problem, Terms(seed, most_left_out=most))
    assert found.left_out is not None
    settled = settling.settle(problem, found.group_of, _judge(task), False, most, found.left_out)
    kept = np.flatnonzero(~settled.left_out)
    assert found.facts["left_out"] == found.left_out.sum()
    assert settled.left_out.sum() <= most
    assert _judge(task)(kept, settled.group_of[kept].astype(np.int64)).all()
    assert not set(settled.group_of[kept]) & set(settled.group_of[settled.left_out])


def test_rows_come_back_without_which_the_others_cannot_keep_the_promise() -> None:
    rows = [(str(number),) for number in (1, 2, 1, 2, 50, 51)]
    task = Task(naive.Table(rows, [naive.Numbers()], (), ["x", "y", "x", "y", "x", "x"]), 2, None)
    problem = problem_of(task.table, task.models, Lm())
    group_of, left_out = np.array([0, 0, 0, 0, 1, 1], dtype=np.int32), np.array([False] * 4 + [True] * 2)

    def judge(some: np.ndarray[Any, Any], class_of: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return np.full(int(class_of.max()) + 1, len(some) == 6)

    settled = settling.settle(problem, group_of, judge, False, 2, left_out)
    assert not settled.left_out.any()
    assert _judge(task)(np.arange(6), settled.group_of.astype(np.int64)).all()


@pytest.mark.parametrize(("suppression", "left_out"), [(0, 0), (0.1, 1)])
def test_an_option_leaves_small_clusters_out_and_the_report_says_how_many(
    suppression: float, left_out: int, tmp_path: Path
) -> None:
    (tmp_path / "t.csv").write_text("age\n" + "\n".join(["1", "2", "3"] * 4 + ["9999"]) + "\n")
    spec = {
        "input": "t.csv",
        "output": "o.csv",
        "quasi_identifiers": {"age": "numeric"},
        "privacy": {"k": 4, "suppression": suppression},
        "algorithm": {"name": "threshold-greedy", "small": "suppress", "threshold": 0.001},
    }
    (tmp_path / "s.yaml").write_text(yaml.safe_dump(spec))
    observer = _Listener()
    pipeline.run(parse(tmp_path / "s.yaml"), observer)
    report = json.loads((tmp_path / "o.report.json").read_text())
    assert report["suppressed_rows"] == report["algorithm"]["left_out"] == left_out
    assert report["privacy"]["achieved"]["k"] >= 4
    assert report["algorithm"]["groups"] == report["classes"]["count"]
    assert [("leaves no rows out" in said) for said in observer.warnings] == [True] * (left_out == 0)


def test_an_outlier_is_left_out_and_the_report_says_so(tmp_path: Path) -> None:
    rows = [f"{age},x" for age in (1, 2, 1, 2, 1, 2)] + ["9999,gout"]
    (tmp_path / "t.csv").write_text("age,ill\n" + "\n".join(rows) + "\n")
    spec = {
        "input": "t.csv",
        "output": "o.csv",
        "quasi_identifiers": {"age": "numeric"},
        "sensitive": "ill",
        "privacy": {"k": 3, "suppression": {"rows": 1}},
        "algorithm": "mondrian",
    }
    (tmp_path / "s.yaml").write_text(yaml.safe_dump(spec))
    pipeline.run(parse(tmp_path / "s.yaml"), Silence())
    report = json.loads((tmp_path / "o.report.json").read_text())
    assert (report["suppressed_rows"], report["input"]["rows"], report["output"]["rows"]) == (1, 7, 6)
    assert "9999" not in (tmp_path / "o.csv").read_text()
    assert report["utility"]["lm"] == pytest.approx(1 / 7, abs=1e-3), "a row that is left out loses 1 a cell"
    assert report["utility"]["dm"] == 3 * 3 + 3 * 3 + 7
    by_value = {"ill": [{"rows": 6, "left_out": 0}, {"rows": 1, "left_out": 1}]}
    figures = {"overrepresented": 7.0, "distance": pytest.approx(6 / 7), "by_value": by_value}
    assert report["suppressed"] == {"rows": 1, "most": 1, **figures}
    assert "gout" not in json.dumps(report), "no value is shown"


def test_what_is_left_out_is_counted_by_value_not_by_how_it_is_written(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("q,s\n1,2\n1,2.0\n1,3\n1,20\n1,2.00\n99,2\n")
    spec = {
        "input": "t.csv",
        "output": "o.csv",
        "quasi_identifiers": {"q": "numeric"},
        "sensitive": {"s": {"type": "numeric", "bins": [10]}},
        "privacy": {"k": 2, "suppression": {"rows": 1}},
        "algorithm": "mondrian",
    }
    (tmp_path / "s.yaml").write_text(yaml.safe_dump(spec))
    pipeline.run(parse(tmp_path / "s.yaml"), Silence())
    told = json.loads((tmp_path / "o.report.json").read_text())["suppressed"]
    assert told["by_value"] == {"s": [{"rows": 5, "left_out": 1}, {"rows": 1, "left_out": 0}]}
    assert (told["overrepresented"], told["distance"]) == (pytest.approx(1.2), pytest.approx(1 / 6))


def test_sets_are_released_where_rows_are_left_out_and_a_promise_may_break(tmp_path: Path) -> None:
    lines = [f"p,{age},{sick}" for age, sick in ((20, "u"), (20, "v"), (21, "u"), (21, "v"))]
    (tmp_path / "t.csv").write_text("skill,age,sick\n" + "\n".join([*lines, "q,90,u"]) + "\n", encoding="utf-8")
    spec = {
        "input": "t.csv",
        "output": "out.csv",
        "quasi_identifiers": {"skill": {"generalize": "set"}, "age": "numeric"},
        "sensitive": "sick",
        "privacy": {"k": 2, "delta": {"present": 1.5}, "suppression": 0.4},
    }
    (tmp_path / "spec.yaml").write_text(json.dumps(spec), encoding="utf-8")
    assert pipeline.run(parse(tmp_path / "spec.yaml"), Silence()).report.privacy.verified
    assert len((tmp_path / "out.csv").read_text().splitlines()) == 5
