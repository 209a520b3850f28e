"""The one-pass k-means algorithm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
from pydantic import Field

from kanon_cli.algorithms.base import Algorithm, Grouping, Terms, finish, with_needed_rows
from kanon_cli.algorithms.closest import ground_of, sorted_rows, visit
from kanon_cli.algorithms.leaving import falling_short, leave_out
from kanon_cli.algorithms.starts import best_of
from kanon_cli.problem import Problem

if TYPE_CHECKING:
    from kanon_cli.kernels.centers import Centers, Ground


class Oka(Algorithm):
    """Puts each record, one after the other, into the closest of floor(n / k) clusters, and then fills the small ones.

    The clusters start with one random record each; each of the others, which come sorted by quasi-identifiers, goes to
    the cluster whose centroid is closest, and the centroid follows. Then clusters beyond k give away the records
    furthest from their centroids, and these go to the closest cluster below k, or to any once there is none.

    Details: the distance is multiplied with the records of the cluster. A centroid is the mean of numbers and the
    lowest common ancestor of categories. Records that are given away come in random order. `small: suppress` leaves out
    the clusters that end below k or short of a promise, the smallest first and each as a whole, as far as
    `privacy.suppression` allows and the other rows can still keep what is promised; clusters for which there is no room
    are unified.
    Guarantee: every group has k rows, because there are enough records to fill floor(n / k) clusters. With promises
    about sensitive values, a record joins the closest cluster that gets, judged as one of k rows at the least, no
    further from its promise (k counts as l where l is larger), and no cluster beyond k gives away a record that it
    needs; groups that still fall short at the end are unified with the cheapest group that makes them whole.
    Cost: O(r n^2 / k) time a pass; O(r n) memory.
    Choose: as its paper has it, to compare with it. With `distance: increase`, `sorted: false` and `small: unify` it is
    a quick grouping that loses as little as `k-member`, and with more `passes` less.
    Source: Lin and Wei 2008, figures 1 and 2; `passes`, `small: suppress` and promises about sensitive values are what
    its section 5 proposes.
    Departs: the centroid follows in figure 2 as it does in figure 1, since section 2.1 defines it by the records of the
    cluster; the mean il on Adult's 45,222 rows at k = 10 is then 0.207, otherwise 0.212. The paper claims less than
    k-member, which has 0.075. That was not reached as it is written, nor without the factor (0.151), nor in random
    order (`sorted: false`, 0.142). It was with the rise of the cost in place of the centroid (`distance: increase`), in
    random order and with small clusters unified in place of figure 2 (`small: unify`): 0.073, and 0.066 with four
    passes. So that may be what its authors ran; but their trees are not known, either. They would suppress a small
    cluster only where that loses less: to have that, take `small: unify` with `privacy.suppression`, since what is left
    out at the end of any run is chosen by the loss. `small: suppress` does not ask: with 5 % of the rows left out,
    0.162 instead of 0.135 by `small: unify`. A centroid lies on a number's line where the measure prices widths,
    rounded to its finest step; elsewhere it is what the cluster covers, as for categories, and so it is where some
    numbers are missing. Of clusters that are as close, the first is taken, and of records that are as far, the first in
    the table.
    """

    name: ClassVar[str] = "oka"
    randomized: ClassVar[bool] = True
    shardable: ClassVar[bool] = True
    memory: ClassVar[str] = "O(r n)"

    distance: Literal["centroid", "increase"] = Field(
        default="centroid",
        description="what makes a cluster close: its centroid, or how little its cost rises by the record",
    )
    size_factor: bool = Field(
        default=True, description="the distance to a centroid is multiplied with the records of its cluster"
    )
    sorted: bool = Field(default=True, description="records come sorted by quasi-identifiers; false: in random order")
    passes: int = Field(default=1, ge=1, description="passes of the clustering stage")
    small: Literal["fill", "unify", "suppress"] = Field(
        default="fill",
        description="clusters below k: filled with records from those beyond k, unified with the nearest, or left out, "
        "the smallest first, as far as privacy.suppression allows, and then unified",
    )
    restarts: int = Field(default=1, ge=1, description="random starts, of which the best result is kept")

    @property
    def leaves_out(self) -> bool:
        """Whether small clusters are left out."""
        return self.small == "suppress"

    def partition(self, problem: Problem, terms: Terms) -> Grouping:
        """Cluster and adjust."""
        from kanon_cli.kernels.centers import CENTROID, INCREASE, WEIGHTED

        by_centroid = WEIGHTED if self.size_factor else CENTROID
        distance = by_centroid if self.distance == "centroid" else INCREASE
        return best_of(self.restarts, problem, terms, _Passes(self, with_needed_rows(problem), distance).run)


@dataclass(frozen=True)
class _Passes:
    """A problem and how to go about it."""

    options: Oka
    problem: Problem
    distance: int

    def run(self, rng: np.random.Generator, terms: Terms) -> Grouping:
        """Cluster around random seeds, adjust, repair what does not keep the aim."""
        from kanon_cli.kernels.centers import gather

        problem, ground = self.problem, ground_of(self.problem, self.distance)
        rows, passes = problem.rows, self.options.passes
        group_of = np.full(rows, -1, dtype=np.int32)
        seeds = rng.permutation(rows)[: rows // problem.aim.k]
        group_of[seeds] = np.arange(len(seeds))
        order = sorted_rows(problem)[0] if self.options.sorted else rng.permutation(rows)
        centers = gather(ground, group_of)
        for at in range(passes):

            def tell(done: float, at: int = at) -> None:
                terms.progress((at + done) / passes, f"pass {at + 1} of {passes}")

            visit(ground, centers, order[centers.group_of[order] < 0] if at == 0 else order, rows, tell)
        facts: dict[str, int | float | bool] = {"small": int(np.count_nonzero(centers.size[:-1] < problem.aim.k))}
        left_out = np.zeros(rows, dtype=np.bool_)
        if self.options.small == "fill":
            facts["moved"] = self._adjust(ground, centers, rng, terms)
        elif self.options.leaves_out:
            is_small = falling_short(problem, centers.group_of)[centers.group_of]
            left_out = leave_out(problem, np.where(is_small, centers.group_of, -1), terms.most_left_out)
            facts["left_out"] = int(left_out.sum())
        group_of, facts["unified"] = finish(problem, centers.group_of, left_out)
        return Grouping(group_of, facts, left_out=left_out)

    def _adjust(self, ground: Ground, centers: Centers, rng: np.random.Generator, terms: Terms) -> int:
        """Take rows out of clusters beyond k and give them to those below k, then to any; say how many."""
        from kanon_cli.kernels.centers import trim

        trim(ground, centers)
        moved = rng.permutation(np.flatnonzero(centers.group_of < 0))
        visit(ground, centers, moved, self.problem.aim.k - 1, lambda _done: terms.progress(1.0, "adjusting"))
        return len(moved)
