"""Every algorithm of kanon at every k: loss and CPU time on Adult's eight quasi-identifiers, beside a plain scan."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks import tables
from benchmarks.curves import curve
from benchmarks.inside import prepare
from benchmarks.results import Finding, Note, Row, Target
from benchmarks.setting import Setting
from benchmarks.shapes import Panel
from benchmarks.yardsticks import scan_seconds
from kanon_cli.algorithms import TABLE

# What they should take and lose with default options at k = 10, in CPU seconds and in il.
SECONDS = {
    "agglomerative": 40.0,
    "bisecting": 1.5,
    "forest": 60.0,
    "hilbert": 0.5,
    "k-member": 1.0,
    "mondrian": 0.3,
    "nonhomogeneous": 1.0,
    "oka": 2.0,
    "sequential": 4.0,
    "threshold-greedy": 2.0,
    "weighted-c-means": 10.0,
}
LOSS = {"bisecting": 0.11, "k-member": 0.077}
K_OF_TARGETS = 10
PANELS = (
    Panel(x="k", y="loss", by="algorithm", title="Loss by k, il", is_log_x=True),
    Panel(x="k", y="cpu_s", by="algorithm", title="CPU seconds by k", is_log_x=True, is_log_y=True),
)


def measure(setting: Setting) -> Iterator[Finding]:
    """Let each algorithm end at each k, the largest first: that is where all are quick."""
    yield Note("il, default options, one seed; kernels were compiled before.")
    yield Note("`scan` is a yardstick: a plain loop that prices every row in every one of n / k groups once.")
    table = tables.write(tables.adult(setting.rows(tables.ADULT_ROWS)), setting.folder / "adult.csv")
    ks = setting.pick((1000, 250, 100, 50, 25, 10, 5, 2), (250, 10))
    problems = {k: prepare(setting.folder, table, tables.adult_columns(), k, "il").problem for k in ks}
    scan_s = {k: scan_seconds(problem) for k, problem in problems.items()}
    got: dict[str, Row] = {}
    for name in TABLE:
        for found in curve(name, "k", ks, problems.__getitem__):
            if not isinstance(found, Row):
                yield found
                continue
            k = int(found.at["k"])
            row = Row(found.at, {**found.got, "scan_s": scan_s[k]})
            if k == K_OF_TARGETS:
                got[name] = row
            yield row
    for what, reaches, figure in (("CPU s", SECONDS, "cpu_s"), ("il", LOSS, "loss")):
        for name in filter(reaches.__contains__, TABLE):
            measured = got[name].got[figure] if name in got else None
            yield Target(f"{name}, k = {K_OF_TARGETS}, {what}", reaches[name], measured)
