"""One thread and two: the same release, and how much sooner."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks import tables
from benchmarks.outside import kanon_run, write_spec
from benchmarks.results import Finding, Note, Row, Target
from benchmarks.setting import Setting, Unavailable
from benchmarks.works.growth import run_on, table_of


def measure(setting: Setting) -> Iterator[Finding]:
    """Run the same spec with each number of threads; different releases are a difference of 1."""
    table = tables.write(tables.adult(setting.rows(tables.ADULT_ROWS)), setting.folder / "adult.csv")
    run_on(setting, table_of(setting, 1_000))  # compiles what is not compiled yet
    releases = set()
    for threads in (1, 2):
        spec = write_spec(
            setting.folder,
            input=str(table),
            output=str(setting.folder / "out" / "adult.csv"),
            quasi_identifiers=tables.adult_columns(),
            privacy={"k": 10},
            engine={"threads": threads},
        )
        try:
            run = kanon_run(spec)
        except Unavailable as reason:
            yield Note(f"`engine.threads: {threads}`: {reason}")
            yield Target("releases that differ with the threads", 0, None)
            return
        releases.add(run.report["output"]["sha256"])
        yield Row({"algorithm": run.report["algorithm"]["name"], "threads": threads}, run.got)
    yield Target("releases that differ with the threads", 0, len(releases) - 1)
