"""Every config is valid, runs, and releases what it released before (`python -m tests.golden.test_golden` renews)."""

from __future__ import annotations

import hashlib
import json
import tempfile
from pathlib import Path

import pytest

from kanon_cli import pipeline
from kanon_cli.events import Silence
from kanon_cli.report.model import Report
from kanon_cli.spec.parse import parse
from kanon_cli.spec.targets import output_of
from kanon_cli.tables.read import read_release

PROJECT = Path(__file__).parents[2]
CONFIGS = sorted((PROJECT / "configs").glob("*.yaml"))
KNOWN = Path(__file__).with_name("releases.json")
SETS = ("effort=60",)  # enough for all parts of a search


def _run(config: Path, folder: Path) -> tuple[Report, str]:
    """Run a config; the checksum is of the cells, as compressed bytes differ between versions of libraries."""
    ending = "".join(Path(output_of(parse(config)).path).suffixes)
    target = folder / f"release{ending}"
    spec = parse(config, SETS, output=str(target), report=str(folder / "report.json"))
    run = pipeline.run(spec, Silence())
    names, columns = read_release(target, target, spec.input.null_values)
    cells = {name: columns[name].text.take(columns[name].code_of.clip(0)).to_pylist() for name in names}
    missing = {name: (columns[name].code_of < 0).tolist() for name in names}
    return run.report, hashlib.sha256(json.dumps([cells, missing]).encode()).hexdigest()


def _summary(report: Report, checksum: str) -> dict[str, object]:
    loss = report.utility[report.algorithm.measure]
    return {"classes": report.classes.count, "loss": f"{loss:.9f}", "cells": checksum}


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: config.stem)
def test_a_config_releases_what_it_released_before(config: Path, tmp_path: Path) -> None:
    assert pipeline.check(parse(config), Silence()).rows == 5000
    known = json.loads(KNOWN.read_text())
    assert _summary(*_run(config, tmp_path)) == known[config.stem]


def test_no_config_is_forgotten() -> None:
    assert list(json.loads(KNOWN.read_text())) == [config.stem for config in CONFIGS]


if __name__ == "__main__":
    found = {}
    for config in CONFIGS:
        with tempfile.TemporaryDirectory() as name:
            found[config.stem] = _summary(*_run(config, Path(name)))
    KNOWN.write_text(json.dumps(found, indent=1) + "\n")
