"""Sequential clustering in the setting of Goldberger and Tassa 2010: how fast it is, and what it loses."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks import tables
from benchmarks.inside import ended, prepare
from benchmarks.results import Finding, Row, Target
from benchmarks.setting import Setting
from benchmarks.works.suppression import PAPER

REACH = {10: 2.0, 50: 0.8}  # CPU seconds


def measure(setting: Setting) -> Iterator[Finding]:
    """Take its time and loss."""
    table = tables.write(tables.adult(setting.rows(tables.ADULT_ROWS)), setting.folder / "adult.csv")
    for k, reach in REACH.items():
        problem = prepare(setting.folder, table, tables.public_columns(), k).problem
        got = ended(problem, "sequential", setting.seeds)
        yield Row({"algorithm": "sequential", "k": k}, {**got, "paper": PAPER[k]})
        yield Target(f"sequential, k = {k}, CPU s", reach, got["cpu_s"])
