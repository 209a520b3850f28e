"""Other tools in Python on the same rows of Adult, each judged by kanon's auditor."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks import tables
from benchmarks.inside import Prepared, prepare
from benchmarks.judging import judge
from benchmarks.outside import Process, start
from benchmarks.results import Finding, Note, Row, Target, Value
from benchmarks.setting import PROJECT, SHARED, Setting, Unavailable
from benchmarks.shapes import Panel
from benchmarks.works.growth import run_on

LARGE, SMALL = tables.ARX_ROWS, 5_000
PANDAS = ("pandas==2.3.3", "numpy==2.4.6")
LESS = 0.8  # of what the best peer loses
PANELS = tuple(
    Panel(
        x="cpu_s",
        y="loss",
        by="tool",
        title=f"First {rows:,} rows, k = {k}",
        where={"table": size, "k": k},
    )
    for size, rows, k in (("large", LARGE, 10), ("large", LARGE, 50), ("small", SMALL, 10))
)
TRIED = (
    "Each tool is installed from the package index into an environment of its own. Its classes are given the smallest "
    "generalization that covers them, so that no tool pays for how it writes cells; a suppressed row loses everything. "
    "Times are of whole processes. The best peer of all is not among these: see `arx`.",
    "`anonypyx-mdav` keeps the distances of all pairs of rows and `crowds` tries whole lattices, so both get 5,000 "
    "rows. `anjana` and `crowds` may suppress 2 % of the rows. `anonypy` and `anonypyx` know no taxonomies. "
    "`crowds` gives another result each time.",
    "Tried and not used: `privacy-preserver` 1.0.1 (its clustering ends with an exception, with pandas 2.3 and with "
    "1.5), `polarfrost` 0.2.1 (cannot be imported without pyspark, and its clustering is not written yet), "
    "`pyARXaaS` 0.5.7 (a client that needs a server), `pycanon` (audits only).",
)


@dataclass(frozen=True)
class Peer:
    """A tool: what has to be installed for it, and how many rows it can bear."""

    tool: str  # as in drivers.py
    needs: tuple[str, ...]
    size: str = "large"


PEERS = (
    Peer("anonypy", ("anonypy==0.2.1", *PANDAS)),
    Peer("anonypyx-mondrian", ("anonypyx==0.2.11", "scikit-learn==1.9.1", "scipy==1.17.1", *PANDAS)),
    Peer("anjana", ("anjana==1.2.3", "pycanon==1.3.5", "pandas==2.3.3", "numpy==2.0.2")),
    Peer("anonypyx-mdav", ("anonypyx==0.2.11", "scikit-learn==1.9.1", "scipy==1.17.1", *PANDAS), "small"),
    Peer("crowds", ("crowds==0.0.1", *PANDAS), "small"),
)


def measure(setting: Setting) -> Iterator[Finding]:
    """Let each peer and kanon work on the same tables."""
    yield from map(Note, TRIED)
    for size, full, ks in (("large", LARGE, setting.pick((10, 50), (10,))), ("small", SMALL, (10,))):
        names = list(tables.adult_columns())
        table = tables.write(tables.adult(setting.rows(full)).select(names), setting.folder / f"{size}.csv")
        rows = []
        for found in _peers(setting, size, table, ks):
            yield found
            if isinstance(found, Row):
                rows.append(found)
        run_on(setting, table)  # compiles what is not compiled yet
        for k in ks:
            run = run_on(setting, table, privacy={"k": k})
            name, achieved = run.report["algorithm"]["name"], run.report["privacy"]["achieved"]["k"]
            yield _row(f"kanon, {name}", size, run.report["input"]["rows"], k, run.loss, achieved, run.process)
            best = min((row.got["loss"] for row in rows if row.at["k"] == k <= row.got["smallest"]), default=None)
            ratio = run.loss / best if best else None
            yield Target(f"{full:,} rows, k = {k}, loss / that of the best of these tools", LESS, ratio)


def _peers(setting: Setting, size: str, table: Path, ks: Sequence[int]) -> Iterator[Finding]:
    """Let the peers that can bear a table work on it."""
    for peer in PEERS:
        if peer.size == size:
            try:
                python = install(peer, setting.folder)
                for k in ks:
                    yield run_peer(peer, python, table, prepare(setting.folder, table, tables.adult_columns(), k))
            except Unavailable as reason:
                yield Note(str(reason))


def _row(tool: str, size: str, rows: int, k: int, loss: float, smallest: int, process: Process) -> Row:
    at: dict[str, Value] = {"tool": tool, "table": size, "rows": rows, "k": k}
    return Row(at, {"loss": loss, "smallest": smallest, **process.costs})


def install(peer: Peer, folder: Path) -> Path:
    """Make an environment with a tool in it; give its Python."""
    home = folder / f"env-{peer.tool}"
    python = home / "bin" / "python"
    made = start([sys.executable, "-m", "venv", str(home)])
    if not made.code:
        made = start([str(python), "-I", "-m", "pip", "install", "--quiet", *peer.needs])
    if made.code:
        raise Unavailable(f"`{peer.needs[0]}` could not be installed.")
    return python


def run_peer(peer: Peer, python: Path, table: Path, prepared: Prepared) -> Row:
    """Run a tool in its environment and judge what it has made."""
    k = prepared.problem.aim.k
    classes = table.with_suffix(".classes")
    driver = [str(python), "-I", "-W", "ignore", str(PROJECT / "benchmarks" / "drivers.py")]
    process = start([*driver, peer.tool, str(table), str(k), str(SHARED / "data" / "hierarchies"), str(classes)])
    if process.code:
        raise Unavailable(f"`{peer.tool}` ended with exit code {process.code} at k = {k}.")
    class_of = np.loadtxt(classes, dtype=np.int64)
    found = judge(prepared, class_of, table, table.with_suffix(".release.csv"))
    return _row(peer.tool, peer.size, len(class_of), k, found.loss, found.k, process)
