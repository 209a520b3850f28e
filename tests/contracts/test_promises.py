"""Every model, several sensitive columns, people, rows left out: what a run promises, its file keeps."""

from __future__ import annotations

import csv
import json
import random
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_cli import pipeline, settling
from kanon_cli.algorithms.base import Algorithm, Terms
from kanon_cli.algorithms.oka import Oka
from kanon_cli.algorithms.threshold_greedy import ThresholdGreedy
from kanon_cli.errors import PromiseError
from kanon_cli.events import Silence
from kanon_cli.measures.lm import Lm
from kanon_cli.spec.parse import parse
from tests import naive
from tests.contracts.parts import ALGORITHMS
from tests.naive import leaving, models
from tests.strategies import Task, problem_of, tasks

TREE = naive.Tree({"a": "N", "b": "N", "c": "M", "d": "M", "N": "*", "M": "*"})
MEANINGS: list[tuple[Any, models.Meaning, list[str]]] = [
    (None, None, ["x", "y", "z"]),
    ({"taxonomy": "tree.csv"}, TREE, ["a", "b", "c", "d"]),
    ("numeric", "numeric", ["1", "2", "4", "9"]),
]
PROMISES: list[dict[str, Any]] = [
    {"l": 1.6},
    {"alpha": 0.55},
    {"t": 0.3},
    {"diversity": {"distinct": 3}},
    {"diversity": {"entropy": 2.2}},
    {"diversity": {"recursive": {"c": 1.2, "l": 2}}},
    {"beta": {"basic": 0.9}},
    {"beta": {"enhanced": 1.2}},
    {"delta": {"strict": 1.2}},
    {"delta": {"present": 0.8}},
]


def _table(rng: random.Random, folder: Path) -> tuple[dict[str, Any], list[dict[str, str]]]:
    """Write a table with 1 to 4 quasi-identifiers and 1 to 3 sensitive columns, and give a spec of it."""
    rows = rng.randint(8, 40)
    columns: dict[str, list[str]] = {}
    for at in range(rng.randint(1, 4)):
        values = ["0", "1", "2", "5", "7", ""] if rng.random() < 0.5 else ["0", "1", "2", "3"]
        columns[f"q{at}"] = [rng.choice(values) for _ in range(rows)]
    sensitive: dict[str, Any] = {}
    for at in range(rng.randint(1, 3)):
        written, _, values = MEANINGS[at]
        values = [*values, ""] if rng.random() < 0.4 else values
        sensitive[f"s{at}"] = written
        columns[f"s{at}"] = [rng.choice(values) for _ in range(rows)]
    columns["person"] = [f"p{rng.randint(0, rows * 2 // 3)}" for _ in range(rows)]
    records = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    with (folder / "table.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(columns))
        writer.writeheader()
        writer.writerows(records)
    (folder / "tree.csv").write_text("".join(f"{';'.join(TREE.above(leaf))}\n" for leaf in sorted(TREE.leaves)))
    spec = {
        "input": "table.csv",
        "output": {"path": "release.csv", "order": "input"},
        "quasi_identifiers": {name: "numeric" for name in columns if name.startswith("q")},
        "sensitive": sensitive,
        "privacy": {"k": rng.randint(2, 4), "joint": rng.random() < 0.3},
        "effort": 20,
    }
    return spec, records


def _secrets(spec: dict[str, Any], records: list[dict[str, str]]) -> list[tuple[models.Secrets, models.Meaning]]:
    """Each sensitive column, and where they are joint, their combination."""
    found: list[tuple[models.Secrets, models.Meaning]] = [
        ([record[name] or None for record in records], MEANINGS[int(name[1])][1]) for name in spec["sensitive"]
    ]
    if spec["privacy"]["joint"] and len(found) > 1:
        parts = zip(*(values for values, _ in found), strict=True)
        found.append(([None if None in row else "|".join(map(str, row)) for row in parts], None))
    return found


def _keeps(spec: dict[str, Any], records: list[dict[str, str]], classes: list[list[int]]) -> bool:
    """Whether the classes keep every promise, by the definitions."""
    units = [record["person"] for record in records] if "unit" in spec["privacy"] else None
    privacy = {key: value for key, value in spec["privacy"].items() if key not in ("k", "joint", "unit", "suppression")}
    return all(
        models.keeps(privacy, values, members, meaning, units)
        for members in classes
        for values, meaning in _secrets(spec, records)
    ) and all(len({units[row] if units else row for row in members}) >= spec["privacy"]["k"] for members in classes)


def _those(records: list[dict[str, str]], released: list[dict[str, str]], kept: Any) -> list[dict[str, str]]:
    """The original record of each released one: both have the same order, and cells cover originals."""
    found, at = [], 0
    for record in released:
        while not all(
            record[name] == records[at][name]
            if name in kept
            else naive.covers(naive.Numbers(), record[name], records[at][name] or None)
            for name in record
        ):
            at += 1
        found.append(records[at])
        at += 1
    return found


@pytest.mark.parametrize(
    "promise", PROMISES, ids=lambda promise: "-".join(map(str, promise)) + str([*promise.values()])
)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_release_keeps_every_promise_or_the_whole_table_cannot(
    algorithm: Algorithm, promise: dict[str, Any], tmp_path: Path
) -> None:
    rng = random.Random(f"{algorithm.name}{promise}")  # noqa: S311  a table, no secret
    spec, records = _table(rng, tmp_path)
    spec["privacy"] |= promise
    spec["algorithm"] = {"name": algorithm.name, **algorithm.model_dump()}
    if rng.random() < 0.3 and set(promise) & {"l", "alpha"}:
        spec["privacy"]["unit"] = "person"
    spec["privacy"]["suppression"] = rng.choice([0.0, 0.2])
    (tmp_path / "spec.yaml").write_text(yaml.safe_dump(spec))
    everybody = list(range(len(records)))
    try:
        report = pipeline.run(parse(tmp_path / "spec.yaml"), Silence(), force=True).report
    except PromiseError as error:
        assert not _keeps(spec, records, [everybody]), error
        assert any(word in str(error) for word in ("largest", "smallest", "cannot keep it"))
        return
    assert report.privacy.verified
    with (tmp_path / "release.csv").open(newline="") as file:
        released = list(csv.DictReader(file))
    assert report.suppressed_rows == len(records) - len(released) <= 0.2 * len(records)
    assert not any("person" in record for record in released)
    records = _those(records, released, spec["sensitive"])
    classes = defaultdict(list)
    for row, record in enumerate(released):
        classes[tuple(record[name] for name in spec["quasi_identifiers"])].append(row)
    assert _keeps(spec, records, list(classes.values()))


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
    rows = [f"{age},x" for age in (1, 2, 1, 2, 1, 2)] + ["9999,y"]
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
    assert report["suppressed"] == {"rows": 1, "most": 1, "overrepresented": 7.0, "distance": pytest.approx(6 / 7)}
    assert "y" not in json.dumps(report["suppressed"]), "no value is shown"
