"""The first run on a machine, which compiles the kernels, and the next one."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.outside import kanon_run
from benchmarks.results import Finding, Row, Target
from benchmarks.setting import PROJECT, Setting

COMPILING = 12.0  # seconds


def measure(setting: Setting) -> Iterator[Finding]:
    """Run the quickstart twice with a cache folder of its own."""
    spec, walls = PROJECT / "configs" / "quickstart.yaml", list[float]()
    for case in ("first run, compiling", "warm"):
        run = kanon_run(spec, "--output", str(setting.folder / "out" / "hospital.csv"), cache=setting.folder / "cache")
        walls.append(run.process.wall_s)
        yield Row({"run": case, "rows": run.report["input"]["rows"]}, run.got)
    yield Target("all that the first run compiles, wall s", COMPILING, walls[0] - walls[1])
