"""Every algorithm of kanon at several k, and how its time grows with the rows: Adult's eight quasi-identifiers, il."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from benchmarks import tables
from benchmarks.curves import curve
from benchmarks.inside import Prepared, mean_of, prepare, ready, to_the_end
from benchmarks.results import Finding, Note, Row, Target, Value
from benchmarks.setting import Setting
from benchmarks.shapes import Panel
from benchmarks.yardsticks import scan_seconds
from kanon_cli import catalogue
from kanon_cli.algorithms import TABLE
from kanon_cli.algorithms.agglomerative import Agglomerative
from kanon_cli.algorithms.base import Algorithm
from kanon_cli.algorithms.k_member import KMember
from kanon_cli.algorithms.mondrian import Mondrian
from kanon_cli.algorithms.oka import Oka
from kanon_cli.problem import Problem

K = 10  # that of the targets, of the variants and of the growth
VARIANTS: dict[str, Algorithm] = {
    **{f"agglomerative {distance}": Agglomerative(distance=distance) for distance in ("d1", "d2", "d4")},
    "k-member, random seeds": KMember(start="random"),
    "mondrian, widest": Mondrian(cut="widest"),
    "oka, increase": Oka(distance="increase", sorted=False, small="unify"),
    "oka, increase, 4 passes": Oka(distance="increase", sorted=False, small="unify", passes=4),
}
SECONDS = {  # CPU seconds that they should take
    "agglomerative d1": 40.0,
    "agglomerative d2": 60.0,
    "agglomerative": 300.0,
    "agglomerative d4": 90.0,
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
NEAR = {  # the il of trials that followed the papers, and how far off it may be
    "k-member": (0.074, 0.003),
    "k-member, random seeds": (0.068, 0.003),
    "mondrian, widest": (0.14, 0.01),
    "bisecting": (0.10, 0.01),
}
PARTS = (8, 4, 2)  # of the table: the growth is told from these shares of it and from all
LEAST_SECONDS, MOST_RUNS = 0.3, 5  # short runs are repeated, and the shortest counts
MARGIN = 0.25  # of an exponent: what logarithms, caches and the end of a search may add
PANELS = (
    Panel(x="k", y="loss", by="algorithm", title="Loss by k, il", is_log_x=True),
    Panel(x="k", y="cpu_s", by="algorithm", title="CPU seconds by k", is_log_x=True, is_log_y=True),
    Panel(x="rows", y="cpu_s", by="algorithm", title=f"CPU seconds by rows, k = {K}", is_log_x=True, is_log_y=True),
)


def measure(setting: Setting) -> Iterator[Finding]:
    """Let each algorithm end at each k, the largest first, and then on parts of the table."""
    yield Note("il, one seed, default options but where the name says more; kernels were compiled before.")
    yield Note("`scan` is a yardstick: a plain loop that prices every row in every one of n / k groups once.")
    yield Note("`exponent` is the slope of the time by rows, both as logarithms, beside the order in the manual.")
    rows = setting.rows(tables.ADULT_ROWS)
    ks = setting.pick((50, 20, K, 5), (50, K))
    problems = {k: _prepare(setting, rows, k).problem for k in ks}
    scan_s = {k: scan_seconds(problem) for k, problem in problems.items()}
    got: dict[str, Row] = {}
    for name in TABLE:
        for found in curve(name, "k", ks, problems.__getitem__, _end):
            if not isinstance(found, Row):
                yield found
                continue
            k = int(found.at["k"])
            row = Row(found.at, {**found.got, "scan_s": scan_s[k]})
            if k == K:
                got[name] = row
            yield row
    for name, algorithm in VARIANTS.items():
        got[name] = Row({"algorithm": name, "k": K}, {**_let(problems[K], algorithm), "scan_s": scan_s[K]})
        yield got[name]
    yield from _growth(setting, rows, {name: got[name].got["cpu_s"] for name in TABLE if name in got})
    yield from _targets(got)


def order_of(name: str) -> str:
    """The order of an algorithm's time, as its page in the manual has it."""
    said = catalogue.entry("algorithms", name).signed["Cost"]
    found = re.search(r"O\(.+?\)(?= time)", said)
    return found[0] if found else ""


def power_of(order: str) -> int:
    """The power of the rows in it; rows that differ may be all rows."""
    return 2 if "n^2" in order or "d n" in order else 1


def exponent(seconds_at: Mapping[int, float]) -> float:
    """The slope of the logarithm of time by that of the rows."""
    rows, seconds = (np.log(np.array(list(numbers), dtype=float)) for numbers in (seconds_at, seconds_at.values()))
    return float(np.polyfit(rows, seconds, 1)[0])


def _prepare(setting: Setting, rows: int, k: int) -> Prepared:
    table = tables.write(tables.adult(rows), setting.folder / f"adult-{rows}.csv")
    return prepare(setting.folder, table, tables.adult_columns(), k, "il")


def _end(problem: Problem, name: str, _seeds: Sequence[int]) -> dict[str, float]:
    return _let(problem, ready(name, groups=False))


def _let(problem: Problem, algorithm: Algorithm) -> dict[str, float]:
    """What an algorithm reaches by itself, with the shortest of several runs if they are short."""
    runs = [mean_of(problem, to_the_end(problem, algorithm), range(1))]
    while sum(run["cpu_s"] for run in runs) < LEAST_SECONDS and len(runs) < MOST_RUNS:
        runs.append(mean_of(problem, to_the_end(problem, algorithm), range(1)))
    return min(runs, key=lambda run: run["cpu_s"])


def _growth(setting: Setting, rows: int, whole_s: Mapping[str, float]) -> Iterator[Finding]:
    """How the time of each algorithm grows, beside what its page says."""
    parts = {rows // part: _prepare(setting, rows // part, K).problem for part in PARTS}
    for name, seconds in whole_s.items():
        order = order_of(name)
        seconds_at = {part: _end(problem, name, ())["cpu_s"] for part, problem in parts.items()} | {rows: seconds}
        for part, spent in seconds_at.items():
            at: dict[str, Value] = {"algorithm": name, "rows": part}
            yield Row(at, {"cpu_s": spent})
        found = exponent(seconds_at)
        yield Row({"algorithm": name, "order": order}, {"exponent": found})
        yield Target(f"{name}, exponent of the time by rows, {order}", power_of(order) + MARGIN, round(found, 3))


def _targets(got: Mapping[str, Row]) -> Iterator[Target]:
    for name, reach in SECONDS.items():
        yield Target(f"{name}, k = {K}, CPU s", reach, got[name].got["cpu_s"] if name in got else None)
    for name, (loss, far) in NEAR.items():
        off = round(abs(got[name].got["loss"] - loss), 4) if name in got else None
        yield Target(f"{name}, k = {K}, il: off {loss:g} by", far, off)
