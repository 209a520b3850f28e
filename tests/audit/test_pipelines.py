"""Files in which other programs show what an audit found: JUnit XML and SARIF."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest

from kanon_cli import auditing, pipeline
from kanon_cli.audit.leaks import RULES
from kanon_cli.cli.findings import checks
from kanon_cli.events import Silence
from kanon_cli.report.checks import REQUIREMENT_RULES, Check
from kanon_cli.report.junit import junit
from kanon_cli.report.sarif import sarif
from kanon_cli.spec.parse import parse

ALL_RULES = REQUIREMENT_RULES | RULES
TABLE = "age,sex,ill,index\n30,F,a,1\n30,F,b,2\n40,M,a,3\n40,M,a,4\n40,M,b,5\n"

TEXT = {"type": "string", "minLength": 1}
SARIF = {  # what SARIF 2.1.0 says of the parts that kanon writes
    "type": "object",
    "required": ["version", "runs"],
    "additionalProperties": False,
    "properties": {
        "$schema": {"type": "string", "format": "uri"},
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["tool"],
                "additionalProperties": False,
                "properties": {
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                    "invocations": {"items": {"required": ["executionSuccessful"], "type": "object"}},
                    "tool": {
                        "required": ["driver"],
                        "properties": {
                            "driver": {
                                "required": ["name"],
                                "additionalProperties": False,
                                "properties": {
                                    "name": TEXT,
                                    "version": TEXT,
                                    "rules": {
                                        "uniqueItems": True,
                                        "items": {
                                            "required": ["id"],
                                            "additionalProperties": False,
                                            "properties": {
                                                "id": TEXT,
                                                "shortDescription": {
                                                    "required": ["text"],
                                                    "properties": {"text": TEXT},
                                                },
                                            },
                                        },
                                    },
                                },
                            }
                        },
                    },
                    "results": {
                        "items": {
                            "required": ["message"],
                            "additionalProperties": False,
                            "properties": {
                                "ruleId": TEXT,
                                "ruleIndex": {"type": "integer", "minimum": 0},
                                "level": {"enum": ["none", "note", "warning", "error"]},
                                "message": {"required": ["text"], "properties": {"text": TEXT}},
                                "locations": {
                                    "items": {
                                        "additionalProperties": False,
                                        "properties": {
                                            "physicalLocation": {
                                                "required": ["artifactLocation"],
                                                "properties": {
                                                    "artifactLocation": {"properties": {"uri": TEXT}},
                                                    "region": {"properties": {"startLine": {"minimum": 1}}},
                                                },
                                            },
                                            "logicalLocations": {"items": {"properties": {"name": TEXT, "kind": TEXT}}},
                                        },
                                    }
                                },
                                "partialFingerprints": {"additionalProperties": {"type": "string"}},
                            },
                        }
                    },
                },
            },
        },
    },
}


@pytest.fixture
def answer(tmp_path: Path) -> auditing.Answer:
    """What an audit says of a small table that falls short of k and not of l."""
    (tmp_path / "t.csv").write_text(TABLE)
    question = auditing.Question(
        tmp_path / "t.csv",
        quasi_identifiers=("age", "sex"),
        sensitive=("ill",),
        require=("k=3,l=1.5,marketer<=0.3",),
    )
    return auditing.audit(question, Silence())


def test_junit_fails_what_falls_short_and_shows_the_rest(answer: auditing.Answer) -> None:
    """A failure a requirement that is not kept; leaks are output of cases that pass."""
    suite = ElementTree.fromstring(junit(checks(answer), "t.csv")).find("testsuite")  # noqa: S314  it is our own
    assert suite is not None
    assert (suite.get("name"), suite.get("tests"), suite.get("failures")) == ("t.csv", "8", "2")
    cases = {(case.get("classname"), case.get("name")): [part.tag for part in case] for case in suite}
    assert cases == {
        ("kanon.falls-short", "k >= 3"): ["failure"],
        ("kanon.falls-short", "l_frequency >= 1.5"): [],
        ("kanon.falls-short", "marketer <= 0.3"): ["failure"],
        ("kanon.index-like", "index-like of index"): ["system-out"],
        **{(f"kanon.{rule}", rule): [] for rule in RULES if rule != "index-like"},
    }


def test_what_could_not_be_shown_is_told_beside_what_was(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("age\n3\n0\n7\n1\n5\n2\n6\n4\n")
    spec = {
        "input": "t.csv",
        "output": {"path": "o.csv", "numeric": "midpoint"},
        "quasi_identifiers": {"age": "numeric"},
        "privacy": {"k": 2},
    }
    (tmp_path / "s.yaml").write_text(json.dumps(spec))
    pipeline.run(parse(tmp_path / "s.yaml"), Silence())
    question = auditing.Question(tmp_path / "o.csv", spec=parse(tmp_path / "s.yaml"), original=tmp_path / "t.csv")
    found = {check.name: check for check in checks(auditing.audit(question, Silence()))}
    assert (found["truthfulness"].level, found["truthfulness"].fails) == ("note", False)
    assert "midpoints of age" in str(found["truthfulness"].message)


def test_sarif_has_a_result_for_all_that_is_wrong(answer: auditing.Answer) -> None:
    log = json.loads(sarif(checks(answer), "folder/my t.csv", ALL_RULES))
    jsonschema.validate(log, SARIF)
    (run,) = log["runs"]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == list(ALL_RULES)
    results: list[dict[str, Any]] = run["results"]
    assert [(result["ruleId"], result["level"]) for result in results] == [
        ("falls-short", "error"),
        ("falls-short", "error"),
        ("index-like", "error"),
    ]
    assert all(list(ALL_RULES)[result["ruleIndex"]] == result["ruleId"] for result in results)
    (location,) = results[-1]["locations"]
    assert location["physicalLocation"]["artifactLocation"]["uri"] == "folder/my%20t.csv"
    assert location["logicalLocations"] == [{"name": "index", "kind": "member"}]
    assert len({result["partialFingerprints"]["check/v1"] for result in results}) == 3


def test_a_file_that_is_named_in_full_has_an_address_in_full() -> None:
    log = json.loads(
        sarif([Check("set-label", "set-label", "zip", "cells list values", "note")], "/data/t.csv", ALL_RULES)
    )
    (result,) = log["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "file:///data/t.csv"
    jsonschema.validate(log, SARIF)


@pytest.mark.parametrize("name", ["a<b>&\"'", "bell\x07", "lone\ud800", "end\uffff", "new\nline", "café 数"])
def test_names_of_columns_do_not_break_the_files(name: str) -> None:
    """What XML cannot hold has another sign in its place."""
    found = [Check("near-unique", "near-unique", name, f"{name}: most rows", "warning", required=False)]
    case = ElementTree.fromstring(junit(found, name)).find("testsuite/testcase")  # noqa: S314  it is our own
    assert case is not None
    assert (case.get("name") or "").startswith("near-unique of ")
    result = json.loads(sarif(found, "t.csv", ALL_RULES))["runs"][0]["results"][0]
    assert result["locations"][0]["logicalLocations"][0]["name"] == name


def test_no_file_holds_a_value_of_the_data(tmp_path: Path) -> None:
    rows = [f"{20 + row},Secretville,{'Rabies' if row % 2 else 'Plague'},visit-{row}" for row in range(6)]
    (tmp_path / "t.csv").write_text("\n".join(["age,city,ill,visit", *rows, ""]))
    question = auditing.Question(
        tmp_path / "t.csv", quasi_identifiers=("age", "city"), sensitive=("ill",), require=("k=2,l=2",)
    )
    found = checks(auditing.audit(question, Silence()))
    written = junit(found, "t.csv") + sarif(found, "t.csv", ALL_RULES)
    assert "near-unique" in written
    assert not any(value in written for value in ("Secretville", "Rabies", "Plague", "visit-"))
