"""What every release keeps, whoever grouped its rows, by a judge that knows no more than the files."""

from __future__ import annotations

import csv
import json
import math
import tempfile
from collections import Counter, defaultdict
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanon_cli import pipeline
from kanon_cli.algorithms.base import Algorithm
from kanon_cli.events import Silence
from kanon_cli.measures.base import CellMeasure
from kanon_cli.spec.parse import parse
from tests import naive
from tests.contracts.parts import ALGORITHMS, OBJECTIVES
from tests.naive import models
from tests.strategies import LEAVES, Task, examples, tasks


def _write(task: Task, algorithm: Algorithm, measure: str, order: str, folder: Path) -> Path:
    """Write a task as a table, its taxonomies and a spec."""
    names = [f"q{at}" for at in range(len(task.table.columns))]
    with (folder / "table.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*names, "s", "unnamed"])
        for row, secret in zip(task.table.rows, task.table.secrets, strict=True):
            writer.writerow([*(value or "" for value in row), secret or "", "private"])
    columns: dict[str, Any] = {}
    for name, kind, weight in zip(names, task.table.columns, task.table.weights, strict=True):
        columns[name] = {"type": "numeric", "weight": weight}
        if isinstance(kind, naive.Tree):
            lines = [";".join(kind.above(leaf)) for leaf in LEAVES if leaf in kind.parent_of]
            (folder / f"{name}.csv").write_text("\n".join(lines) + "\n")
            columns[name] = {"taxonomy": f"{name}.csv", "weight": weight}
    spec = {
        "input": "table.csv",
        "output": {"path": "out/release.csv", "order": order},
        "quasi_identifiers": columns,
        "sensitive": "s",
        "privacy": task.privacy,
        "measure": measure,
        "algorithm": {"name": algorithm.name, **algorithm.model_dump()},
    }
    (folder / "spec.yaml").write_text(json.dumps(spec))  # YAML, too, and quickly written
    return folder / "spec.yaml"


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@given(task=tasks(max_rows=25), order=st.sampled_from(["sorted", "input"]))
@examples(20)
def test_the_release_is_safe_and_true_and_every_number_of_the_report_is_right(
    algorithm: Algorithm, objective: CellMeasure, task: Task, order: str
) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run = pipeline.run(parse(_write(task, algorithm, objective.name, order, folder)), Silence())
        assert sorted(path.name for path in (folder / "out").iterdir()) == ["release.csv", "release.report.json"]
        with (folder / "out" / "release.csv").open(newline="") as file:
            header, *rows = list(csv.reader(file))
        report = json.loads((folder / "out" / "release.report.json").read_text())
    assert run.report.text() == json.dumps(report, indent=2, ensure_ascii=False) + "\n"
    assert header == [*(f"q{at}" for at in range(len(task.table.columns))), "s"]
    released, secrets = [row[:-1] for row in rows], [row[-1] for row in rows]
    assert len(rows) == len(task.table.rows)
    assert naive.matched(task.table, released, secrets) == len(rows), "every cell covers its original"
    if order == "sorted":
        assert rows == sorted(rows, key=lambda row: [(cell == "", cell) for cell in row])
    _check_privacy(task, released, secrets, report)
    _check_losses(task.table, released, report, objective.name)


def _check_privacy(task: Task, released: list[list[str]], secrets: list[str], report: dict[str, Any]) -> None:
    classes: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for cells, secret in zip(released, secrets, strict=True):
        classes[tuple(cells)].append(secret)
    sizes = [len(members) for members in classes.values()]
    shares, kinds, entropies = [], [], []
    for members in classes.values():
        counts = Counter(members)
        missing = counts.pop("", 0)
        kinds.append(max(len(counts), 1))
        most = max(counts.values(), default=0)
        shares.append(Fraction(most + missing, len(members)))
        merged = [most + missing, *sorted(counts.values(), reverse=True)[1:]]
        entropies.append(math.exp(-sum(n / len(members) * math.log(n / len(members)) for n in merged if n)))
    assert min(sizes) >= task.k
    assert task.diversity is None or max(shares) <= 1 / task.diversity
    values = [secret or None for secret in secrets]
    groups = naive.groups_of([list(classes).index(tuple(cells)) for cells in released])
    assert all(models.keeps(task.further, values, members) for members in groups)
    assert report["privacy"]["verified"] is True
    assert report["privacy"]["truthful"] is True
    achieved = report["privacy"]["achieved"]
    assert (achieved["k"], achieved["l_distinct"]) == (min(sizes), min(kinds))
    assert achieved["l_frequency"] == pytest.approx(float(1 / max(shares)))
    assert achieved["l_entropy"] == pytest.approx(min(entropies))
    risk = {"prosecutor_max": 1 / min(sizes), "prosecutor_mean": len(sizes) / len(released)}
    assert report["privacy"]["risk"] == pytest.approx(risk)
    found = report["classes"]
    assert (found["count"], found["min"], found["max"]) == (len(sizes), min(sizes), max(sizes))
    assert found["mean"] == pytest.approx(sum(sizes) / len(sizes))
    assert sum(part["rows"] for part in found["histogram"]) == len(released)
    assert report["utility"]["dm"] == sum(size**2 for size in sizes)
    assert report["utility"]["class_size"] == pytest.approx(len(released) / (task.k * len(sizes)))


def _check_losses(table: naive.Table, released: list[list[str]], report: dict[str, Any], objective: str) -> None:
    for measure in ("lm", "il", "gcp", "entropy"):
        losses = [
            sum(naive.released_loss(table, column, cells[column], measure) for cells in released) / len(released)
            for column in range(len(table.columns))
        ]
        weighted = sum(loss * weight for loss, weight in zip(losses, table.weights, strict=True)) / sum(table.weights)
        assert report["utility"][measure] == pytest.approx(weighted, abs=1e-9)
        if measure == objective:
            assert report["utility"]["bound"][measure] <= report["utility"][measure]
            assert report["utility"]["details"]["bound"][measure]["kind"] == "exact-k1"
            found = [report["attributes"][f"q{column}"]["loss"] for column in range(len(table.columns))]
            assert found == pytest.approx(losses, abs=1e-9)
    for column in range(len(table.columns)):
        block = report["attributes"][f"q{column}"]
        cells = [row[column] for row in released]
        assert block["distinct_in"] == len(set(table.values(column)))
        assert block["distinct_out"] == len(set(cells))
        assert block["suppressed"] == cells.count("*")
        assert block["missing"] == table.values(column).count(None)
