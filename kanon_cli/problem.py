"""All that an algorithm sees of a table: ranks, costs and an aim; no names, no values, no files."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:  # numba is loaded only when a problem is built
    from kanon_cli.kernels.clusters import Aim
    from kanon_cli.kernels.costs import Costs
    from kanon_cli.kernels.secrets import Tariffs


@dataclass(frozen=True)
class Exact:
    """What rows cost exactly, where that depends on the row; `floor` is what no row loses."""

    costs: Costs  # of cells by their rows; the columns have the same forms in `tariffs`
    tariffs: Tariffs  # by sensitive value, or for all rows the same
    floor: int

    def part(self, rows: npt.NDArray[np.int64]) -> Exact:
        """The same for some of the rows."""
        secret_of, base = self.tariffs.secret_of[rows], self.tariffs.base.take(rows, axis=-1)
        return replace(self, tariffs=self.tariffs._replace(secret_of=secret_of, base=base))


@dataclass(frozen=True)
class Problem:
    """A table as ranks, the price of every interval of ranks, and what every group has to keep."""

    rank_of: npt.NDArray[np.int32]  # [column, row]
    costs: Costs
    aim: Aim
    label_of: npt.NDArray[np.int32] = field(  # [row] the class label, its first sensitive value; empty if there is none
        default_factory=lambda: np.empty(0, dtype=np.int32)
    )
    unit_of: npt.NDArray[np.int32] = field(  # [row] whose it is; empty if nobody knows, or nobody has two
        default_factory=lambda: np.empty(0, dtype=np.int32)
    )
    silent: tuple[int, ...] = ()  # columns in which a missing cell says nothing, as a suppressed one is missing too
    exact: Exact | None = None  # where the costs above are not all that a row's costs depend on

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return int(self.rank_of.shape[1])

    def part(self, rows: npt.NDArray[np.int64]) -> Problem:
        """The same for some of the rows, at the prices of the whole table."""
        ranks = self.rank_of.take(
            rows, axis=1
        )  # which, unlike an index, keeps the layout that kernels are compiled for
        aim = self.aim._replace(secret_of=self.aim.secret_of.take(rows, axis=1))
        labels = self.label_of[rows] if len(self.label_of) else self.label_of
        units = self.unit_of[rows] if len(self.unit_of) else self.unit_of
        exact = self.exact and self.exact.part(rows)
        return replace(self, rank_of=ranks, aim=aim, label_of=labels, unit_of=units, exact=exact)

    @property
    def floor(self) -> int:
        """What a search counts and no row loses: the prices of all cells as they were."""
        return kept_prices(self.costs, self.rank_of)


def kept_prices(costs: Costs, rank_of: npt.NDArray[np.int32]) -> int:
    """What it costs in all to keep every cell."""
    columns = zip(costs.leaf_at.tolist(), costs.ranks.tolist(), rank_of, strict=True)
    return sum(int(costs.leaf[at : at + ranks][ranked].sum(dtype=np.int64)) for at, ranks, ranked in columns)
