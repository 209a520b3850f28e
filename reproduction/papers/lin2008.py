"""Lin and Wei 2008: the one-pass k-means algorithm OKA."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.results import Finding, Note, Row
from benchmarks.setting import Setting
from benchmarks.shapes import Panel
from kanon_cli.algorithms.base import Algorithm, Grouping
from kanon_cli.algorithms.k_member import KMember
from kanon_cli.algorithms.oka import Oka
from kanon_cli.problem import Problem
from reproduction.adult import in_trees
from reproduction.experiment import Experiment, Grid, Paper
from reproduction.trials import Figures, most_of, over, rows_and, total_loss

KS = (500, 250, 100, 50, 25, 10, 5)
RISE = "oka, by the rise of the cost"
ALGORITHMS: dict[str, Algorithm] = {
    "oka": Oka(),
    "oka, no size factor": Oka(size_factor=False),
    RISE: Oka(distance="increase", sorted=False, small="unify"),
    "k-member": KMember(),
}
IL = "total IL"


def by_k(setting: Setting) -> Iterator[Finding]:
    """OKA as written, with what helps it, and k-member."""
    yield Note(
        f"`oka` is figures 1 and 2 as written; `{RISE}` has `distance: increase`, `sorted: false`, `small: unify`. The "
        "values of k are ours: the paper has its own in the pictures only."
    )
    rows: list[Row] = []
    problems = ((k, in_trees(setting, k)) for k in setting.pick(KS, (50, 10)))
    yield from rows_and(over("k", problems, ALGORITHMS, _more), rows)
    for name in ("oka", RISE):
        yield most_of(rows, f"{IL} of `{name}` / that of `k-member`, at every k", IL, name, "k-member")
        yield most_of(rows, f"CPU time of `{name}` / that of `k-member`, at every k", "cpu_s", name, "k-member")


def _more(problem: Problem, found: Grouping) -> Figures:
    return {IL: total_loss(problem, found)}


PAPER = Paper(
    "Lin and Wei 2008: OKA",
    "As for Byun et al.; the paper takes its taxonomies from another one, here they are ARX's.",
    (
        Experiment(
            "figures-3-4",
            "Figures 3 and 4: information loss and time by k",
            by_k,
            (
                Grid(("k",), (IL,), "algorithm", digits=0, caption=f"{IL}:"),
                Grid(("k",), ("cpu_s",), "algorithm", caption="CPU seconds:"),
            ),
            "Not reproduced: as written, OKA loses 1.2 to 3 times what k-member loses, and the paper says that it "
            "loses less. Without the factor for the size of a cluster it is no better at large k. With the rise of "
            "the cost in place of the distance to a centroid it loses less than k-member from k = 10 on, and 9 % "
            "more at k = 5. The reason may be another reading of centroid and distance, or other taxonomies. That "
            "OKA is much faster holds for neither: kanon's k-member keeps equal rows together and is faster than in "
            "its own paper.",
            (
                Panel(x="k", y=IL, by="algorithm", title="Figure 3: total IL", is_log_x=True),
                Panel(x="k", y="cpu_s", by="algorithm", title="Figure 4: CPU seconds", is_log_x=True, is_log_y=True),
            ),
        ),
    ),
)
