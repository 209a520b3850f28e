"""Goldberger and Tassa 2010: sequential clustering, private mutual information, l-diversity."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from benchmarks import tables
from benchmarks.results import Finding, Note, Row, Target
from benchmarks.setting import Setting
from benchmarks.shapes import Panel
from kanon_cli.algorithms.agglomerative import Agglomerative
from kanon_cli.algorithms.base import Algorithm
from kanon_cli.algorithms.hilbert import Hilbert
from kanon_cli.algorithms.k_member import KMember
from kanon_cli.algorithms.mondrian import Mondrian
from kanon_cli.algorithms.sequential import Sequential
from reproduction import worked
from reproduction.adult import KS, suppressed
from reproduction.diversity import DIVERSITY
from reproduction.experiment import Experiment, Grid, Paper
from reproduction.trials import most_of, over, rows_and, tried

TABLE_2 = {10: 0.302, 20: 0.340, 30: 0.364, 40: 0.380, 50: 0.394, 75: 0.419, 100: 0.439}
NEAR = 0.012
AT_50 = {"sequential": 0.4, "hilbert": 0.645, "mondrian": 0.735}  # section 8.3, of figure 1
RANDOM = "k-member, random seeds"
SLOW: dict[str, Algorithm] = {
    "sequential": Sequential(),
    "k-member": KMember(),
    RANDOM: KMember(start="random"),
    "agglomerative": Agglomerative(distance="d1"),
}
QUICK: dict[str, Algorithm] = {"mondrian": Mondrian(cut="widest"), "hilbert": Hilbert()}


def all_algorithms(setting: Setting) -> Iterator[Finding]:
    """Every algorithm at every k."""
    yield Note(
        "`agglomerative` has the distance that the paper names, `d1`; `mondrian` cuts the attribute with the widest "
        "range (`cut: widest`) and `k-member` takes the furthest record as the next seed, both as their authors do."
    )
    rows: list[Row] = []
    for row in over("k", ((k, suppressed(setting, k)) for k in setting.pick(KS, (50, 10))), {**SLOW, **QUICK}):
        name = str(row.at["algorithm"])
        paper = {"paper": AT_50[name]} if row.at["k"] == 50 and name in AT_50 else {}
        rows.append(Row(row.at, {**row.got, **paper}))
        yield rows[-1]
    for row in rows:
        if "paper" in row.got:
            off = round(abs(row.got["loss"] - row.got["paper"]), 4)
            yield Target(f"loss of `{row.at['algorithm']}` at k = 50: {row.got['paper']:g}, off by", 0.02, off)
    yield from _claims(rows)


def _claims(rows: Sequence[Row]) -> Iterator[Target]:
    """What section 8.1 says of figures 1 and 2."""
    ratio = "{} of `{}` / that of `sequential`, at every k"
    for name in ("agglomerative", "k-member", RANDOM):
        yield most_of(rows, f"similar: {ratio.format('loss', name)}", "loss", name, "sequential", 1.05)
    for name in QUICK:
        yield most_of(rows, f"loss of `sequential` / that of `{name}`, at every k", "loss", "sequential", name)
        yield most_of(rows, ratio.format("CPU time", name), "cpu_s", name, "sequential")
    for name in ("agglomerative", "k-member"):
        what = f"CPU time of `sequential` / that of `{name}`, at every k"
        yield most_of(rows, what, "cpu_s", "sequential", name)
    seconds = {float(row.at["k"]): row.got["cpu_s"] for row in rows if row.at["algorithm"] == "sequential"}
    falls = seconds[max(seconds)] / seconds[min(seconds)]
    yield Target("CPU time of `sequential` falls with k: at the largest k / at the smallest", 1.0, falls)


def orders_on_a_curve(setting: Setting) -> Iterator[Finding]:
    """The Hilbert curve through the same table with its attributes in another order."""
    yield Note("k = 50; the order of the table, and then nine drawn at random.")
    names, rng = list(tables.public_columns()), np.random.default_rng(0)
    for at in range(10):
        order = names if at == 0 else rng.permutation(names).tolist()
        got = tried(suppressed(setting, 50, columns=order), Hilbert())
        yield Row({"attributes": "as in the table" if at == 0 else f"order {at}"}, {"loss": got["loss"]})


def by_rows(setting: Setting) -> Iterator[Finding]:
    """The first rows of Adult, more and more."""
    counts = setting.pick((5_000, 10_000, 20_000, 30_000, tables.ADULT_ROWS), (1_000, 2_000))
    yield Note("k = 50; the first rows of the table.")
    problems = ((count, suppressed(setting, 50, rows=count)) for count in counts)
    yield from over("rows", problems, {**SLOW, **QUICK})


def ten_runs(setting: Setting) -> Iterator[Finding]:
    """Ten seeds at each k."""
    yield Note("`sequential` with its default options, seeds 0 to 9.")
    for k in sorted(setting.pick(KS, (50,))):
        problem = suppressed(setting, k)
        losses = [tried(problem, Sequential(), seed)["loss"] for seed in range(10)]
        mean = float(np.mean(losses))
        figures = {"minimum": min(losses), "mean": mean, "standard deviation": float(np.std(losses))}
        yield Row({"k": k}, {**figures, "paper": TABLE_2[k]})
        yield Target(f"k = {k}: mean {TABLE_2[k]:.3f}, off by", NEAR, round(abs(mean - TABLE_2[k]), 4))


def by_columns(setting: Setting) -> Iterator[Finding]:
    """More and more attributes."""
    names = list(tables.public_columns())
    yield Note(
        "The first 5, 8, 11 and all 14 attributes in the order of the table; the paper does not say which ones it took."
    )
    rows: list[Row] = []
    for k in (20, 50):
        problems = ((count, suppressed(setting, k, columns=names[:count])) for count in (5, 8, 11, 14))
        yield from rows_and(over("attributes", problems, {f"k = {k}": Sequential()}), rows)
        own = {int(row.at["attributes"]): row.got["cpu_s"] for row in rows if row.at["algorithm"] == f"k = {k}"}
        yield Target(
            f"k = {k}, roughly linear: CPU time at 14 / that at 5, by attribute, at the most",
            2.0,
            own[14] / 14 / (own[5] / 5),
        )


LOSS_BY_K = Panel(x="k", y="loss", by="algorithm", title="Loss by k, lm")
SECONDS_BY_K = Panel(x="k", y="cpu_s", by="algorithm", title="CPU seconds by k", is_log_y=True)
EXPERIMENTS = (
    Experiment(
        "table-1",
        "Table 1: four records on a Hilbert curve, with and without rescaling",
        worked.hilbert,
        (Grid(("attributes", "record"), ("place on the curve", "paper"), digits=0),),
        "Every place and both costs are the paper's. kanon's `hilbert` always rescales.",
    ),
    Experiment(
        "pmi-example",
        "Section 5.1: private mutual information of two releases of nine records",
        worked.private_information,
        (Grid(("release", "D"), ("pmi", "paper")),),
        "Both values are the paper's.",
    ),
    Experiment(
        "figures-1-2",
        "Figures 1 and 2: algorithms by k",
        all_algorithms,
        (
            Grid(("k",), ("loss", "paper"), "algorithm", caption="Loss by lm:"),
            Grid(("k",), ("cpu_s",), "algorithm", caption="CPU seconds:"),
        ),
        "At k = 50 `sequential` and `mondrian` are within 0.004 of what section 8.3 tells of figure 1; `hilbert` is "
        "0.073 above it (the next experiment says why). `agglomerative` loses up to 3 % less than `sequential`. "
        "`k-member` loses 23 to 27 % more with its authors' seeds, since outliers start clusters, and only 1 to 4 % "
        "more with random ones. The paper calls it similar; of a seed its section 6.2.1 says only that one of the "
        "records is selected, so probably at random. Other than in the paper `k-member` is faster than "
        "`sequential`: here it keeps equal rows together and follows costs as a cluster widens, where the paper's "
        "prices every record each time.",
        (LOSS_BY_K, SECONDS_BY_K),
    ),
    Experiment(
        "figure-1-hilbert",
        "Figure 1, the Hilbert curve: its attributes in other orders",
        orders_on_a_curve,
        (Grid(("attributes",), ("loss",)),),
        "The order of the attributes, of which the paper says nothing, moves the loss between 0.677 and 0.741, and "
        "so does where on its side of the curve each category is put: here in the order of the alphabet. The "
        "paper's 0.645 is 0.032 below the best of these ten, so another numbering of the categories is the likely "
        "reason for the difference.",
    ),
    Experiment(
        "figure-3",
        "Figure 3: algorithms by rows",
        by_rows,
        (Grid(("rows",), ("cpu_s",), "algorithm", caption="CPU seconds:"),),
        "The order is the paper's, `agglomerative` being the slowest and `mondrian` and `hilbert` being quick, but "
        "for `k-member`, which is faster here than in the paper for the reason given above.",
        (Panel(x="rows", y="cpu_s", by="algorithm", title="CPU seconds by rows, k = 50", is_log_y=True),),
    ),
    Experiment(
        "table-2",
        "Table 2: ten runs of sequential clustering at each k",
        ten_runs,
        (Grid(("k",), ("minimum", "mean", "paper", "standard deviation")),),
        "All means are within 0.005 of the paper's. Its row called 60 is taken for k = 75, which its section 8.1 "
        "lists in place of 60 and which fits. Its standard deviations of 0.03 and 0.04 cannot be in units of loss, "
        "as its minima are only 0.002 to 0.006 below its means; ours are 0.001 to 0.003.",
    ),
    Experiment(
        "figure-4",
        "Figure 4: sequential clustering by attributes",
        by_columns,
        (Grid(("attributes",), ("cpu_s",), "algorithm", caption="CPU seconds:"),),
        "Time grows with the attributes less than linearly. It does not rise at every step, probably because other "
        "attributes need other numbers of passes.",
        (Panel(x="attributes", y="cpu_s", by="algorithm", title="CPU seconds by attributes"),),
    ),
    *DIVERSITY,
)
PAPER = Paper(
    "Goldberger and Tassa 2010: sequential clustering",
    "UCI Adult, 45,222 rows, 14 public attributes, each kept or suppressed; income is private.",
    EXPERIMENTS,
)
