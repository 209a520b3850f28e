"""Checks as SARIF 2.1.0, in the form that code hosts show beside a file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from kanon_cli.report.checks import Check
from kanon_cli.version import VERSION

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def sarif(checks: Sequence[Check], table: str, rules: Mapping[str, str]) -> str:
    """Write a log with a result for all that is wrong; `rules` says what each lasting name stands for."""
    names = list(rules)
    driver = {
        "name": "kanon",
        "version": VERSION,
        "rules": [{"id": name, "shortDescription": {"text": said}} for name, said in rules.items()],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": True}],
        "results": [_result(check, table, names) for check in checks if check.message is not None],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _result(check: Check, table: str, names: Sequence[str]) -> dict[str, Any]:
    location: dict[str, Any] = {
        "physicalLocation": {"artifactLocation": {"uri": _uri(table)}, "region": {"startLine": 1}}
    }
    if check.column:
        location["logicalLocations"] = [{"name": check.column, "kind": "member"}]
    about = f"{check.name} of {check.column}" if check.column else check.name
    return {
        "ruleId": check.rule,
        "ruleIndex": names.index(check.rule),
        "level": check.level,
        "message": {"text": check.message},
        "locations": [location],
        "partialFingerprints": {"check/v1": f"{check.rule}: {about}"},
    }


def _uri(table: str) -> str:
    """The address of a file: as it was given, or in full if that begins at the root."""
    path = Path(table)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())
