"""How wall time and memory of a whole `kanon run` grow with the rows, Parquet to Parquet."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks import tables
from benchmarks.outside import Run, kanon_run, write_spec
from benchmarks.results import Finding, Note, Row
from benchmarks.setting import Setting
from benchmarks.shapes import Panel

ROWS = (10_000, 100_000, 1_000_000)
K = 10
PANELS = (
    Panel(x="rows", y="wall_s", by="algorithm", title="Wall seconds by rows", is_log_x=True, is_log_y=True),
    Panel(x="rows", y="peak_mb", by="algorithm", title="Peak MB by rows", is_log_x=True),
)


def measure(setting: Setting) -> Iterator[Finding]:
    """Run kanon's default on tables like Adult."""
    yield Note(f"k = {K}, lm, the eight quasi-identifiers of `adult8`, rows as in `rows`.")
    run_on(setting, table_of(setting, 1_000))  # compiles what is not compiled yet
    for rows in setting.pick(ROWS, (2_000, 10_000)):
        run = run_on(setting, table_of(setting, rows))
        yield Row({"algorithm": run.report["algorithm"]["name"], "rows": rows}, run.got)


def table_of(setting: Setting, rows: int) -> Path:
    """A table like Adult with so many rows."""
    return tables.write(tables.noisy_adult(rows), setting.folder / f"adult-{rows}.parquet")


def run_on(setting: Setting, table: Path, **more: object) -> Run:
    """One run on a table; `more` are further keys of the spec."""
    content = {
        "input": str(table),
        "output": str(setting.folder / "out" / f"adult{table.suffix}"),
        "quasi_identifiers": tables.adult_columns(),
        "privacy": {"k": K},
        "unlisted": "drop",
    }
    return kanon_run(write_spec(setting.folder, **{**content, **more}))
