"""From domains, a measure and models to a problem: the only place where meaning becomes numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from kanon_cli.aiming import aim_of
from kanon_cli.measures.base import CellMeasure
from kanon_cli.models.base import Model
from kanon_cli.private import mean_costs, price_exactly, secrets_of
from kanon_cli.problem import Problem
from kanon_cli.shapes import joint_levels, line_positions, node_footprint, prefix_sums, ranks_of, starts
from kanon_cli.tables.columns import TextColumn
from kanon_cli.tables.domains import Domain
from kanon_cli.tables.kinds import Meaning

if TYPE_CHECKING:
    from kanon_cli.kernels.costs import Costs

FloatArray = npt.NDArray[np.float64]

TABLE_RANKS = 512  # trees and curves up to here have every interval's price tabulated (1 MB a column) ...
TABLE_CELLS = 1 << 23  # ... as long as all tables together stay below this (32 MB)


def encode(
    domains: Mapping[str, Domain],
    secrets: Mapping[str, TextColumn],
    measure: CellMeasure,
    models: Sequence[Model],
    meanings: Mapping[str, Meaning] = MappingProxyType({}),
    unit: TextColumn | None = None,
    kept: bool = False,
) -> Problem:
    """Build the problem: ranks by column, the price of every interval, and what a group has to keep.

    `meanings` says what sensitive values are, where they are not just names; `unit` whose row each is. Where a row's
    loss depends on the row, cells cost the mean over the rows that they cover; with `kept` they cost what is exact,
    also if they are kept.
    """
    ordered = list(domains.values())
    costs = price_columns(ordered, measure, kept)
    exact = None
    if measure.by_secret or (measure.by_rows and not kept):
        secret_of = secrets_of(secrets if measure.by_secret else {}, len(ordered[0].rank_of))
        exact_costs = costs if kept else price_columns(ordered, measure, kept=True)
        exact = price_exactly(ordered, measure.mi_share, secret_of, exact_costs)
        if measure.by_secret and not kept:
            costs = mean_costs(ordered, measure.mi_share, secret_of, costs)
    return Problem(
        rank_of=ranks_of(ordered),
        costs=costs,
        aim=aim_of(models, secrets, len(ordered[0].rank_of), meanings, unit),
        label_of=codes_of(next(iter(secrets.values()))) if secrets else np.empty(0, dtype=np.int32),
        unit_of=units_of(unit),
        exact=exact,
    )


def units_of(unit: TextColumn | None) -> npt.NDArray[np.int32]:
    """[row] whose it is; nothing, where nobody has two rows."""
    return np.empty(0, dtype=np.int32) if unit is None or len(unit.text) == unit.rows else codes_of(unit)


def codes_of(column: TextColumn) -> npt.NDArray[np.int32]:
    """[row] the code of its value; a missing value has the last."""
    return np.where(column.code_of < 0, len(column.text), column.code_of).astype(np.int32)


@dataclass(frozen=True)
class _Prices:
    """The numbers of one column, before they are laid beside those of the others."""

    form: int
    full: int
    joint: npt.NDArray[np.int32] = field(default_factory=lambda: np.empty(0, dtype=np.int32))
    node_price: npt.NDArray[np.int32] = field(default_factory=lambda: np.empty(0, dtype=np.int32))
    position: npt.NDArray[np.int32] = field(default_factory=lambda: np.empty(0, dtype=np.int32))
    mass: FloatArray = field(default_factory=lambda: np.empty(0))
    mass_log: FloatArray = field(default_factory=lambda: np.empty(0))
    leaf: npt.NDArray[np.int32] | None = None  # None: zeros


def price_columns(domains: Sequence[Domain], measure: CellMeasure, kept: bool) -> Costs:
    """Say what each interval of ranks costs in each column, weights brought to a mean of 1."""
    by_rows = kept and measure.by_rows
    from kanon_cli.kernels import costs as kernels

    weights = np.array([domain.kind.weight for domain in domains], dtype=np.float64)
    weights /= weights.mean()
    most = float(weights @ [_most(domain, measure, by_rows) for domain in domains])  # what a suppressed row loses
    unit = kernels.FINEST_UNIT
    while unit > 1 and most * unit > kernels.ROW_LIMIT:
        unit >>= 1
    scales = weights * unit
    prices = [
        _price_rows(domain, scale) if by_rows else _price(domain, measure, scale)
        for domain, scale in zip(domains, scales, strict=True)
    ]
    ranks = np.array([domain.ranks for domain in domains], dtype=np.int64)
    costs = kernels.Costs(
        unit=np.int64(unit),
        form=np.array([column.form for column in prices], dtype=np.int64),
        ranks=ranks,
        is_tree=np.array([domain.tree is not None for domain in domains]),
        has_missing=np.array([domain.has_missing for domain in domains]),
        full=np.array([column.full for column in prices], dtype=np.int64),
        table=np.empty(0, dtype=np.int32),
        table_at=np.zeros(len(domains), dtype=np.int64),
        joint=np.concatenate([column.joint for column in prices]),
        joint_at=starts([len(column.joint) for column in prices]),
        node_price=np.concatenate([column.node_price for column in prices]),
        node_at=starts([len(column.node_price) for column in prices]),
        position=np.concatenate([column.position for column in prices]),
        position_at=starts([len(column.position) for column in prices]),
        mass=np.concatenate([column.mass for column in prices]),
        mass_log=np.concatenate([column.mass_log for column in prices]),
        mass_at=starts([len(column.mass) for column in prices]),
        leaf=_leaf_prices(prices, domains),
        leaf_at=starts(ranks.tolist()),
        scale=scales,
        level_of=np.array([0, *(d.bit_length() - 1 for d in range(1, int(ranks.max()) + 1))], dtype=np.int32),
    )
    return _tabulate(costs)


def _leaf_prices(prices: Sequence[_Prices], domains: Sequence[Domain]) -> npt.NDArray[np.int32]:
    """[leaf_at[column] + rank] what a cell costs that is kept."""
    kept = [
        np.zeros(domain.ranks, dtype=np.int32) if column.leaf is None else column.leaf
        for column, domain in zip(prices, domains, strict=True)
    ]
    return np.concatenate(kept).astype(np.int32)


def _tabulate(costs: Costs) -> Costs:
    """Replace the formulas of columns with few ranks by tables."""
    from kanon_cli.kernels import costs as kernels

    cells = np.where(np.isin(costs.form, (kernels.TREE, kernels.CURVE)), costs.ranks**2, 0)
    by_size = np.argsort(cells, kind="stable")
    small = np.empty(len(cells), dtype=np.bool_)
    small[by_size] = np.cumsum(cells[by_size]) <= TABLE_CELLS
    small &= (cells > 0) & (costs.ranks <= TABLE_RANKS)
    lengths = np.where(small, cells, 0)
    table_at = starts(lengths.tolist())
    table = np.zeros(int(lengths.sum()), dtype=np.int32)
    for column in np.flatnonzero(small).tolist():
        kernels.tabulate(costs, column, table[table_at[column] : table_at[column] + lengths[column]])
    return costs._replace(form=np.where(small, kernels.TABLE, costs.form), table=table, table_at=table_at)


def _price(domain: Domain, measure: CellMeasure, scale: float) -> _Prices:
    """Price one column: nodes of a tree, or intervals of a line by width or by entropy."""
    from kanon_cli.kernels import costs as kernels

    if domain.tree is not None:
        node_price = np.rint(measure.price(node_footprint(domain)) * scale).astype(np.int32)
        form = kernels.FLAT if domain.tree.height[0] == 1 else kernels.TREE
        return _Prices(form, int(node_price[0]), joint=joint_levels(domain), node_price=node_price)
    if measure.line == "entropy":
        mass, mass_log = prefix_sums(domain)
        return _Prices(kernels.CURVE, round(_most(domain, measure, False) * scale), mass=mass, mass_log=mass_log)
    return _Prices(kernels.LINE, int(np.rint(scale)), position=line_positions(domain, scale, measure.by_rank))


def _price_rows(domain: Domain, scale: float) -> _Prices:
    """Price what a cell covers by the logarithm of its rows, also if it is kept: only the difference is a loss.

    In a tree the least price of a kept cell is taken off all prices, which keeps them small.
    """
    from kanon_cli.kernels import costs as kernels

    if domain.ranks == 1:
        return _Prices(kernels.TREE if domain.tree is not None else kernels.CURVE, 0)
    rows = np.log2(np.maximum(domain.rows_of, 1).astype(np.float64)) * scale
    full = math.log2(int(domain.rows_of.sum())) * scale
    if domain.tree is None:
        mass, _ = prefix_sums(domain)
        leaf = np.rint(rows).astype(np.int32)
        return _Prices(kernels.CURVE, round(full), mass=mass, mass_log=np.zeros_like(mass), leaf=leaf)
    least = rows[domain.rows_of > 0].min()
    mass = node_footprint(domain).mass
    node_price = np.rint(np.maximum(np.log2(np.maximum(mass, 1.0)) * scale - least, 0.0)).astype(np.int32)
    leaf = np.rint(np.maximum(rows - least, 0.0)).astype(np.int32)
    return _Prices(kernels.TREE, int(node_price[0]), joint=joint_levels(domain), node_price=node_price, leaf=leaf)


def _most(domain: Domain, measure: CellMeasure, by_rows: bool) -> float:
    """What a suppressed cell costs at the most."""
    if by_rows:
        return math.log2(max(int(domain.rows_of.sum()), 2))
    if domain.tree is not None:
        return float(measure.price(node_footprint(domain))[0])
    if measure.line == "entropy":
        mass, mass_log = prefix_sums(domain)
        return max(float(np.log2(mass[-1]) - mass_log[-1] / mass[-1]), 0.0)
    return 1.0
