"""Goldberger and Tassa 2010: sequential clustering, private mutual information, l-diversity."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

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

TABLE_2 = {  # minimum, mean, standard deviation
    10: (0.298, 0.302, 0.03),
    20: (0.338, 0.340, 0.03),
    30: (0.361, 0.364, 0.03),
    40: (0.378, 0.380, 0.03),
    50: (0.390, 0.394, 0.03),
    75: (0.416, 0.419, 0.04),
    100: (0.433, 0.439, 0.04),
}
SUMMARY = ("minimum", "mean", "standard deviation")
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
    for name in ("agglomerative", "k-member", RANDOM):
        what = f"similar: loss of `{name}` / that of `sequential`, at every k"
        yield most_of(rows, what, "loss", name, "sequential", 1.05)
    for name in QUICK:
        yield most_of(rows, f"loss of `sequential` / that of `{name}`, at every k", "loss", "sequential", name)
    yield from _order_in_time(rows, "at every k")
    seconds = {float(row.at["k"]): row.got["cpu_s"] for row in rows if row.at["algorithm"] == "sequential"}
    falls = seconds[max(seconds)] / seconds[min(seconds)]
    yield Target("CPU time of `sequential` falls with k: at the largest k / at the smallest", 1.0, falls)


def _order_in_time(rows: Sequence[Row], where: str) -> Iterator[Target]:
    """Who is faster than whom in section 8.1."""
    others = ("agglomerative", "k-member")
    pairs = [(name, slow) for name in QUICK for slow in ("sequential", *others)]
    for first, second in (*pairs, *(("sequential", slow) for slow in others)):
        yield most_of(rows, f"CPU time of `{first}` / that of `{second}`, {where}", "cpu_s", first, second)


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
    rows: list[Row] = []
    yield from rows_and(over("rows", problems, {**SLOW, **QUICK}), rows)
    yield from _order_in_time(rows, "for any rows")


def ten_runs(setting: Setting) -> Iterator[Finding]:
    """Ten seeds at each k."""
    yield Note("`sequential` with its default options, seeds 0 to 9.")
    for k in sorted(setting.pick(KS, (50,))):
        problem = suppressed(setting, k)
        losses = [tried(problem, Sequential(), seed)["loss"] for seed in range(10)]
        summary = (min(losses), float(np.mean(losses)), float(np.std(losses)))
        yield from _beside_table_2(k, dict(zip(SUMMARY, summary, strict=True)))


def _beside_table_2(k: int, ours: Mapping[str, float]) -> Iterator[Finding]:
    """What ten runs gave beside what the paper has."""
    theirs = dict(zip(SUMMARY, TABLE_2[k], strict=True))
    yield Row({"k": k}, {**ours, **{f"{name}, paper": figure for name, figure in theirs.items()}})
    for name in ("minimum", "mean"):
        yield Target(f"k = {k}: {name} {theirs[name]:.3f}, off by", NEAR, round(abs(ours[name] - theirs[name]), 4))


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
        yield _roughly_linear(rows, f"k = {k}")


def _roughly_linear(rows: Sequence[Row], k: str) -> Target:
    """The time that an attribute takes is about the same however many there are."""
    each = [row.got["cpu_s"] / float(row.at["attributes"]) for row in rows if row.at["algorithm"] == k]
    return Target(
        f"{k}, roughly linear: CPU time of an attribute, at most / at least of them", 2.0, max(each) / min(each)
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
        "`sequential`, and with large k than `hilbert`: here it keeps equal rows together and follows costs as a "
        "cluster widens, where the paper's prices every record each time.",
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
        "The paper tells the order of figures 2 and 3 together. `agglomerative` is the slowest here, too, and "
        "`mondrian` and `hilbert` are quicker than `sequential`; but `k-member`, one of the slow ones in the paper, is "
        "as quick as `mondrian` and quicker than `hilbert`, for the reason given above.",
        (Panel(x="rows", y="cpu_s", by="algorithm", title="CPU seconds by rows, k = 50", is_log_y=True),),
    ),
    Experiment(
        "table-2",
        "Table 2: ten runs of sequential clustering at each k",
        ten_runs,
        (Grid(("k",), tuple(part for name in SUMMARY for part in (name, f"{name}, paper"))),),
        "All minima and means are within 0.005 of the paper's. Its row called 60 is taken for k = 75, which its "
        "section 8.1 lists in place of 60 and which fits. Its standard deviations of 0.03 and 0.04 cannot be in units "
        "of loss, as its minima are only 0.002 to 0.006 below its means; ours are 0.001 to 0.003.",
    ),
    Experiment(
        "figure-4",
        "Figure 4: sequential clustering by attributes",
        by_columns,
        (Grid(("attributes",), ("cpu_s",), "algorithm", caption="CPU seconds:"),),
        "At k = 20 time rises at every step, but by half from 5 to 14 attributes, not to almost three times. At "
        "k = 50 it does not grow with the attributes: 14 take no longer than 5, and 11 take the longest, which is not "
        "what the paper found. The likely reason is that other attributes need other numbers of passes.",
        (Panel(x="attributes", y="cpu_s", by="algorithm", title="CPU seconds by attributes"),),
    ),
    *DIVERSITY,
)
PAPER = Paper(
    "Goldberger and Tassa 2010: sequential clustering",
    "UCI Adult, 45,222 rows, 14 public attributes, each kept or suppressed; income is private.",
    EXPERIMENTS,
)
