"""Measure loss, speed and memory: `make bench`, or `python -m benchmarks.run [WORK ...]`."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

HOME = Path(__file__).parent
PROJECT = HOME.parent
SHARED = Path(os.environ.get("KANON_SHARED", PROJECT.parent / "shared"))
RESULTS = HOME / "results"


@dataclass(frozen=True)
class Row:
    """One measurement."""

    work: str
    case: str
    rows: int
    loss: float  # by the measure of the case
    classes: int
    cluster_s: float  # of the algorithm alone
    wall_s: float
    cpu_s: float
    peak_mb: float


def measure(work: str, case: str, spec: Path, *options: str, cache: Path | None = None) -> Row:
    """Run a spec in a process of its own and take its time and memory."""
    environment = {**os.environ, **({"KANON_CACHE_DIR": str(cache)} if cache else {})}
    command = [sys.executable, "-m", "kanon_cli", "run", str(spec), "--json", "--force", *options]
    started = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment) as process:
        output = process.stdout.read() if process.stdout else b""
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - started
    if process.returncode:
        raise SystemExit(f"benchmark {work} {case}: kanon ended with {process.returncode}")
    report = json.loads(output)
    return Row(
        work,
        case,
        report["input"]["rows"],
        report["utility"][report["algorithm"]["measure"]],
        report["classes"]["count"],
        report["timing"]["cluster"],
        wall,
        usage.ru_utime + usage.ru_stime,
        usage.ru_maxrss / 1024,
    )


def write_spec(folder: Path, **content: Any) -> Path:
    """A spec as a file; JSON is YAML."""
    path = folder / "spec.yaml"
    path.write_text(json.dumps(content))
    return path


def adult_columns() -> dict[str, Any]:
    """The eight quasi-identifiers of papers 001 and 002, with ARX's taxonomies."""
    trees = ("workclass", "marital-status", "occupation", "race", "sex", "native-country")
    return {
        "age": "numeric",
        "education-num": "numeric",
        **{name: {"taxonomy": str(SHARED / "data" / "hierarchies" / f"adult_{name}.csv")} for name in trees},
    }


def quickstart(folder: Path) -> Iterator[Row]:
    """The first run on a machine, which compiles the kernels, and the next one."""
    spec = PROJECT / "configs" / "quickstart.yaml"
    options = ("--output", str(folder / "out" / "hospital.csv"))
    cache = folder / "cache"
    yield measure("quickstart", "first run, compiling", spec, *options, cache=cache)
    yield measure("quickstart", "warm", spec, *options, cache=cache)


def adult(folder: Path) -> Iterator[Row]:
    """Both algorithms on Adult, il, with the setting of papers 001 and 002."""
    for name in ("mondrian", "sequential"):
        for k in (10, 50):
            spec = write_spec(
                folder,
                input=str(SHARED / "data" / "adult.csv"),
                output=str(folder / "out" / "adult.csv"),
                quasi_identifiers=adult_columns(),
                sensitive="income",
                privacy={"k": k},
                measure="il",
                algorithm=name,
            )
            yield measure("adult", f"{name}, k = {k}, il", spec)


def growth(folder: Path) -> Iterator[Row]:
    """How time and memory grow with the rows: Adult's rows drawn again and again, from Parquet to Parquet."""
    import numpy as np
    import pyarrow.csv
    import pyarrow.parquet

    table = pyarrow.csv.read_csv(SHARED / "data" / "adult.csv")
    for rows in (10_000, 100_000, 1_000_000):
        drawn = np.random.default_rng(0).integers(0, len(table), rows)
        pyarrow.parquet.write_table(table.take(drawn), folder / "adult.parquet")
        spec = write_spec(
            folder,
            input=str(folder / "adult.parquet"),
            output=str(folder / "out" / "adult.parquet"),
            quasi_identifiers=adult_columns(),
            sensitive="income",
            privacy={"k": 10},
        )
        yield measure("growth", f"auto, k = 10, lm, {rows:,} rows", spec)


WORKS: dict[str, Callable[[Path], Iterator[Row]]] = {"quickstart": quickstart, "adult": adult, "growth": growth}
NEEDS_SHARED = {"adult", "growth"}


def table_of(rows: list[Row]) -> str:
    """The measurements as Markdown."""
    lines = [
        f"Made by `python -m benchmarks.run` on {os.cpu_count()} cores with Python {platform.python_version()}.",
        "Seconds depend on the machine and its load: compare ratios inside one run.",
        "",
        "| work | case | rows | loss | classes | clustering s | wall s | CPU s | peak MB |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    lines += (
        f"| {row.work} | {row.case} | {row.rows:,} | {row.loss:.4f} | {row.classes:,} | {row.cluster_s:.2f} "
        f"| {row.wall_s:.2f} | {row.cpu_s:.2f} | {row.peak_mb:.0f} |"
        for row in rows
    )
    return "\n".join(lines) + "\n"


def main(names: list[str]) -> None:
    """Do the named works, or all, and write benchmarks/results."""
    found: list[Row] = []
    for name in names or WORKS:
        if name in NEEDS_SHARED and not SHARED.exists():
            print(f"{name}: skipped, there is no folder {SHARED} (set KANON_SHARED)")
            continue
        with tempfile.TemporaryDirectory() as folder:
            for row in WORKS[name](Path(folder)):
                print(f"{row.work}: {row.case}: loss {row.loss:.4f}, wall {row.wall_s:.2f} s, {row.peak_mb:.0f} MB")
                found.append(row)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "latest.json").write_text(json.dumps([asdict(row) for row in found], indent=1) + "\n")
    (RESULTS / "latest.md").write_text(table_of(found))


if __name__ == "__main__":
    main(sys.argv[1:])
