"""The artificial table of Gionis, Mazza and Tassa 2008: their algorithms beside their table I, and `lns`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from benchmarks import artificial, tables
from benchmarks.inside import after, ended, mean_of, prepare, recoded, to_the_end
from benchmarks.results import Finding, Note, Row, Target, Value
from benchmarks.setting import Setting, Unavailable
from benchmarks.shapes import Panel
from kanon_cli.algorithms.agglomerative import DISTANCES, Agglomerative
from kanon_cli.problem import Problem

BEST, FOREST, COUPLED = "best agglomerative", "forest", "(k,k) by expansion"
PAPER = {
    ("entropy", BEST): {5: 0.65, 10: 0.98, 15: 1.13, 20: 1.22},
    ("entropy", FOREST): {5: 0.89, 10: 1.25, 15: 1.42, 20: 1.51},
    ("entropy", COUPLED): {5: 0.53, 10: 0.83, 15: 0.99, 20: 1.08},
    ("lm", BEST): {5: 0.12, 10: 0.19, 15: 0.23, 20: 0.25},
    ("lm", FOREST): {5: 0.15, 10: 0.24, 15: 0.28, 20: 0.31},
    ("lm", COUPLED): {5: 0.10, 10: 0.16, 15: 0.19, 20: 0.22},
}
MEASURES = ("entropy", "lm")
NEAR = 0.03  # to the paper's numbers
LESS = 0.95  # of what the best agglomerative loses
SECONDS = 5.0
VARIANTS = [Agglomerative(distance=distance, modified=modified) for modified in (False, True) for distance in DISTANCES]
PANELS = tuple(
    Panel(
        x="k",
        y="loss",
        by="algorithm",
        title=f"Artificial table, {name}",
        where={"measure": name, "modified": "no"},
        curves={"paper": "paper, best agglomerative", "paper_forest": "paper, forest", "paper_kk": f"paper, {COUPLED}"},
    )
    for name in MEASURES
)


def measure(setting: Setting) -> Iterator[Finding]:
    """Take the loss of every kind of agglomerative clustering, of `forest`, of (k,k) by expansion, and of `lns`."""
    yield Note(
        "`paper` is the row of the paper's table I for its best agglomerative algorithm: that with the least sum of "
        "losses over all k, of d1 to d4 with and without modification; `nc` is not among them. Targets are to be "
        f"within {NEAR:g} of the table, and for `lns` {LESS:g} times the best agglomerative of the same run. `lns` has "
        f"{SECONDS:g} CPU seconds."
    )
    table = tables.write(artificial.generate(artificial.ROWS), setting.folder / "art.csv")
    columns = artificial.columns(setting.folder)
    ks = setting.pick((5, 10, 15, 20), (5, 20))
    to_the_end(prepare(setting.folder, table, columns, 999).problem, Agglomerative(modified=True))(0)  # compiles
    for name in MEASURES:
        losses: dict[Agglomerative, dict[int, float]] = defaultdict(dict)
        forest: dict[int, float] = {}
        coupled: dict[int, float] = {}
        for k in ks:
            problem = prepare(setting.folder, table, columns, k, name).problem
            at: dict[str, Value] = {"measure": name, "modified": "no", "k": k}
            for variant in VARIANTS:
                got = mean_of(problem, to_the_end(problem, variant), [0])
                losses[variant][k] = got["loss"]
                modified = "yes" if variant.modified else "no"
                own = {"algorithm": f"agglomerative {variant.distance}", **at, "modified": modified}
                yield Row(own, {**got, "paper": PAPER[name, BEST][k]})
            got = ended(problem, FOREST, [0])
            forest[k] = got["loss"]
            yield Row({"algorithm": FOREST, **at}, {**got, "paper_forest": PAPER[name, FOREST][k]})
            got = recoded(problem, "kk", tighten=False)
            coupled[k] = got["loss"]
            yield Row({"algorithm": COUPLED, **at}, {**got, "paper_kk": PAPER[name, COUPLED][k]})
            tight = recoded(problem, "kk")
            yield Row({"algorithm": f"{COUPLED}, tightened", **at}, tight)
            yield from _search(problem, at, LESS * min(losses[variant][k] for variant in VARIANTS), setting)
        theirs = [variant for variant in VARIANTS if variant.distance != "nc"]
        best = min(theirs, key=lambda variant: sum(losses[variant].values()))
        yield from _targets(name, BEST, losses[best])
        yield from _targets(name, FOREST, forest)
        yield from _targets(name, COUPLED, coupled)


def _targets(measure_name: str, who: str, loss_at: dict[int, float]) -> Iterator[Target]:
    """How far the losses at each k are off the paper's."""
    for k, loss in loss_at.items():
        off = round(abs(loss - PAPER[measure_name, who][k]), 4)
        yield Target(f"{who}, {measure_name}, k = {k}: off the paper's loss by", NEAR, off)


def _search(problem: Problem, at: dict[str, Value], reach: float, setting: Setting) -> Iterator[Finding]:
    """What `lns` reaches, and what it should."""
    loss = None
    try:
        found = after(problem, "lns", SECONDS, setting)
        loss = found["loss"]
        yield Row({"algorithm": "lns", **at}, found)
    except Unavailable as reason:
        yield Note(str(reason))
    yield Target(f"lns, {at['measure']}, k = {at['k']}", round(reach, 4), loss)
