"""The first run on a machine, which compiles the kernels, and the next one."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.outside import kanon_run
from benchmarks.results import Finding, Row
from benchmarks.setting import PROJECT, Setting


def measure(setting: Setting) -> Iterator[Finding]:
    """Run the quickstart twice with a cache folder of its own."""
    spec = PROJECT / "configs" / "quickstart.yaml"
    for case in ("first run, compiling", "warm"):
        run = kanon_run(spec, "--output", str(setting.folder / "out" / "hospital.csv"), cache=setting.folder / "cache")
        yield Row({"run": case, "rows": run.report["input"]["rows"]}, run.got)
