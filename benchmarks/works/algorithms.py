"""Every algorithm of kanon at every k: loss and CPU time on Adult's eight quasi-identifiers."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks import tables
from benchmarks.curves import curve
from benchmarks.inside import prepare
from benchmarks.results import Finding
from benchmarks.setting import Setting
from benchmarks.shapes import Panel
from kanon_cli.algorithms import TABLE

PANELS = (
    Panel(x="k", y="loss", by="algorithm", title="Loss by k, lm", is_log_x=True),
    Panel(x="k", y="cpu_s", by="algorithm", title="CPU seconds by k", is_log_x=True, is_log_y=True),
)


def measure(setting: Setting) -> Iterator[Finding]:
    """Let each algorithm end at each k, the largest first: that is where all are quick."""
    table = tables.write(tables.adult(setting.rows(tables.ADULT_ROWS)), setting.folder / "adult.csv")
    ks = setting.pick((1000, 250, 100, 50, 25, 10, 5, 2), (250, 10))
    for name in TABLE:
        yield from curve(name, "k", ks, lambda k: prepare(setting.folder, table, tables.adult_columns(), k).problem)
