"""How loss and CPU time grow with the rows, from 1,000 to 1,000,000."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks import tables
from benchmarks.curves import curve
from benchmarks.inside import prepare
from benchmarks.results import Finding, Note
from benchmarks.setting import Setting
from benchmarks.shapes import Panel
from benchmarks.works.growth import table_of
from kanon_cli.algorithms import TABLE
from kanon_cli.problem import Problem

ROWS = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
K = 10
PANELS = (
    Panel(x="rows", y="cpu_s", by="algorithm", title="CPU seconds by rows", is_log_x=True, is_log_y=True),
    Panel(x="rows", y="loss", by="algorithm", title="Loss by rows, lm", is_log_x=True),
)


def measure(setting: Setting) -> Iterator[Finding]:
    """Let each algorithm end on tables of each size."""
    yield Note(
        f"k = {K}, the eight quasi-identifiers of `adult8`. Rows are drawn from Adult, and each cell has a chance of "
        f"{tables.NOISE:g} to come from another row: plain copies would cost nothing."
    )

    def build(rows: int) -> Problem:
        return prepare(setting.folder, table_of(setting, rows), tables.adult_columns(), K).problem

    for name in TABLE:
        yield from curve(name, "rows", setting.pick(ROWS, ROWS[:2]), build)
