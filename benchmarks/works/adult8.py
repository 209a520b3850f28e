"""Adult's eight quasi-identifiers with ARX's taxonomies, as in Byun et al. 2007: il and lm."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks import tables
from benchmarks.inside import after, ended, mean_of, prepare, ready, to_the_end
from benchmarks.results import Finding, Note, Row, Target, Value
from benchmarks.setting import Setting, Unavailable
from benchmarks.shapes import Panel
from kanon_cli.algorithms.k_member import KMember

REACH = {
    ("il", 5, 5.0): 0.033,
    ("il", 10, 5.0): 0.053,
    ("il", 50, 5.0): 0.123,
    ("lm", 10, 5.0): 0.049,
    ("lm", 10, 10.0): 0.046,
}
PANELS = (
    Panel(
        x="k",
        y="loss",
        by="algorithm",
        title="Adult, 8 quasi-identifiers, il",
        where={"measure": "il"},
        is_log_x=True,
    ),
)


def measure(setting: Setting) -> Iterator[Finding]:
    """Take what each algorithm loses, `lns` after a few seconds."""
    yield Note("`k-member` takes random seeds, which lose less than those of Byun et al. 2007.")
    table = tables.write(tables.adult(setting.rows(tables.ADULT_ROWS)), setting.folder / "adult.csv")
    got: dict[tuple[str, int, float], float] = {}
    for measure_name, ks in (("il", (5, 10, 50)), ("lm", (10,))):
        for k in setting.pick(ks, ks[-1:]):
            problem = prepare(setting.folder, table, tables.adult_columns(), k, measure_name).problem
            for name in ("mondrian", "sequential"):
                at: dict[str, Value] = {"algorithm": name, "measure": measure_name, "k": k}
                yield Row(at, ended(problem, name, setting.seeds[:1]))
            ready("k-member")
            grown = mean_of(problem, to_the_end(problem, KMember(start="random")), setting.seeds)
            yield Row({"algorithm": "k-member", "measure": measure_name, "k": k}, grown)
            for seconds in (5.0,) if measure_name == "il" else (5.0, 10.0):
                try:
                    found = after(problem, "lns", seconds, setting)
                except Unavailable as reason:
                    yield Note(str(reason))
                    break
                got[measure_name, k, seconds] = found["loss"]
                at = {"algorithm": "lns", "measure": measure_name, "k": k, "seconds": seconds}
                yield Row(at, found)
    for key, reach in REACH.items():
        yield Target(f"lns, {key[0]}, k = {key[1]}, {key[2]:g} CPU s", reach, got.get(key))
