"""Adult's attributes, each kept or suppressed, k = 50: what diversity of income or education costs."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks import tables
from benchmarks.inside import after, ended, prepare
from benchmarks.results import Finding, Note, Row, Target, Value
from benchmarks.setting import Setting, Unavailable
from benchmarks.shapes import Panel

K = 50
SECONDS = 10.0
LEVELS: dict[str, tuple[float, ...]] = {
    "income": (1.0, 1.1, 1.2, 1.25, 1.3, 1.32),
    "education": (1.0, 1.5, 2.0, 2.5, 2.8, 3.0, 3.05),
}
QUICK: dict[str, tuple[float, ...]] = {"income": (1.0, 1.3), "education": (1.0, 3.0)}
PROMISES: dict[str, dict[str, Value]] = {  # other promises about income, for the same problem
    "t = 0.2": {"t": 0.2},
    "t = 0.1": {"t": 0.1},
    "beta = 0.5": {"beta": 0.5},
    "delta = 0.5": {"delta": 0.5},
}
PANELS = tuple(
    Panel(
        x="l",
        y="loss",
        by="algorithm",
        title=f"Adult, k = {K}, l-diversity of {column}",
        where={"sensitive": column},
        starts_at_0=False,
    )
    for column in LEVELS
)


def measure(setting: Setting) -> Iterator[Finding]:
    """Take losses over l, as figures 5 and 6 of Goldberger and Tassa 2010 do, and with a few other promises."""
    yield Note(
        "Goldberger and Tassa 2010 (figures 5 and 6) start at about 0.4 without l; their most diverse release loses "
        "less than 0.735 by income, and about 0.645 by education. No release is more diverse than the table: 1.3295 "
        "and 3.06."
    )
    table = tables.write(tables.adult(setting.rows(tables.ADULT_ROWS)), setting.folder / "adult.csv")
    got: dict[tuple[str, str, float], float] = {}
    for column, levels in setting.pick(LEVELS, QUICK).items():
        columns = {name: "categorical" for name in tables.adult().column_names if name not in (column, "income")}
        for level in levels:
            problem = prepare(setting.folder, table, columns, K, sensitive=[column], promises={"l": level}).problem
            at: dict[str, Value] = {"sensitive": column, "l": level}
            for name in ("sequential", "lns"):
                try:
                    every = setting.seeds[:1]
                    found = ended(problem, name, every) if name != "lns" else after(problem, name, SECONDS, setting)
                except Unavailable as reason:
                    yield Note(str(reason))
                    continue
                got[column, name, level] = found["loss"]
                yield Row({"algorithm": name, **at}, found)
    for named, promises in PROMISES.items():
        columns = {name: "categorical" for name in tables.adult().column_names if name != "income"}
        problem = prepare(setting.folder, table, columns, K, sensitive=["income"], promises=promises).problem
        yield Row({"algorithm": "lns", "promise": named}, after(problem, "lns", SECONDS, setting))
    plain = got.get(("income", "lns", 1.0))
    yield Target(f"lns, k = {K}, l = 1.3 by income, lm", 0.60, got.get(("income", "lns", 1.3)))
    if plain is not None:
        alone = prepare(setting.folder, table, tables.public_columns(), K).problem
        limit = 1.02 * after(alone, "lns", SECONDS, setting)["loss"]
        yield Target(f"lns, k = {K}, l = 1 by income, lm, within 2 % of the run without l", limit, plain)
