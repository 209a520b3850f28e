"""`kanon explain`."""

from __future__ import annotations

import json

from tests.cli.conftest import Desk


def test_a_spec_is_explained_and_nothing_is_published(desk: Desk) -> None:
    done = desk.kanon("explain", "spec.yaml", "--effort", "4", "--html", "why.html", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert [entry["column"] for entry in found["columns"]] == ["age", "sex", "zip", "born"]
    assert found["effort"] == 4
    assert "Loss by k" in (desk.folder / "why.html").read_text(encoding="utf-8")
    assert desk.files() == {"people.csv", "spec.yaml", "why.html"}
    assert "Asthma" not in done.stdout + done.stderr


def test_an_explanation_does_not_take_the_place_of_the_spec(desk: Desk) -> None:
    done = desk.kanon("explain", "spec.yaml", "--html", "spec.yaml", "--force")
    assert done.returncode == 2
