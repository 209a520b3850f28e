"""Adult with nine quasi-identifiers and a box for each row, k = 10: (k,k) and global (1,k), and what saves loss."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchmarks import tables
from benchmarks.inside import after, prepare, recoded
from benchmarks.results import Finding, Note, Row, Target, Value
from benchmarks.setting import Setting, Unavailable

K = 10
STARTS = ("expansion", "nearest", "lns")
COUPLED, UPGRADED = 20.0, 10.0  # CPU seconds for (k,k) by expansion, and for its upgrade
SECONDS = 10.0  # for the groups of `lns` beside them


def columns() -> dict[str, Any]:
    """The eight quasi-identifiers of Byun et al. 2007, and the hours a week."""
    return {**tables.adult_columns(), "hours-per-week": "numeric"}


def measure(setting: Setting) -> Iterator[Finding]:
    """Take what each start loses by itself and tightened, and what (k,k) and its upgrade take."""
    yield Note(
        "`tighten` lets every box shrink as far as all counts and matches still allow; the papers do not do that. "
        "The start is what `kk` and `global-1k` begin with: the (k,1)-anonymizations of the paper, or the groups of "
        f"`lns`. The row `lns` is what k-anonymity loses after {SECONDS:g} CPU seconds. The upgrade is what "
        "`global-1k` takes longer than `kk`, both without `tighten`. `saves` is the share of the loss that is saved, "
        "beside the paper's own way: from `expansion`, without `tighten`."
    )
    table = tables.write(tables.adult(setting.rows(tables.ADULT_ROWS)), setting.folder / "adult.csv")
    problem = prepare(setting.folder, table, columns(), K).problem
    found: dict[tuple[str, str, bool], dict[str, float]] = {}
    for name in ("kk", "global-1k"):
        for start in STARTS:
            for tighten in (False, True):
                got = recoded(problem, name, start=start, tighten=tighten)
                found[name, start, tighten] = got
                saves = 1 - got["loss"] / found[name, STARTS[0], False]["loss"]
                at: dict[str, Value] = {"algorithm": name, "start": start, "tighten": "yes" if tighten else "no"}
                yield Row(at, {**got, "saves": saves})
    try:
        yield Row({"algorithm": "lns", "start": "", "tighten": ""}, after(problem, "lns", SECONDS, setting))
    except Unavailable as reason:
        yield Note(str(reason))
    yield from _targets(found)


def _targets(found: dict[tuple[str, str, bool], dict[str, float]]) -> Iterator[Finding]:
    """Whether it is fast enough, and tightening saves."""
    coupled, upgraded = found["kk", "expansion", False], found["global-1k", "expansion", False]
    yield Target(f"kk by expansion, k = {K}: CPU s", COUPLED, round(found["kk", "expansion", True]["cpu_s"], 2))
    more = upgraded["cpu_s"] - coupled["cpu_s"]
    yield Target(f"its upgrade to global-1k, k = {K}: CPU s more", UPGRADED, round(more, 2))
    for name in ("kk", "global-1k"):
        plain, tight = (found[name, "expansion", tighten]["loss"] for tighten in (False, True))
        yield Target(f"{name} by expansion, k = {K}, tightened: lm, that of the paper's way", plain, tight)
