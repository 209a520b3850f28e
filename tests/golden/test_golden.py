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
SHORT = "effort=60"
CASES = {config.stem: (config, (SHORT,)) for config in CONFIGS} | {  # and two whose clusters are recombined
    "recombined": (PROJECT / "configs/quickstart.yaml", ("privacy={k: 40}", "effort=900")),
    "recombined-suppression": (PROJECT / "configs/suppression-only.yaml", ("privacy={k: 10}", SHORT)),
}


def _run(config: Path, sets: tuple[str, ...], folder: Path) -> tuple[Report, str]:
    """Run a config; the checksum is of the cells, as compressed bytes differ between versions of libraries."""
    ending = "".join(Path(output_of(parse(config)).path).suffixes)
    target = folder / f"release{ending}"
    spec = parse(config, sets, output=str(target), report=str(folder / "report.json"))
    run = pipeline.run(spec, Silence())
    names, columns = read_release(target, target, spec.input.null_values)
    cells = {name: columns[name].text.take(columns[name].code_of.clip(0)).to_pylist() for name in names}
    missing = {name: (columns[name].code_of < 0).tolist() for name in names}
    return run.report, hashlib.sha256(json.dumps([cells, missing]).encode()).hexdigest()


def _summary(report: Report, checksum: str) -> dict[str, object]:
    loss = report.utility[report.algorithm.measure]
    return {"classes": report.classes.count, "loss": f"{loss:.9f}", "cells": checksum}


@pytest.mark.parametrize("name", CASES)
def test_a_config_releases_what_it_released_before(name: str, tmp_path: Path) -> None:
    config, sets = CASES[name]
    assert pipeline.check(parse(config), Silence()).rows == 5000
    report, checksum = _run(config, sets, tmp_path)
    assert _summary(report, checksum) == json.loads(KNOWN.read_text())[name]
    assert ("recombined" in (report.algorithm.model_extra or {})) == name.startswith("recombined")


def test_no_config_is_forgotten() -> None:
    assert list(json.loads(KNOWN.read_text())) == list(CASES)


if __name__ == "__main__":
    found = {}
    for name, (config, sets) in CASES.items():
        with tempfile.TemporaryDirectory() as folder:
            found[name] = _summary(*_run(config, sets, Path(folder)))
    KNOWN.write_text(json.dumps(found, indent=1) + "\n")
