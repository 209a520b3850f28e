"""Adult's 14 public attributes, each kept or suppressed: what `lns` loses after so many CPU seconds."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks import tables
from benchmarks.inside import after, ended, prepare
from benchmarks.results import Finding, Note, Row, Target
from benchmarks.setting import Setting, Unavailable
from benchmarks.shapes import Panel

PAPER = {10: 0.302, 20: 0.340, 50: 0.394, 100: 0.439}  # sequential clustering, Goldberger and Tassa 2010, table 2
BOUND = {10: 0.2150, 20: 0.2348, 50: 0.2636, 100: 0.2890}  # exact: the best (k,1), by trying all sets of attributes
REACH = {
    (10, 0.5): 0.275,
    (50, 0.5): 0.360,
    (10, 2.0): 0.264,
    (50, 2.0): 0.350,
    (100, 2.0): 0.400,
    (10, 10.0): 0.255,
    (20, 10.0): 0.284,
    (50, 10.0): 0.328,
    (100, 10.0): 0.368,
}
SECONDS = (0.5, 2.0, 10.0, 60.0)
PANELS = (
    Panel(
        x="seconds",
        y="loss",
        by="k",
        title="Adult, 14 attributes by suppression",
        where={"algorithm": "lns"},
        is_log_x=True,
        starts_at_0=False,
        levels={"paper": "--", "bound": ":"},
    ),
)


def measure(setting: Setting) -> Iterator[Finding]:
    """Take losses over time for each k, beside the paper's algorithm and the bound."""
    yield Note(
        "`paper` is the mean of sequential clustering in Goldberger and Tassa 2010, table 2; `bound` is the loss of "
        "the best (k,1)-anonymization, and no k-anonymization loses less."
    )
    table = tables.write(tables.adult(setting.rows(tables.ADULT_ROWS)), setting.folder / "adult.csv")
    columns = tables.public_columns()
    got: dict[tuple[int, float], float] = {}
    for k in setting.pick((10, 20, 50, 100), (10, 50)):
        problem = prepare(setting.folder, table, columns, k).problem
        known = {"paper": PAPER[k], "bound": BOUND[k]}
        yield Row({"algorithm": "sequential", "k": k}, {**ended(problem, "sequential", setting.seeds), **known})
        for seconds in SECONDS:
            try:
                found = after(problem, "lns", seconds, setting)
            except Unavailable as reason:
                yield Note(str(reason))
                break
            got[k, seconds] = found["loss"]
            above = found["loss"] / BOUND[k] - 1
            yield Row({"algorithm": "lns", "k": k, "seconds": seconds}, {**found, **known, "above_bound": above})
    for (k, seconds), reach in REACH.items():
        yield Target(f"lns, k = {k}, {seconds:g} CPU s, lm", reach, got.get((k, seconds)))
