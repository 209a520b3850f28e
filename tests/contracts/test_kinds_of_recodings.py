"""Boxes of single rows are released truly in columns of every kind, and are read back as what they cover."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from kanon_cli import pipeline
from kanon_cli.events import Silence
from kanon_cli.spec.parse import parse
from tests.audit.releases import CHOICES, DEGREE_OF

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


@pytest.mark.parametrize("numeric", ["interval", "bounds"])
@pytest.mark.parametrize("names", [["age", "zip", "seen"], ["income", "degree", "skill"], ["born", "skill", "sex"]])
@pytest.mark.parametrize("notion", ["(k,k)", "global-(1,k)"])
def test_a_column_of_any_kind_is_released_truly(notion: str, names: list[str], numeric: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(len(names[0]))
    with (tmp_path / "table.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*names, "illness"])
        for _ in range(60):
            cells = [CHOICES[name][int(rng.integers(len(CHOICES[name])))] for name in names]
            writer.writerow([*(cell or "" for cell in cells), ("flu", "cold", "gout")[int(rng.integers(3))]])
    above = {"Higher": "Any", "School": "Any"}
    lines = [f"{leaf};{node};{above[node]}" for leaf, node in DEGREE_OF.items()]
    (tmp_path / "degree.csv").write_text("\n".join(lines) + "\n")
    spec = {
        "input": "table.csv",
        "output": {"path": "release.csv", "numeric": numeric},
        "quasi_identifiers": {name: COLUMNS[name] for name in names},
        "sensitive": "illness",
        "privacy": {"k": 4, "notion": notion, "l": 1.5},
    }
    (tmp_path / "spec.yaml").write_text(yaml.safe_dump(spec))
    pipeline.run(parse(tmp_path / "spec.yaml"), Silence())
    privacy = json.loads((tmp_path / "release.report.json").read_text())["privacy"]
    assert privacy["truthful"] is True
    assert min(privacy["achieved"][name] for name in privacy["required"] if name != "l") >= 4
    assert privacy["achieved"]["l_frequency"] >= 1.5
    assert privacy["notion"] == notion
