"""`kanon evaluate`."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import Desk


def test_a_release_is_evaluated_beside_its_original(desk: Desk) -> None:
    pytest.importorskip("sklearn")
    done = desk.kanon("evaluate", "spec.yaml", "--target", "visit", "--folds", "2", "--html", "e.html", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["target"], found["k"], found["rows"], sorted(found["classes"])) == ("visit", 3, 48, [16, 32])
    assert found["chance"]["accuracy"] == pytest.approx(2 / 3)
    (release,) = found["releases"]
    assert release["measure"] == "lm"
    for name, score in found["original"].items():
        own = release["classifiers"][name]
        assert 0 <= own["accuracy"] <= 1
        assert 0 <= own["on_original"]["auc"] <= 1
        assert 0 <= score["accuracy"] <= 1
    assert release["rules"]["survive"] <= release["rules"]["rules"]
    assert "Association rules" in (desk.folder / "e.html").read_text(encoding="utf-8")
    assert desk.files() == {"people.csv", "spec.yaml", "e.html"}


def test_without_scikit_learn_it_is_said_how_to_get_it(desk: Desk) -> None:
    done = desk.kanon("evaluate", "spec.yaml", first="import sys; sys.modules['sklearn'] = None")
    assert done.returncode == 6
    assert "pip install 'kanon-cli[evaluate]'" in done.stderr


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (["--target", "age"], 2, "not released as it is"),
        (["--target", "diagnosi"], 2, "did you mean 'diagnosis'?"),
        (["--measures", "dm"], 2, "is not known"),
        (["--folds", "20"], 3, "0 different values are frequent enough"),
    ],
)
def test_a_target_that_cannot_be_learned_is_refused(desk: Desk, options: list[str], code: int, said: str) -> None:
    pytest.importorskip("sklearn")
    done = desk.kanon("evaluate", "spec.yaml", *options)
    assert done.returncode == code
    assert said in done.stderr
