"""What `kanon validate` finds out about a spec, and how it says so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.text import Text

from kanon_cli import pipeline
from kanon_cli.cli.page import Page, count, kept, place
from kanon_cli.cli.voices import Voice
from kanon_cli.spec.parse import parse
from kanon_cli.spec.targets import targets_of


def check(path: Path, sets: Sequence[str], voice: Voice) -> dict[str, Any]:
    """Check a spec and say what a run would do."""
    spec = parse(path, sets, need_output=False)
    intake = pipeline.check(spec, voice)
    release = targets_of(spec)[0] if spec.output else None
    return {
        "spec": str(path),
        "rows": intake.rows,
        "files": [str(file) for file in intake.files],
        "columns": {
            "quasi_identifiers": list(intake.kinds),
            "sensitive": list(intake.sensitive),
            "keep": [name for name in intake.plain if name not in intake.sensitive],
        },
        "promises": {name: value for model in spec.models for name, value in model.required.items()},
        "measure": spec.measure.name,
        "algorithm": spec.algorithm.name,
        "output": None if release is None else str(release),
    }


def describe(facts: Mapping[str, Any]) -> list[Text]:
    """Say it to people."""
    page = Page()
    page.mark(True, "ok", facts["spec"])
    columns = sum(map(len, facts["columns"].values()))
    promises = ", ".join(f"{name} = {kept(value)}" for name, value in facts["promises"].items())
    target = f"to {place(Path(facts['output']))}" if facts["output"] else "no output"
    parts = [f"{count(facts['rows'], 'row')}, {count(columns, 'column')}", promises]
    page.text("; ".join([*parts, f"{facts['algorithm']} for the least {facts['measure']}", target]))
    return page.lines
