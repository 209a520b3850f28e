"""`kanon compare`."""

from __future__ import annotations

import csv
import json

import pytest

from tests.cli.conftest import Desk


def test_algorithms_are_compared_and_results_are_taken_up_again(desk: Desk) -> None:
    command = ("compare", "spec.yaml", "--algorithms", "mondrian", "--k", "3,99", "-o", "c")
    done = desk.kanon(*command)
    assert done.returncode == 0, done.stderr
    assert "no release of this table can keep k = 99" in done.stdout
    with (desk.folder / "c/results.csv").open(encoding="utf-8", newline="") as file:
        small, large = csv.DictReader(file)
    assert (small["algorithm"], small["k"], small["measure"]) == ("mondrian", "3", "lm")
    assert 0 < float(small["bound"]) < float(small["loss"]) < 1
    assert large["loss"] == ""
    assert not desk.files() & {"out/people.csv", "out/people.report.json"}
    (kept,) = (desk.folder / "c/runs").glob("mondrian-lm-3-*.json")
    content = json.loads(kept.read_text(encoding="utf-8"))
    content["report"]["utility"]["lm"] = 0.75
    kept.write_text(json.dumps(content), encoding="utf-8")
    again = desk.kanon(*command, "--json")
    assert [row["loss"] for row in json.loads(again.stdout)] == [0.75, None]


@pytest.mark.parametrize(
    "options",
    [["--algorithms", "mondrain"], ["--k", "1"], ["--k", "x"], ["--k", ","], ["--measures", "dm"], ["--jobs", "0"]],
)
def test_compare_refuses_what_it_does_not_know(desk: Desk, options: list[str]) -> None:
    done = desk.kanon("compare", "spec.yaml", *options)
    assert done.returncode == 2
    assert desk.files() == {"people.csv", "spec.yaml"}
