"""The artificial table of Gionis, Mazza and Tassa 2008: `lns` against the best of their agglomerative algorithms."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial

import numpy as np
import numpy.typing as npt

from benchmarks import artificial, tables, yardsticks
from benchmarks.inside import after, mean_of, prepare
from benchmarks.results import Finding, Note, Row, Target
from benchmarks.setting import Setting, Unavailable
from benchmarks.shapes import Panel
from kanon_cli.problem import Problem

PAPER = {
    "entropy": {5: 0.65, 10: 0.98, 15: 1.13, 20: 1.22},
    "lm": {5: 0.12, 10: 0.19, 15: 0.23, 20: 0.25},
}
LESS = 0.95  # of what the best agglomerative loses
SECONDS = 5.0
PANELS = tuple(
    Panel(
        x="k",
        y="loss",
        by="algorithm",
        title=f"Artificial table, {name}",
        where={"measure": name},
        curves={"paper": "paper, best"},
    )
    for name in PAPER
)


def measure(setting: Setting) -> Iterator[Finding]:
    """Take the loss of each agglomerative distance, and of `lns`."""
    yield Note(
        "`agglomerative d1` to `d4` are the benchmark's own yardstick: their algorithm 1 with the distances of "
        "equations 8 to 11. "
        f"`lns` has {SECONDS:g} CPU seconds; targets are {LESS:g} times the best of the four in the same run."
    )
    rows = setting.rows(artificial.ROWS)
    table = tables.write(artificial.generate(rows), setting.folder / "art.csv")
    columns = artificial.columns(setting.folder)
    _partition(prepare(setting.folder, table, columns, rows // 2).problem, "d1", 0)  # compiles
    for measure_name, paper in PAPER.items():
        for k in setting.pick((5, 10, 15, 20), (5, 20)):
            problem = prepare(setting.folder, table, columns, k, measure_name).problem
            best = np.inf
            for distance in yardsticks.DISTANCES:
                got = mean_of(problem, partial(_partition, problem, distance), [0])
                best = min(best, got["loss"])
                at = {"algorithm": f"agglomerative {distance}", "measure": measure_name, "k": k}
                yield Row(at, {**got, "paper": paper[k]})
            found = None
            try:
                found = after(problem, "lns", SECONDS, setting)
                at = {"algorithm": "lns", "measure": measure_name, "k": k}
                yield Row(at, {**found, "paper": paper[k]})
            except Unavailable as reason:
                yield Note(str(reason))
            reach = round(LESS * best, 4)
            yield Target(f"lns, {measure_name}, k = {k}", reach, found["loss"] if found else None)


def _partition(problem: Problem, distance: str, _seed: int) -> tuple[npt.NDArray[np.int32], float]:
    started = time.process_time()
    group_of = yardsticks.agglomerative(problem, distance)
    return group_of, time.process_time() - started
