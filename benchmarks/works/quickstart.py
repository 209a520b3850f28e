"""The first run on a machine, which compiles the kernels, and the next one."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.outside import kanon_run
from benchmarks.results import Finding, Row, Target
from benchmarks.setting import PROJECT, Setting

COMPILING = 12.0  # seconds


def measure(setting: Setting) -> Iterator[Finding]:
    """Run the quickstart twice with a cache folder of its own, and the same where k is all that is promised."""
    spec = PROJECT / "configs" / "quickstart.yaml"
    for promised, more in (("k and l", ()), ("k", ("--set", "privacy.l=null"))):
        walls = list[float]()
        for case in ("first run, compiling", "warm"):
            target = setting.folder / "out" / "hospital.csv"
            run = kanon_run(spec, "--output", str(target), *more, cache=setting.folder / f"cache of {promised}")
            walls.append(run.process.wall_s)
            yield Row({"run": case, "promised": promised, "rows": run.report["input"]["rows"]}, run.got)
        yield Target(f"all that the first run compiles, {promised}, wall s", COMPILING, walls[0] - walls[1])
