"""What algorithms share that put rows into the closest cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from kanon_cli.problem import Problem

if TYPE_CHECKING:
    from kanon_cli.kernels.centers import Centers, Ground

CodeArray = npt.NDArray[np.int32]
RowArray = npt.NDArray[np.int64]

VISITS = 1 << 25  # row-cluster visits between two looks at the outside world: some hundredths of a second


def sorted_rows(problem: Problem, label_of: CodeArray | None = None) -> tuple[RowArray, RowArray]:
    """The rows by quasi-identifiers, first column first, and where in that order rows differ from those before."""
    keys = [*problem.rank_of, *problem.aim.secret_of, *([] if label_of is None else [label_of])]
    order = np.lexsort(keys[::-1])
    is_new = np.zeros(problem.rows, dtype=np.bool_)
    is_new[0] = True
    for key in keys:
        is_new[1:] |= key[order[1:]] != key[order[:-1]]
    return order, np.flatnonzero(is_new)


def combine(problem: Problem) -> CodeArray:
    """[row] the number of its combination of sensitive values."""
    combined = np.zeros(problem.rows, dtype=np.int64)
    for codes in problem.aim.secret_of:
        combined = np.unique(combined * (int(codes.max()) + 1) + codes, return_inverse=True)[1]
    return combined.astype(np.int32)


def ground_of(problem: Problem, distance: int) -> Ground:
    """What the kernels know of a problem."""
    from kanon_cli.kernels.boxes import coordinates, tariff
    from kanon_cli.kernels.centers import Ground
    from kanon_cli.kernels.costs import LINE

    costs = problem.costs
    missing_at = np.full(len(costs.form), -1, dtype=np.int64)
    for column in np.flatnonzero(costs.has_missing & (costs.form == LINE)):
        missing_at[column] = costs.position[costs.position_at[column] + costs.ranks[column] - 1]
    return Ground(
        coordinates(costs, problem.rank_of),
        missing_at,
        *tariff(costs),
        problem.aim,
        combine(problem),
        distance,
    )


def steps(rows: int, clusters: int, tell: Callable[[float], None]) -> Iterator[slice]:
    """Pieces of work on so many rows, each with all clusters, with word between them of how much is done.

    There is one at the least, so that eight rows are enough to compile what more rows need.
    """
    step = max(VISITS // clusters, 1)
    for first in range(0, max(rows, 1), step):
        tell(first / max(rows, 1))
        yield slice(first, first + step)


def visit(ground: Ground, centers: Centers, rows: RowArray, largest: int, tell: Callable[[float], None]) -> None:
    """Put rows into the closest cluster, one after the other; see `assign`."""
    from kanon_cli.kernels.centers import assign

    for part in steps(len(rows), len(centers.size), tell):
        assign(ground, centers, rows[part], largest)
