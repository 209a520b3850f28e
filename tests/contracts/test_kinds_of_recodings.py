"""Groups and boxes of single rows are released truly in columns of every kind, and read back as what they cover."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from kanon_cli import algorithms, pipeline
from kanon_cli.algorithms.base import Algorithm
from kanon_cli.events import Silence
from kanon_cli.parts import load
from kanon_cli.spec.parse import parse
from tests.audit.releases import CHOICES, DEGREE_OF
from tests.contracts.parts import EVERY_ALGORITHM

COLUMNS: dict[str, Any] = {
    "age": "numeric",
    "income": {"type": "numeric", "taxonomy": {"intervals": [10, 100]}},
    "degree": {"taxonomy": "degree.csv", "weight": 2},
    "zip": {"taxonomy": {"mask": 3}},
    "born": {"type": "date"},
    "seen": {"type": "date", "taxonomy": "calendar"},
    "skill": {"generalize": "set"},
    "sex": "categorical",
}


def _released(names: list[str], folder: Path, privacy: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Release a table with these columns; what the report says of privacy."""
    rng = np.random.default_rng(len(names[0]))
    with (folder / "table.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*names, "illness"])
        for _ in range(60):
            cells = [CHOICES[name][int(rng.integers(len(CHOICES[name])))] for name in names]
            writer.writerow([*(cell or "" for cell in cells), ("flu", "cold", "gout")[int(rng.integers(3))]])
    above = {"Higher": "Any", "School": "Any"}
    lines = [f"{leaf};{node};{above[node]}" for leaf, node in DEGREE_OF.items()]
    (folder / "degree.csv").write_text("\n".join(lines) + "\n")
    spec = {
        "input": "table.csv",
        "output": {"path": "release.csv"},
        "quasi_identifiers": {name: COLUMNS[name] for name in names},
        "sensitive": "illness",
        "privacy": {"k": 4, "l": 1.5, **privacy},
        **more,
    }
    (folder / "spec.yaml").write_text(yaml.safe_dump(spec))
    pipeline.run(parse(folder / "spec.yaml"), Silence())
    found: dict[str, Any] = json.loads((folder / "release.report.json").read_text())["privacy"]
    return found


@pytest.mark.parametrize("numeric", ["interval", "bounds"])
@pytest.mark.parametrize("names", [["age", "zip", "seen"], ["income", "degree", "skill"], ["born", "skill", "sex"]])
@pytest.mark.parametrize("notion", ["(k,k)", "global-(1,k)"])
def test_a_column_of_any_kind_is_released_truly(notion: str, names: list[str], numeric: str, tmp_path: Path) -> None:
    privacy = _released(names, tmp_path, {"notion": notion}, output={"path": "release.csv", "numeric": numeric})
    assert privacy["truthful"] is True
    assert min(privacy["achieved"][name] for name in privacy["required"] if name != "l") >= 4
    assert privacy["achieved"]["l_frequency"] >= 1.5
    assert privacy["notion"] == notion


@pytest.mark.parametrize("algorithm", [label for label, part in EVERY_ALGORITHM if part.name == label])
def test_every_algorithm_takes_columns_of_all_kinds_at_once(algorithm: str, tmp_path: Path) -> None:
    notion = load(algorithms.TABLE, algorithm, Algorithm).keeps
    weak = {"accept_weak": True} if notion == "(k,1)" else {}
    privacy = _released(list(COLUMNS), tmp_path, {"notion": notion, **weak}, algorithm=algorithm, measure="il")
    assert privacy["truthful"] is True
    assert min(privacy["achieved"][name] for name in privacy["required"] if name != "l") >= 4
    assert privacy["achieved"]["l_frequency"] >= 1.5
