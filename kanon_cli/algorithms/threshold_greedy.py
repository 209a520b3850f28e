"""Greedy clustering up to a threshold."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from kanon_cli.algorithms.base import Algorithm, Grouping, Terms
from kanon_cli.algorithms.growing import Growing
from kanon_cli.algorithms.starts import best_of
from kanon_cli.problem import Problem


class ThresholdGreedy(Algorithm):
    """Grows clusters from random seeds as long as they lose less than a threshold, and dissolves the small ones.

    A cluster starts with a random record and takes the record that costs least in it, again and again, until its loss
    would exceed the threshold: clusters in dense parts of the table get many records. Clusters that end with fewer than
    k are dissolved, and their records go, in random order, to the cluster whose cost rises least.

    Details: `small: suppress` leaves the records of dissolved clusters out, those of the smallest first and each
    cluster as a whole, as far as `privacy.suppression` allows and the others can still keep what is promised; fewer
    than k that are left at the end count as the last cluster.
    Guarantee: every group has k rows, because smaller clusters are dissolved; if none gets there, single rows are
    unified until all do. With promises about sensitive values, a record joins only where the cluster, judged as one of
    k rows at the least, gets no further from its promise; clusters that end short of it are dissolved, too, and groups
    that still fall short at the end are unified with the cheapest group that makes them whole.
    Cost: O(r n^2) time at the most, less the higher the threshold; O(r n) memory.
    Choose: where outliers spoil the groups and may be left out (`small: suppress`); try several thresholds, as the best
    depends on the table and on k. Otherwise `k-member` loses less.
    Source: Loukides and Shao 2007, as section 2.2 of Lin and Wei 2008 describes it.
    Departs: the records of dissolved clusters are handed out (there they are deleted, as by `small: suppress`, where
    `privacy.suppression` has to be large: with all of them deleted, 17 % of Adult's rows at k = 10 are left out, and
    the mean il is 0.246). They are not offered to later seeds, as deleted ones are not, either. The diversity of a
    cluster is what it costs by the measure that is minimised, and the threshold is a mean over its cells. A record that
    would cross it stays out (there, records join until the threshold is exceeded, so the one that crosses it is in). Of
    records that cost the same, the first in the table sorted by quasi-identifiers is taken. No source gives a
    threshold: on Adult's 45,222 rows at k = 10 the mean il is 0.162, 0.174 and 0.251 with 0.05, 0.1 and 0.25, and at
    k = 50 it is 0.401, 0.391 and 0.322.
    """

    name: ClassVar[str] = "threshold-greedy"
    randomized: ClassVar[bool] = True
    shardable: ClassVar[bool] = True
    memory: ClassVar[str] = "O(r n)"

    threshold: float = Field(
        default=0.1,
        ge=0,
        le=1000,
        allow_inf_nan=False,
        description="the mean loss of a cell beyond which a cluster does not grow",
    )
    small: Literal["hand-out", "suppress"] = Field(
        default="hand-out",
        description="the records of dissolved clusters: each given to the cluster that is best for it, or left out, "
        "those of the smallest clusters first, as far as privacy.suppression allows",
    )
    restarts: int = Field(default=1, ge=1, description="random starts, of which the best result is kept")

    @property
    def leaves_out(self) -> bool:
        """Whether the records of dissolved clusters are left out."""
        return self.small == "suppress"

    def partition(self, problem: Problem, terms: Terms) -> Grouping:
        """Grow clusters up to the threshold and hand out what is in none."""
        from kanon_cli.kernels import greedy

        most = round(self.threshold * int(problem.costs.unit) * len(problem.rank_of))
        rule = greedy.Rule(greedy.RANDOM, problem.rows, most, 0)
        found = best_of(self.restarts, problem, terms, Growing(problem, rule, None, self.leaves_out).run)
        if found.facts["left_over"] + found.facts.get("left_out", 0) == problem.rows:
            terms.warn(f"no cluster of {self.name} reached k rows that keep what is promised: raise `threshold`")
        return found
