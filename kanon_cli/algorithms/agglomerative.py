"""Agglomerative clustering."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
from pydantic import Field

from kanon_cli.algorithms.base import Algorithm, GroupArray, Grouping, Terms, finish
from kanon_cli.problem import Problem

if TYPE_CHECKING:
    from kanon_cli.kernels.distances import Metric
    from kanon_cli.kernels.layers import Layers
    from kanon_cli.kernels.neighbours import Growth

DISTANCES = ("d1", "d2", "d3", "d4", "nc")  # in the order of their numbers in the kernels
EPSILON = 10  # that of d4 is a loss of one part in so many
STEPS = 1 << 11  # between two looks at the outside world


class Agglomerative(Algorithm):
    """Unifies the two nearest clusters again and again, and puts one aside as soon as it has k rows.

    Every row is a cluster at first, and how near two clusters are is a matter of `distance`. A union that has k rows
    and keeps its caps on sensitive values is finished and grows no more.

    Details: with `modified`, a finished cluster first gives up, one by one, those of its rows without which the others
    cost least, until k are left, and these rows are clusters of their own again. If a last cluster stays below k, each
    of its rows joins the finished cluster that is nearest to it. Ties go to the pair whose later one has the earliest
    first row.
    Guarantee: every group has k rows and keeps its caps, because only such clusters are finished, a row that is left
    over joins none whose caps it would break (it is offered the nearest eight only), and what is still left is unified
    with the cheapest group that makes it whole. `modified` comes to an end, because k rows or more leave the search
    with every finished cluster.
    Cost: O(r n^2) time, some 3 to 5 seconds for 45,222 rows and 8 columns; O(r n) memory. A cluster knows the nearest
    eight of those that are older than itself; so a new one changes nothing for the others, and one that has lost all
    eight looks anew only when nothing else can be nearer.
    Choose: where nothing should be left to chance: it gives the same groups whatever the seed, and of the algorithms of
    papers that group rows it loses least on Adult, at k = 10 and at 50. Not for large tables: ten times the rows take a
    hundred times as long.
    Source: Gionis, Mazza and Tassa 2008, algorithms 1 and 2 and equations 8 to 11; `nc` is that of Nergiz and Clifton
    2007.
    Departs: prices are whole numbers, so d3 and d4 are quotients of whole numbers, rounded once, and the logarithms
    of d3 have 24 binary places. `nc`, which depends on the direction, is the smaller one of the two. The paper leaves
    open whether the rows of the last cluster see each other: they join one by one, the lowest first, and the next one
    sees the cluster with them. It does not say what to do about sensitive values. The default is d3, which lost least
    of the four on Adult (il, lm and entropy at k = 5, 10, 50); on the paper's artificial table d3 and d4 are about
    equal by entropy, and d1 is the best by lm.
    """

    name: ClassVar[str] = "agglomerative"
    randomized: ClassVar[bool] = False
    shardable: ClassVar[bool] = True
    memory: ClassVar[str] = "O(r n)"

    distance: Literal["d1", "d2", "d3", "d4", "nc"] = Field(
        default="d3",
        description="how near two clusters are: what their union costs more than both, by rows (d1) or not (d2), the "
        "latter by the logarithm of its rows (d3), as a factor (d4), or more than the dearer of them alone (nc)",
    )
    modified: bool = Field(
        default=False, description="whether a finished cluster gives up rows until it has k (algorithm 2)"
    )

    def partition(self, problem: Problem, terms: Terms) -> Grouping:
        """Run algorithm 1 or 2, and repair what it leaves short of a promise."""
        from kanon_cli.kernels.distances import Metric, logarithms
        from kanon_cli.kernels.growth import grow
        from kanon_cli.kernels.layers import lay
        from kanon_cli.kernels.neighbours import EXPELLED, FINISHED, GROWING, UNIFIED, start_growth

        columns, rows = problem.rank_of.shape
        metric = Metric(
            DISTANCES.index(self.distance),
            (int(problem.costs.unit) * columns + EPSILON // 2) // EPSILON,
            logarithms(rows + 1 if self.distance == "d3" else 0),
        )
        layers = lay(problem.costs, problem.rank_of)
        growth = start_growth(layers, problem.aim)
        _look_first(growth, layers, problem, metric, terms)
        while grow(growth, layers, problem.costs, problem.aim, metric, self.modified, STEPS):
            done = 1 - float(growth.counted[GROWING]) / rows
            terms.progress(done, f"{int(growth.counted[FINISHED]):,} groups")
        group_of, is_whole = _deal(growth, layers, problem, metric)
        facts: dict[str, int | float | bool] = {"unions": int(growth.counted[UNIFIED])}
        if not is_whole:
            group_of, facts["unified"] = finish(problem, group_of)
        if self.modified:
            facts["expelled"] = int(growth.counted[EXPELLED])
        return Grouping(group_of, facts)


def _look_first(growth: Growth, layers: Layers, problem: Problem, metric: Metric, terms: Terms) -> None:
    """Let every row look for the nearest before it, in pieces of equal work."""
    from kanon_cli.kernels.neighbours import look, with_own_room
    from kanon_cli.kernels.tournaments import play_all

    pieces = max(terms.threads * 4, 1) if terms.threads > 1 else 1
    cuts = (np.sqrt(np.linspace(0, 1, pieces + 1)) * problem.rows).astype(np.int64).tolist()

    def work(piece: int) -> None:
        own = with_own_room(growth, layers)
        look(own, layers, problem.costs, metric, cuts[piece], cuts[piece + 1])

    with ThreadPoolExecutor(terms.threads) as pool:
        list(pool.map(work, range(pieces)))
    play_all(growth.winner, growth.key)


def _deal(growth: Growth, layers: Layers, problem: Problem, metric: Metric) -> tuple[GroupArray, bool]:
    """Give the rows of a last cluster below k to the finished ones; also say whether that leaves nothing to repair."""
    from kanon_cli.kernels.clusters import gather
    from kanon_cli.kernels.dealing import deal
    from kanon_cli.kernels.neighbours import FINISHED, among

    finished, group_of = int(growth.counted[FINISHED]), growth.group_of
    left = np.flatnonzero(group_of < 0)
    if len(left) == 0:
        return group_of, True
    if finished == 0 or len(left) >= problem.aim.k:
        group_of[left] = finished
        return group_of, False
    group_of[left] = finished + np.arange(len(left))
    clusters = gather(layers, problem.costs, problem.aim, group_of, finished + len(left))
    deal(clusters, among(growth, clusters), layers, problem.costs, problem.aim, metric, finished)
    return clusters.group_of, bool((clusters.group_of < finished).all())
