"""Adult in a few seconds, and a million rows with nine quasi-identifiers on this machine: whole `kanon run`s."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks import tables
from benchmarks.outside import Run
from benchmarks.results import Finding, Note, Row, Target
from benchmarks.setting import Setting, Unavailable
from benchmarks.works.growth import run_on, table_of

WALL = 60.0
PEAK = 1536.0
MORE_EFFORT = 10
NEAR = 1.03  # times the loss with more effort
GROWTH = 12.0  # times the wall time of a tenth of the rows
ADULT_WALL = 6.0


def measure(setting: Setting) -> Iterator[Finding]:
    """Run kanon's default on Adult, on a tenth of a million rows, on all, and once more with ten times the effort."""
    columns = {**tables.adult_columns(), "hours-per-week": "numeric"}
    rows = setting.pick(1_000_000, 20_000)
    run_on(setting, table_of(setting, 1_000))  # compiles what is not compiled yet
    path = tables.write(tables.adult(setting.rows(tables.ADULT_ROWS)), setting.folder / "adult.csv")
    adult = run_on(setting, path)
    yield _row(adult, "default")
    yield Target("Adult, 8 quasi-identifiers, warm, wall s", ADULT_WALL, adult.process.wall_s)
    tenth = run_on(setting, table_of(setting, rows // 10), quasi_identifiers=columns)
    yield _row(tenth, "default")
    table = table_of(setting, rows)
    whole = run_on(setting, table, quasi_identifiers=columns)
    yield _row(whole, "default")
    yield Target(f"{rows:,} rows, wall s", WALL, whole.process.wall_s)
    yield Target(f"{rows:,} rows, peak MB", PEAK, whole.process.peak_mb)
    yield Target(f"{rows:,} rows, wall time / that of a tenth", GROWTH, whole.process.wall_s / tenth.process.wall_s)
    ratio = None
    try:
        thorough = run_on(setting, table, quasi_identifiers=columns, effort=_more(whole))
        yield _row(thorough, f"{MORE_EFFORT} times")
        ratio = whole.loss / thorough.loss
    except Unavailable as reason:
        yield Note(f"{MORE_EFFORT} times the effort: {reason}")
    yield Target(f"{rows:,} rows, loss / that with {MORE_EFFORT} times the effort", NEAR, ratio)


def _more(run: Run) -> int:
    """Ten times the effort of a run, which says in its report how much that was."""
    effort = run.report["algorithm"].get("effort")
    if not isinstance(effort, int):
        raise Unavailable(f"The algorithm `{run.report['algorithm']['name']}` reports no effort.")
    return effort * MORE_EFFORT


def _row(run: Run, effort: str) -> Row:
    columns = len(run.report["attributes"])
    at = {"algorithm": run.report["algorithm"]["name"], "rows": run.report["input"]["rows"], "columns": columns}
    return Row({**at, "effort": effort}, run.got)
