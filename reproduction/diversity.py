"""What Goldberger and Tassa 2010 show about sensitive values: losses over l, and entropy by the weight of pmi."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from benchmarks.results import Finding, Note, Row, Target
from benchmarks.setting import Setting
from benchmarks.shapes import Panel
from kanon_cli.algorithms.base import Algorithm, Grouping
from kanon_cli.algorithms.sequential import Sequential
from kanon_cli.problem import Problem
from reproduction.adult import suppressed
from reproduction.experiment import Experiment, Grid
from reproduction.trials import Figures, counts_of, group, largest_fall, tried

K = 50
AS_IN_THE_PAPER = "algorithm 2 as written"
LARGER_START = "algorithm 2 from groups of k"
ALGORITHMS: dict[str, Algorithm] = {
    "sequential": Sequential(),
    AS_IN_THE_PAPER: Sequential(judged="all"),
    LARGER_START: Sequential(judged="all", k0=(K,)),
}
LEVELS = {
    "income": (1.0, 1.1, 1.15, 1.2, 1.25, 1.28, 1.3, 1.31, 1.32, 1.325),
    "education": (1.0, 1.5, 2.0, 2.25, 2.5, 2.7, 2.8, 2.9, 3.0, 3.05),
}
MOST = {"income": 1.3295, "education": 3.06}  # no release can have more
NEAR = 0.02  # of that, as a share: what counts as a most diverse release
HILBERT, MONDRIAN = 0.645, 0.735  # their loss in figure 1, at k = 50 and without any diversity
SIMILAR = {"education": 0.05}  # to `hilbert`, as a share; of income it is said to be less
REMARKS = {
    "income": (
        "Without l the loss is 0.397 (paper: about 0.4). `sequential` stays below 0.645 up to l = 1.3, where no "
        "release can have more than 1.3295, and loses 0.656 at 1.31 and 0.752 at 1.325, more than both algorithms that "
        "the paper compares with. Algorithm 2 as written "
        "starts with groups of 25 rows, of which the least diverse have 25 / 19 = 1.316; at 1.31 it loses 0.702, "
        "and from groups of k rows 0.652. That is 0.057 and 0.007 more than the paper's Hilbert curve without any "
        "diversity, but less than ours (0.718) and than `mondrian` (0.733); the likely reason is how the paper's "
        "start was parted."
    ),
    "education": (
        "`sequential` stays below 0.645 up to l = 2.9, where no release can have more than 3.06, and loses 0.677 at "
        "3.0 and 0.826 at 3.05, more than the paper's `mondrian`, too. Algorithm 2 as written gives up at l = 2.5 "
        "already, because one of its start groups of 25 rows falls short; from groups of k rows it gets to 2.7, where "
        "it loses 0.540. Both end too far from 3.06 to be held against what the paper says of its most diverse "
        "release, and do not count as holding. The paper's curve goes on to about 0.645, so it probably started from "
        "even larger or more even groups."
    ),
}
WEIGHTS = (0.0, 0.25, 0.5, 0.75, 1.0)
TABLE_3 = {
    50: (0.07, 0.14, 0.31, 0.51, 0.54),
    75: (0.08, 0.14, 0.32, 0.51, 0.56),
    100: (0.08, 0.15, 0.34, 0.54, 0.58),
}
RUNS = 3


def over_levels(secret: str, setting: Setting) -> Iterator[Finding]:
    """Loss over l, with the diversity that the least diverse group really has."""
    yield Note(
        f"k = {K}; l is what was asked for, `diversity` what the least diverse group has. `{AS_IN_THE_PAPER}` is "
        f"`judged: all`, `{LARGER_START}` starts from groups of k rows, not of k / 2. Both are shown as far as their "
        "start keeps l: beyond that they give up all detail, in step 3."
    )
    most_diverse: dict[str, Row] = {}
    for level in setting.pick(LEVELS[secret], LEVELS[secret][:2]):
        problem = suppressed(setting, K, about=secret, level=level)
        for name, algorithm in ALGORITHMS.items():
            got = tried(problem, algorithm, more=_diversity)
            if got["loss"] < 1:
                row = Row({"algorithm": name, "l": level}, {key: got[key] for key in ("loss", "diversity")})
                most_diverse[name] = row
                yield row
    for name, row in most_diverse.items():
        yield from _claims(secret, name, row)


def _claims(secret: str, name: str, row: Row) -> Iterator[Target]:
    """What section 8.3 says of the most diverse release; nothing is compared where a curve ends far before that."""
    short = 1 - row.got["diversity"] / MOST[secret]
    where = f"{name}, l = {row.at['l']:g}"
    yield Target(f"{where}, its most diverse release: short of {MOST[secret]:g} by a share of", NEAR, short)
    loss = row.got["loss"] if short <= NEAR else None
    if secret in SIMILAR:
        off = None if loss is None else abs(loss / HILBERT - 1)
        yield Target(f"{where}: similar to `hilbert`, {HILBERT:g}; off by a share of", SIMILAR[secret], off)
    else:
        yield Target(f"{where}: less than `hilbert`, {HILBERT:g}", HILBERT, loss)
    yield Target(f"{where}: less than `mondrian`, {MONDRIAN:g}", MONDRIAN, loss)


def _diversity(problem: Problem, found: Grouping) -> Figures:
    """What the least diverse group has."""
    counts = counts_of(problem, found.group_of)
    return {"diversity": float((counts.sum(axis=1) / counts.max(axis=1)).min())}


def by_weight(setting: Setting) -> Iterator[Finding]:
    """Entropy of income, the mean over groups, when w * mi + (1 - w) * pmi is minimised."""
    yield Note(f"In bits, all groups counting alike; means over {RUNS} seeds.")
    for k, paper in setting.pick(TABLE_3, {50: TABLE_3[50]}).items():
        found = []
        for w, expected in zip(WEIGHTS, paper, strict=True):
            problem = suppressed(setting, k, measure={"name": "wmi", "w": w}, about="income")
            runs = [_entropy(counts_of(problem, group(problem, Sequential(), seed).group_of)) for seed in range(RUNS)]
            found.append(float(np.mean(runs)))
            yield Row({"k": k, "w": f"w = {w:g}"}, {"entropy": found[-1], "paper": expected})
        yield Target(
            f"k = {k}: it rises with w; the most that it falls from one w to the next", 0.0, largest_fall(found)
        )
        yield Target(f"k = {k}: at w = 0 less than a third of that at w = 1; ratio", 1 / 3, found[0] / found[-1])
        off = max(abs(ours - theirs) for ours, theirs in zip(found, paper, strict=True))
        yield Target(f"k = {k}: off the paper's by at most", 0.1, off)


def _entropy(counts: np.ndarray) -> float:
    """The mean over groups of the entropy of the sensitive values, in bits."""
    share = counts / counts.sum(axis=1, keepdims=True)
    return float(-(share * np.log2(np.where(share > 0, share, 1))).sum(axis=1).mean())


def _curve(number: int, secret: str) -> Experiment:
    return Experiment(
        f"figure-{number}",
        f"Figure {number}: loss by l-diversity of {secret}",
        partial(over_levels, secret),
        (Grid(("l",), ("loss", "diversity"), "algorithm"),),
        REMARKS[secret],
        (
            Panel(
                x="diversity",
                y="loss",
                by="algorithm",
                title=f"Adult, k = {K}, diversity of {secret}",
                starts_at_0=False,
            ),
        ),
    )


DIVERSITY: Sequence[Experiment] = (
    _curve(5, "income"),
    _curve(6, "education"),
    Experiment(
        "table-3",
        "Table 3: entropy of income by the weight of private information",
        by_weight,
        (Grid(("k",), ("entropy", "paper"), "w", digits=2),),
        "The trend is the paper's: entropy rises with w at every k, and at w = 0 it is about a twentieth of that at "
        "w = 1 (paper: an eighth). At w = 0.25, 0.75 and 1 we are within 0.03, at w = 0.5 up to 0.09 above and at w "
        "= 0 0.05 below. The reason is not known.",
    ),
)
