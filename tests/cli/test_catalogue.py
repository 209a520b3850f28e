"""`kanon algorithms`, `kanon models` and `kanon measures` say what there is."""

from __future__ import annotations

import json

import pytest

from kanon_cli import catalogue
from kanon_cli.algorithms.mondrian import Mondrian
from tests.cli.conftest import Desk

FAMILIES = ("algorithms", "models", "measures")


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_is_listed_with_a_sentence_for_each_part(desk: Desk, family: str) -> None:
    done = desk.kanon(family)
    assert (done.returncode, done.stderr) == (0, "")
    first_words = [line.split()[0] for line in done.stdout.splitlines() if line[:3].strip()]
    assert [word for word in first_words if word != "kanon"] == list(catalogue.FAMILIES[family])
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_algorithms_are_listed_with_their_options_and_defaults(desk: Desk) -> None:
    said = " ".join(desk.kanon("algorithms").stdout.split())
    assert "strict: true, cut: costliest" in said
    assert "alpha: 0.5, omega: 1.5, passes: 50, split: at-once, restarts: 1, k0: [], judged: grown" in said


def test_an_algorithm_is_shown_with_its_options_defaults_and_source(desk: Desk) -> None:
    said = " ".join(desk.kanon("algorithms", "mondrian").stdout.split())
    assert "Source LeFevre" in said
    assert "Guarantee every group has k rows" in said
    for name, field in Mondrian.model_fields.items():
        assert f"{name}: " in said
        assert field.description is not None
        assert field.description in said
    assert "strict: true or false, by default true" in said
    assert "Another seed gives another result: no" in said


def test_in_json_one_part_is_an_object_and_all_are_an_array(desk: Desk) -> None:
    one = json.loads(desk.kanon("algorithms", "mondrian", "--json").stdout)
    everything = json.loads(desk.kanon("algorithms", "--json").stdout)
    assert one in everything
    assert one["name"] == "mondrian"
    assert one["facts"]["randomized"] is False
    assert {option["name"]: option["default"] for option in one["options"]} == {"strict": True, "cut": "costliest"}


def test_a_model_is_shown_with_its_key_in_a_spec(desk: Desk) -> None:
    said = desk.kanon("models", "l").stdout
    assert "privacy.l: a number of at least 1" in said
    assert "If two classes keep it, so does their union (counting rows): yes" in said


def test_an_unknown_name_is_a_usage_error_with_the_nearest_one(desk: Desk) -> None:
    done = desk.kanon("measures", "entropie")
    assert (done.returncode, done.stdout) == (2, "")
    assert "did you mean 'entropy'?" in done.stderr


@pytest.mark.parametrize("family", catalogue.FAMILIES)
def test_every_part_says_something_and_every_fact_has_a_meaning(family: str) -> None:
    for entry in catalogue.entries(family):
        assert entry.summary.endswith(".")
        assert "\n\n" not in entry.summary
        assert set(entry.facts) <= set(catalogue.FACTS)
