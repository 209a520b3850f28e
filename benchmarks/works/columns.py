"""How loss and CPU time grow with the quasi-identifiers, from 3 to 20."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks import tables
from benchmarks.curves import curve
from benchmarks.inside import prepare
from benchmarks.results import Finding, Note
from benchmarks.setting import Setting
from benchmarks.shapes import Panel
from kanon_cli.algorithms import TABLE
from kanon_cli.problem import Problem

COLUMNS = (3, 5, 8, 11, 14, 17, 20)
K = 10
FURTHER = {
    "hours-per-week": "numeric",
    "education": "categorical",
    "relationship": "categorical",
    "capital-gain": "numeric",
    "capital-loss": "numeric",
    "fnlwgt": "numeric",
}
COPIED = ("age", "workclass", "marital-status", "occupation", "race", "sex")
PANELS = (
    Panel(x="columns", y="cpu_s", by="algorithm", title="CPU seconds by quasi-identifiers", is_log_y=True),
    Panel(x="columns", y="loss", by="algorithm", title="Loss by quasi-identifiers, lm"),
)


def measure(setting: Setting) -> Iterator[Finding]:
    """Let each algorithm end on more and more columns of the same rows."""
    yield Note(
        f"k = {K}. The first 14 are Adult's, the others copies of them in which each cell has a chance of "
        f"{tables.NOISE:g} to have come from another row."
    )
    table, columns = _wide(setting.rows(tables.ADULT_ROWS))
    path = tables.write(table, setting.folder / "wide.csv")

    def build(count: int) -> Problem:
        return prepare(setting.folder, path, dict(list(columns.items())[:count]), K).problem

    for name in TABLE:
        yield from curve(name, "columns", setting.pick(COLUMNS, COLUMNS[:2]), build)


def _wide(rows: int) -> tuple[Any, dict[str, Any]]:
    """Adult with the copies beside it, and all as quasi-identifiers."""
    table = tables.adult(rows)
    columns: dict[str, Any] = {**tables.adult_columns(), **FURTHER}
    rng = np.random.default_rng(0)
    for name in COPIED:
        table = table.append_column(f"{name} again", tables.with_noise(table.column(name), rng))
        columns[f"{name} again"] = columns[name]
    return table, columns
