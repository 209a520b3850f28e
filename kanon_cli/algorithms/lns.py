"""Large neighbourhood search."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from kanon_cli.algorithms.base import Algorithm, Grouping, Terms
from kanon_cli.algorithms.courses import Course
from kanon_cli.algorithms.grounds import sorted_rows
from kanon_cli.algorithms.searching import Search
from kanon_cli.kernels.repeats import spare_rows
from kanon_cli.problem import Problem

IntArray = npt.NDArray[np.int64]


class Lns(Algorithm):
    """Dissolves a few neighbouring clusters and rebuilds them, again and again, keeping what costs less or little more.

    Details: the start cuts the sorted table into chunks, clustered greedily: a random record and the k - 1 that
    cost least together with it, one after the other. Only three quarters of the clusters that there could be are
    made, and every other record joins the cluster where it costs least, so that there is slack. Where a promise
    about sensitive values leaves open how large clusters should be, several sizes are tried, each twice the one
    before, until a start costs more; the smallest that costs at most 15 % more than the cheapest is taken. Where
    all rows would be one cluster, the table is cut as `mondrian` does. Then round after round the clusters are
    sorted by the values that they have in common, one column after the other in a random order (where k is all that
    is promised, those of few values first more often), and cut into wards of 96. An eighth of the work is shared
    out to wards by their rows, the rest by what those cost; wards with little to do take turns. In a ward a
    cluster, the costliest of six that are drawn, and the two that are nearest to it are dissolved and rebuilt in
    the same way, into as many as there can be or now and then one less; records move out of clusters larger than k
    while that saves something; and the result is kept if it costs little more: in the first half of the search up
    to 19 % over the root of k (times what the start does not lose of all that there is to lose), then less and
    less, at last nothing. Where k is all that is promised, every other rebuilt cluster is the cheaper one of two
    random seeds, and once in ten times a cluster and the eight nearest are trimmed instead: the few records that
    keep one wide in a column go where they cost least, others come from larger clusters in their place, and what
    costs no more, or little more while it is hot, is kept. Rebuilt clusters that cost up to a tenth more than
    before are trimmed as well, unless every column costs all or nothing. Wards know nothing of each other and draw
    their own random numbers, so that any number of threads gives the same groups. Where k is all that is promised,
    in tables of up to 131,072 records and where there is time (an effort of 56 in up to 8,192 records, or if the
    start loses a fifth of all that there is to lose, of 896 if a tenth, else of 1,792), two short searches make a
    beginning, and what they found is recombined: step by step, each record pays more for its cells while no box
    around a cluster met so far wants it at that, and less while several do; where there is time, boxes become wider
    or narrower, column by column, as long as that makes them worth more. Then k records of a box become a cluster
    for good, and so on with a few boxes at a time, those first that were worth something most often, and each time
    what the others pay is settled anew and boxes are reshaped for them. From there the search goes on at three
    fifths of the heat, and what it finds is recombined, too, again and again, each time for up to twice as long.

    Guarantee: every group has k rows and keeps its caps, because no rebuilding is kept that breaks a promise, and at
    the start clusters that fall short are united until none does. How much work there is time for is told from the
    first half of the search, or from about its first fifteenth where clusters are recombined, and that work is done.
    Cost: O(r n) time for each unit of `effort`, which is about one look at each record; O(r n) memory.
    Choose: nearly always. It loses least of all that group rows, in tables of any size, the less the longer it works.
    Source: kanon's own; ruin and recreate after Schrimpf et al. 2000, with the greedy k-member clustering of Byun et
    al. 2007 to recreate; to recombine, the multipliers of Lagrangian relaxation (Held and Karp 1971), and dives with
    column generation (Sadykov et al. 2019).
    """

    name: ClassVar[str] = "lns"
    randomized: ClassVar[bool] = True
    shardable: ClassVar[bool] = True
    anytime: ClassVar[bool] = True
    searches: ClassVar[bool] = True
    memory: ClassVar[str] = "O(r n)"

    def partition(self, problem: Problem, terms: Terms) -> Grouping:
        """Start, and go round after round until the effort is spent or the time is up."""
        order = sorted_rows(problem)
        if len(problem.aim.values):
            return self._search(problem, terms, order, problem.rows)
        spared, run = spare_rows(problem.rank_of, order, problem.aim.k)
        if not spared.any():
            return self._search(problem, terms, order, problem.rows)
        rows = np.sort(order[~spared])  # the others are as good as they can be: groups of identical rows
        found = self._search(problem.part(rows), terms, np.searchsorted(rows, order[~spared]), problem.rows)
        group_of = np.empty(problem.rows, dtype=np.int32)
        group_of[rows] = found.group_of
        group_of[order[spared]] = found.groups + np.unique(run[spared], return_inverse=True)[1]
        return Grouping(group_of, {**found.facts, "spared": int(spared.sum())}, found.losses)

    def _search(self, problem: Problem, terms: Terms, order: IntArray, all_rows: int) -> Grouping:
        with ThreadPoolExecutor(terms.threads) as pool:
            search = Search(problem, terms, pool, order, all_rows)
            search.start()
            facts = Course(search).follow()
        return Grouping(search.group_of(), facts, search.losses)
