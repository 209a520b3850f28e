"""The best peer: ARX's local recoding on the first 30,162 rows of Adult, lm."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks import tables
from benchmarks.inside import after, ended, prepare
from benchmarks.results import Finding, Note, Row, Target
from benchmarks.setting import Setting, Unavailable
from benchmarks.shapes import Panel

ARX = {5: 0.0437, 10: 0.0668, 25: 0.1034, 50: 0.1358}  # oMin 0.001, each class given its closure
ARX_CPU = {5: 10.5, 10: 13.4, 25: 17.3, 50: 18.5}
REACH = {5: 0.035, 10: 0.053, 25: 0.083, 50: 0.109}
SECONDS = 15.0
PANELS = (
    Panel(
        x="k",
        y="loss",
        by="algorithm",
        title="Adult, first 30,162 rows, lm",
        is_log_x=True,
        curves={"arx": "ARX, local recoding"},
    ),
)


def measure(setting: Setting) -> Iterator[Finding]:
    """Take what `lns` loses in the time that ARX takes."""
    yield Note(
        "`arx` and its seconds, of a whole process, are of an earlier trial on a machine of this kind, not this run; "
        "its classes were given their closures."
    )
    table = tables.write(tables.adult(setting.rows(tables.ARX_ROWS)), setting.folder / "adult.csv")
    got: dict[int, float] = {}
    for k in setting.pick((5, 10, 25, 50), (25, 50)):
        problem = prepare(setting.folder, table, tables.adult_columns(), k).problem
        known = {"arx": ARX[k], "arx_cpu_s": ARX_CPU[k]}
        yield Row({"algorithm": "mondrian", "k": k}, {**ended(problem, "mondrian", setting.seeds), **known})
        try:
            found = after(problem, "lns", SECONDS, setting)
        except Unavailable as reason:
            yield Note(str(reason))
            continue
        got[k] = found["loss"]
        yield Row({"algorithm": "lns", "k": k, "seconds": SECONDS}, {**found, **known})
    for k, reach in REACH.items():
        yield Target(f"lns, k = {k}, {SECONDS:g} CPU s, lm", reach, got.get(k))
