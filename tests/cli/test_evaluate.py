"""`kanon evaluate`."""

from __future__ import annotations

import json

import pytest

from kanon_cli.evaluating import seen_by
from kanon_cli.spec.parse import parse
from tests.cli.conftest import Desk


def test_a_release_is_evaluated_beside_its_original(desk: Desk) -> None:
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


def test_figures_of_a_release_whose_groups_were_formed_by_the_answers_are_marked(desk: Desk) -> None:
    options = ("--target", "diagnosis", "--measures", "lm,pmi", "--folds", "2", "--html", "e.html", "--json")
    done = desk.kanon("evaluate", "spec.yaml", *options)
    assert done.returncode == 0, done.stderr
    plain, formed = json.loads(done.stdout)["releases"]
    assert formed["target_seen_by"] == "cost"
    assert plain["target_seen_by"] != "cost"
    for score in formed["classifiers"].values():
        assert score["accuracy_lost"] is score["auc_lost"] is None
    assert "the release by pmi, groups formed by the answers" in (desk.folder / "e.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("target", "settings", "seen"),
    [
        ("diagnosis", ("privacy={k: 3}",), None),
        ("diagnosis", ("measure=pmi",), "cost"),
        ("visit", ("measure=pmi",), None),
        ("diagnosis", ("privacy={k: 3}", "measure={name: wmi, w: 1}"), None),
        ("diagnosis", ("algorithm={name: k-member, class_penalty: 1}",), "cost"),
        ("diagnosis", ("privacy={k: 3, l: 2}",), "promise"),
    ],
)
def test_what_looked_at_the_target_is_known(
    desk: Desk, target: str, settings: tuple[str, ...], seen: str | None
) -> None:
    assert seen_by(parse(desk.folder / "spec.yaml", settings), target) == seen


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
    done = desk.kanon("evaluate", "spec.yaml", *options)
    assert done.returncode == code
    assert said in done.stderr
