"""Gionis, Mazza and Tassa 2008: agglomerative clustering and (k,k)-anonymity."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks import artificial, tables
from benchmarks.inside import prepare
from benchmarks.results import Finding, Note, Row, Target
from benchmarks.setting import Setting
from benchmarks.shapes import Panel
from benchmarks.works.art import VARIANTS
from kanon_cli.algorithms.base import Algorithm
from kanon_cli.algorithms.forest import Forest
from kanon_cli.algorithms.kk import Kk
from kanon_cli.problem import Problem
from reproduction import surveys
from reproduction.experiment import Experiment, Grid, Paper
from reproduction.trials import tried

KS = (5, 10, 15, 20)
BEST, FOREST, BOTH = "best k-anon", "forest", "(k,k)-anon"
TABLE_I = {
    ("ART", "entropy", BEST): (0.65, 0.98, 1.13, 1.22),
    ("ART", "entropy", FOREST): (0.89, 1.25, 1.42, 1.51),
    ("ART", "entropy", BOTH): (0.53, 0.83, 0.99, 1.08),
    ("ADT", "entropy", BEST): (0.66, 0.93, 1.08, 1.18),
    ("ADT", "entropy", FOREST): (1.02, 1.45, 1.63, 1.73),
    ("ADT", "entropy", BOTH): (0.50, 0.75, 0.90, 1.00),
    ("CMC", "entropy", BEST): (0.67, 0.95, 1.08, 1.20),
    ("CMC", "entropy", FOREST): (0.99, 1.31, 1.46, 1.53),
    ("CMC", "entropy", BOTH): (0.54, 0.80, 0.98, 1.10),
    ("ART", "lm", BEST): (0.12, 0.19, 0.23, 0.25),
    ("ART", "lm", FOREST): (0.15, 0.24, 0.28, 0.31),
    ("ART", "lm", BOTH): (0.10, 0.16, 0.19, 0.22),
    ("ADT", "lm", BEST): (0.14, 0.20, 0.24, 0.26),
    ("ADT", "lm", FOREST): (0.22, 0.37, 0.46, 0.53),
    ("ADT", "lm", BOTH): (0.09, 0.13, 0.16, 0.18),
    ("CMC", "lm", BEST): (0.14, 0.21, 0.25, 0.28),
    ("CMC", "lm", FOREST): (0.19, 0.31, 0.40, 0.44),
    ("CMC", "lm", BOTH): (0.11, 0.17, 0.20, 0.23),
}
NEAR = 0.03  # to the paper's numbers
AGGLOMERATIVE = {
    f"{variant.distance}{', modified' if variant.modified else ''}": variant
    for variant in VARIANTS
    if variant.distance != "nc"  # it is another paper's
}
STARTS = {"expansion": Kk(start="expansion", tighten=False), "nearest": Kk(start="nearest", tighten=False)}
Source = Callable[[Path, int], tuple[Path, dict[str, Any]]]
Losses = dict[str, list[float]]  # of each variant, at each k


def artificial_table(folder: Path, rows: int) -> tuple[Path, dict[str, Any]]:
    """A table as the paper says, and its columns."""
    return tables.write(artificial.generate(rows), folder / "art.csv"), artificial.columns(folder)


SOURCES: Mapping[str, tuple[Source, int]] = {
    "ART": (artificial_table, artificial.ROWS),
    "ADT": (surveys.write_adult, surveys.ADULT_ROWS),
    "CMC": (surveys.write_cmc, surveys.CMC_ROWS),
}


def table_1(setting: Setting) -> Iterator[Finding]:
    """All agglomerative variants, forest and both (k,k)-algorithms on each table."""
    yield Note(
        "As in the paper, `best k-anon` is the agglomerative variant with the least sum over all k, and `(k,k)-anon` "
        "the better of both algorithms; boxes do not shrink at the end (`tighten: false`), as they do not in the paper."
    )
    ks = setting.pick(KS, KS[:2])
    for source, (write, rows) in SOURCES.items():
        path, columns = write(setting.folder, setting.rows(rows))
        for measure in ("entropy", "lm"):
            problems = [prepare(setting.folder, path, columns, k, measure).problem for k in ks]
            yield from _compared(source, measure, ks, problems)


def _compared(source: str, measure: str, ks: Sequence[int], problems: Sequence[Problem]) -> Iterator[Finding]:
    """One block of table I, and what the paper says of it."""
    variants, starts = _losses(problems, AGGLOMERATIVE), _losses(problems, STARTS)
    best = min(variants, key=lambda name: sum(variants[name]))
    losses = {
        BEST: variants[best],
        FOREST: _losses(problems, {FOREST: Forest()})[FOREST],
        BOTH: [min(both) for both in zip(*starts.values(), strict=True)],
    }
    place = f"{source}, {measure}"
    yield Note(f"{place}: the best of the agglomerative variants is {best}.")
    for who, own in losses.items():
        for k, loss, paper in zip(ks, own, TABLE_I[source, measure, who], strict=False):
            yield Row({"table": source, "measure": measure, "algorithm": who, "k": k}, {"loss": loss, "paper": paper})
        off = max(abs(a - b) for a, b in zip(own, TABLE_I[source, measure, who], strict=False))
        yield Target(f"{place}: `{who}` off table I by at most", NEAR, round(off, 4))
    yield _worst(f"{place}: `{BEST}` loses 20 to 50 % less than `{FOREST}`; ratio", 0.8, losses[BEST], losses[FOREST])
    yield _worst(f"{place}: `{BOTH}` loses 10 to 30 % less than `{BEST}`; ratio", 0.9, losses[BOTH], losses[BEST])
    what = f"{place}: the better (k,k) is by expansion: its loss / that by nearest neighbours"
    yield _worst(what, 1.0, starts["expansion"], starts["nearest"])


def _losses(problems: Sequence[Problem], algorithms: Mapping[str, Algorithm]) -> Losses:
    return {name: [tried(problem, algorithm)["loss"] for problem in problems] for name, algorithm in algorithms.items()}


def _worst(what: str, reach: float, first: Sequence[float], second: Sequence[float]) -> Target:
    return Target(what, reach, max(a / b for a, b in zip(first, second, strict=True)))


PAPER = Paper(
    "Gionis, Mazza and Tassa 2008: agglomerative clustering and (k,k)-anonymity",
    "ART: 5,000 rows drawn as the paper says, and with its subsets. ADT: the first 5,000 rows of Adult with the "
    "paper's nine attributes. CMC: all 1,473 rows of the UCI table (the paper says 1,500). The paper leaves the "
    "subsets of ADT and CMC to its full version: here ADT has ARX's taxonomies, and CMC bands of neighbouring values.",
    (
        Experiment(
            "table-1-figures-2-3",
            "Table I, figures 2 and 3: losses on three tables",
            table_1,
            (Grid(("table", "measure", "k"), ("loss", "paper"), "algorithm", digits=2),),
            "On ART, the one table that the paper describes in full, every number is within 0.026 of table I, and "
            "within 0.011 by lm. On ADT it is within 0.032, and on CMC within 0.074 by entropy and 0.057 by lm, "
            "with subsets of our own. Expansion is always the better start. Where a statement of the text fails, it "
            "does so in the paper's own table, too: on ART its `forest` and `best k-anon` have ratios up to 0.82, "
            "and on CMC its `(k,k)-anon` at k = 20 has 0.92. The best distance is d3 or d4, as the paper says, but "
            "for ART by lm, where it is d1.",
            tuple(
                Panel(
                    x="k",
                    y="loss",
                    by="algorithm",
                    title=f"Adult, {measure}",
                    where={"table": "ADT", "measure": measure},
                )
                for measure in ("entropy", "lm")
            ),
        ),
    ),
)
