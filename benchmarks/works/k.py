"""How loss and CPU time change with k, from 2 to 1,000."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks import tables
from benchmarks.curves import curve
from benchmarks.inside import prepare
from benchmarks.results import Finding, Note
from benchmarks.setting import Setting
from benchmarks.shapes import Panel
from kanon_cli.algorithms import TABLE
from kanon_cli.problem import Problem

KS = (2, 5, 10, 20, 50, 100, 200, 500, 1_000)
PANELS = (
    Panel(x="k", y="cpu_s", by="algorithm", title="CPU seconds by k", is_log_x=True, is_log_y=True),
    Panel(x="k", y="loss", by="algorithm", title="Loss by k, lm", is_log_x=True),
)


def measure(setting: Setting) -> Iterator[Finding]:
    """Let each algorithm end on the same table at each k."""
    yield Note("The eight quasi-identifiers of `adult8`.")
    path = tables.write(tables.adult(setting.rows(tables.ADULT_ROWS)), setting.folder / "adult.csv")

    def build(k: int) -> Problem:
        return prepare(setting.folder, path, tables.adult_columns(), k).problem

    for name in TABLE:
        yield from curve(name, "k", setting.pick(KS, KS[:2]), build)
