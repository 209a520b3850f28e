"""Several random starts, of which the best result is kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from kanon_cli.algorithms.base import BoolArray, GroupArray, Grouping, Terms
from kanon_cli.problem import Problem

Run = Callable[[np.random.Generator, Terms], Grouping]


def best_of(restarts: int, problem: Problem, terms: Terms, run: Run) -> Grouping:
    """Run so many times, one random generator for all, and keep the grouping that costs least, the first of several."""
    rng = np.random.default_rng(terms.seed)
    if restarts == 1:
        return run(rng, terms)
    found = []
    for at in range(restarts):

        def progress(done: float, note: str, at: int = at) -> None:
            terms.progress((at + done) / restarts, f"start {at + 1} of {restarts}, {note}")

        found.append(run(rng, replace(terms, progress=progress)))
    best = min(found, key=lambda grouping: cost_of(problem, grouping.group_of, grouping.left_out))
    return replace(best, facts={**best.facts, "starts": restarts})


def cost_of(problem: Problem, group_of: GroupArray, left_out: BoolArray | None = None) -> int:
    """What the rows of all groups cost together; one that is left out costs as much as one that says nothing."""
    from kanon_cli.kernels.clusters import gather
    from kanon_cli.kernels.layers import lay

    layers = lay(problem.costs, problem.rank_of)
    closures = gather(layers, problem.costs, problem.aim, group_of, int(group_of.max()) + 1).closures
    price = closures.price.copy()
    if left_out is not None and left_out.any():
        price[group_of[left_out]] = problem.costs.full.sum()
    return int((price * closures.size).sum())


def costs_of(problem: Problem, group_of: GroupArray) -> npt.NDArray[np.int64]:
    """[group] what its rows cost together: exactly, where the costs that most searches know are only means."""
    from kanon_cli.kernels.clusters import gather
    from kanon_cli.kernels.layers import EVERY_DEPTH, lay
    from kanon_cli.kernels.secrets import total_cost

    exact, groups = problem.exact, int(group_of.max()) + 1
    if exact is None:
        closures = gather(lay(problem.costs, problem.rank_of), problem.costs, problem.aim, group_of, groups).closures
        return closures.price.astype(np.int64) * closures.size
    layers = lay(exact.costs, problem.rank_of, EVERY_DEPTH)
    clusters = gather(layers, exact.costs, problem.aim, group_of, groups)
    total_cost(clusters, layers, exact.tariffs)  # which notes it by cluster
    return clusters.closures.spent
