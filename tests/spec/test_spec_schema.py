"""The JSON Schema of a spec: what it lets through, what it does not, and that it explains every key."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from kanon_cli import algorithms
from kanon_cli.spec.later import LATER
from kanon_cli.spec.schema import DIALECT, spec_schema

CONFIGS = sorted((Path(__file__).parents[2] / "configs").glob("*.yaml"))
SMALL = {"input": "in.csv", "output": "out.csv", "quasi_identifiers": ["a"], "privacy": {"k": 2}}
SCHEMA = spec_schema()
CHECK = Draft202012Validator(SCHEMA)


def properties(schema: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every key that some mapping may have."""
    if isinstance(schema, list):
        for item in schema:
            yield from properties(item)
    elif isinstance(schema, dict):
        yield from schema.get("properties", {}).items()
        for value in schema.values():
            yield from properties(value)


def test_it_is_a_schema_of_the_newest_draft() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == DIALECT


def test_every_key_has_a_description() -> None:
    keys = list(properties(SCHEMA))
    assert len(keys) > 40
    assert [name for name, key in keys if not key.get("description")] == []
    assert [name for name, key in keys if "\n" in key["description"]] == [], "it is a cell of a table in the manual"


def test_every_algorithm_is_there_with_its_options() -> None:
    forms = SCHEMA["properties"]["algorithm"]["anyOf"][1:]
    assert [form["properties"]["name"]["const"] for form in forms] == ["auto", *algorithms.TABLE]
    assert all(form["additionalProperties"] is False for form in forms)


def test_keys_that_come_later_are_left_out() -> None:
    known = {name for name, _ in properties(SCHEMA)}
    assert not known & {later.path[-1] for later in LATER if not later.allowed}


@pytest.mark.parametrize("config", CONFIGS, ids=lambda path: path.stem)
def test_every_config_is_valid(config: Path) -> None:
    CHECK.validate(yaml.safe_load(config.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"quasi_identifiers": {"a": "numeric", "b": {"taxonomy": "b.csv"}, "c": {"taxonomy": {"mask": 3}}}},
        {"sensitive": "s", "keep": ["x"], "privacy": {"k": "${K}", "l": 1.5, "suppression": 0}},
        {"input": {"path": "x", "null_values": [99, "NA", False]}, "output": "OUT.CSV.GZ"},
        {"output": "${OUT}", "measure": {"name": "il"}, "algorithm": {"name": "mondrian", "strict": False}},
        {"engine": {"backend": "local", "threads": "auto"}, "limits": {"lm": 0.3}},
        {"engine": {"threads": 1024}, "effort": "fast", "time_limit": "1.5h"},
        {"effort": 1200, "time_limit": "${TIME}"},
        {"sensitive": {"s": "numeric", "d": {"taxonomy": "d.yaml"}, "i": {"type": "numeric", "bins": [0, 5.5]}}},
        {"sensitive": "s", "privacy": {"k": 2, "t": 0.2, "joint": True, "unit": "p", "suppression": {"rows": 3}}},
        {"sensitive": "s", "privacy": {"k": 2, "alpha": 0.5, "beta": 2, "delta": {"present": 1, "strict": 2}}},
        {"sensitive": ["s"], "privacy": {"k": 2, "diversity": {"s": {"recursive": {"c": 2, "l": 3}, "entropy": 2}}}},
        {"privacy": {"k": 2, "notion": "(k,k)", "accept_weak": True}, "algorithm": {"name": "kk", "start": "lns"}},
    ],
)
def test_short_and_long_forms_are_valid(change: dict[str, Any]) -> None:
    CHECK.validate({**SMALL, **change})


@pytest.mark.parametrize(
    "change",
    [
        {"qi": ["a"]},
        {"privacy": {}},
        {"privacy": {"k": 1}},
        {"privacy": {"k": 2, "t": 2}},
        {"privacy": {"k": 2, "beta": {"half": 1}}},
        {"privacy": {"k": 2, "diversity": {"recursive": {"c": 1}}}},
        {"sensitive": {"s": {"type": "date"}}},
        {"privacy": {"k": 2, "notion": "kk"}},
        {"quasi_identifiers": []},
        {"quasi_identifiers": {"a": "text"}},
        {"quasi_identifiers": {"a": {"taxonomy": {}}}},
        {"quasi_identifiers": {"a": {"weight": 0}}},
        {"output": "out.xlsx"},
        {"measure": "dm"},
        {"algorithm": "kk1"},
        {"algorithm": {"name": "mondrian", "alpha": 0.5}},
        {"engine": {"backend": "spark"}},
        {"engine": {"threads": 0}},
        {"engine": {"threads": 1025}},
        {"engine": {"shard_rows": 4}},
        {"effort": "quick"},
        {"effort": -1},
        {"time_limit": "60"},
        {"time_limit": "1 h"},
        {"limits": {"lmm": 1}},
        {"version": 2},
    ],
)
def test_what_is_wrong_is_not_valid(change: dict[str, Any]) -> None:
    assert not CHECK.is_valid({**SMALL, **change})
