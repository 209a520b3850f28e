"""What a row costs exactly, where that depends on the row and its sensitive value, and what that is in the mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from kanon_cli.errors import DataError, Mistake
from kanon_cli.problem import Exact
from kanon_cli.shapes import prefix_sums, ranks_of
from kanon_cli.tables.columns import TextColumn
from kanon_cli.tables.domains import Domain

if TYPE_CHECKING:
    from kanon_cli.kernels.costs import Costs

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

MOST_VALUES = 64  # of the sensitive column: all that is done to a cluster is done for each of them


def secrets_of(secrets: Mapping[str, TextColumn], rows: int) -> IntArray:
    """[row] its value in the first sensitive column, as a small number; 0 if there is no such column."""
    if not secrets:
        return np.zeros(rows, dtype=np.int64)
    name, column = next(iter(secrets.items()))
    values, secret_of = np.unique(column.code_of, return_inverse=True)
    if len(values) > MOST_VALUES:
        what = f"has {len(values)} different values, too many for a measure that depends on them"
        raise DataError(Mistake(what, path=name, expected=f"at most {MOST_VALUES}"))
    return secret_of.astype(np.int64)


def price_exactly(domains: Sequence[Domain], mi_share: float, secret_of: IntArray, costs: Costs) -> Exact:
    """Price log2(F(B)) - share * log2(F_s(B)) for every sensitive value s.

    It is the loss but for what depends on the row alone, and never below 0.
    """
    from kanon_cli.kernels.layers import EVERY_DEPTH, lay
    from kanon_cli.kernels.secrets import Tariffs

    share, values = 1.0 - mi_share, int(secret_of.max()) + 1
    rank_of = ranks_of(domains)
    layers = lay(costs, rank_of, EVERY_DEPTH)
    lines = layers.column_of.tolist()
    masses = [_masses(domain, secret_of, values) for domain in domains]
    alike = [_priced(costs, domains, masses, secret, share) for secret in range(values)]
    laid = [lay(found, rank_of, EVERY_DEPTH) for found in alike]
    long = [np.zeros((values + 1, 0)), *(masses[line] for line in lines)]
    tariffs = Tariffs(
        secret_of=secret_of.astype(np.int32),
        base=np.stack([found.base for found in laid]),
        rise=np.stack([found.rise for found in laid]),
        table=np.stack([found.table for found in alike]),
        full=np.stack([costs.full[lines] for _ in alike]) if not lines else _full(costs, masses, lines, share),
        missing=np.where(costs.has_missing[lines], costs.ranks[lines] - 1, -1).astype(np.int64),
        mass=np.concatenate([found[-1] for found in long]),
        mass_of=np.concatenate([found[:-1] for found in long], axis=1),
        mass_at=np.cumsum([0, *(found.shape[1] for found in long[1:])])[: len(lines)].astype(np.int64),
        scale=costs.scale[lines],
        share=np.float64(share),
    )
    return Exact(costs, tariffs, _floor(domains, costs, mi_share))


def mean_costs(domains: Sequence[Domain], mi_share: float, secret_of: IntArray, costs: Costs) -> Costs:
    """Price cells by the mean of what the rows of the table that they cover would lose: for searches.

    Kept cells cost nothing. A line of more ranks than are tabulated costs by the entropy inside an interval, brought to
    the right price of suppression.
    """
    from kanon_cli.kernels.costs import TABLE, TREE, tabulate

    full, scale, table, node_price = costs.full.copy(), costs.scale.copy(), costs.table.copy(), costs.node_price.copy()
    priced = costs._replace(form=np.where(costs.is_tree, TREE, costs.form), node_price=node_price)
    for column, domain in enumerate(domains):
        if domain.ranks == 1:
            continue
        mean = _Mean.of(domain, secret_of, 1.0 - mi_share, float(scale[column]))
        ranks, at, is_table = domain.ranks, int(costs.table_at[column]), costs.form[column] == TABLE
        most = int(mean.prices(np.array([0]), np.array([ranks]))[0])
        if domain.tree is not None:
            found = mean.prices(domain.tree.first, domain.tree.last + 1)
            node_price[costs.node_at[column] :][: len(found)] = found
            if is_table:
                tabulate(priced, column, table[at : at + ranks * ranks])
        elif is_table:
            first, end = np.arange(ranks)[:, None], np.arange(1, ranks + 1)[None]
            found = mean.prices(first, np.maximum(first + 1, end))
            if domain.has_missing:  # mixed with anything else it is suppressed
                found[:-1, -1] = most
            table[at : at + ranks * ranks] = found.ravel()
        else:
            scale[column] *= most / max(int(full[column]), 1)
        full[column] = most
    return costs._replace(full=full, scale=scale, table=table, node_price=node_price)


@dataclass(frozen=True)
class _Mean:
    """What the rows of a column lose in the mean."""

    mass: FloatArray  # [secret, rank] rows before a rank that have the secret; last, all rows
    own: FloatArray  # [rank] what the rows before it cost if their cells are kept
    share: float
    scale: float

    @classmethod
    def of(cls, domain: Domain, secret_of: IntArray, share: float, scale: float) -> _Mean:
        """Count the rows of a column."""
        mass = _masses(domain, secret_of, int(secret_of.max()) + 1)
        rows = np.diff(mass, axis=1)
        own = (rows[:-1] * _bits(rows[-1], rows[:-1], share)).sum(axis=0)
        return cls(mass, np.concatenate([[0.0], np.cumsum(own)]), share, scale)

    def prices(self, first: IntArray, end: IntArray) -> FloatArray:
        """The price of cells that cover the ranks from `first` up to `end`."""
        rows = self.mass[-1][end] - self.mass[-1][first]
        lost = self.own[first] - self.own[end]
        for alike in self.mass[:-1]:
            count = alike[end] - alike[first]
            lost += count * _bits(rows, count, self.share)
        price: FloatArray = np.rint(np.maximum(lost / np.maximum(rows, 1.0), 0.0) * self.scale)
        return price


def _masses(domain: Domain, secret_of: IntArray, values: int) -> FloatArray:
    """[secret, rank] rows before a rank that have the secret; last, all rows."""
    width = domain.ranks
    rows = np.bincount(secret_of * width + domain.rank_of, minlength=values * width).reshape(values, width)
    before = np.zeros((values + 1, width + 1))
    before[:-1, 1:] = rows.cumsum(axis=1)
    before[-1] = prefix_sums(domain)[0]
    return before


def _bits(rows: FloatArray, alike: FloatArray, share: float) -> FloatArray:
    """What a cell costs; one that no row with the secret is in is never asked for."""
    bits: FloatArray = np.log2(np.maximum(rows, 1.0)) - share * np.log2(np.maximum(alike, 1.0))
    return bits


def _priced(costs: Costs, domains: Sequence[Domain], masses: Sequence[FloatArray], secret: int, share: float) -> Costs:
    """The costs of a row with one secret: nodes, kept cells and tables of lines."""
    from kanon_cli.kernels.costs import TABLE

    node_price, leaf, table = costs.node_price.copy(), costs.leaf.copy(), costs.table.copy()
    for column, (domain, mass) in enumerate(zip(domains, masses, strict=True)):
        if domain.ranks == 1:  # it has no price, and no place for the one of its node
            continue
        alike, rows, scale = mass[secret], mass[-1], costs.scale[column]
        own = np.rint(_bits(np.diff(rows), np.diff(alike), share) * scale)
        leaf[costs.leaf_at[column] :][: domain.ranks] = own
        if domain.tree is not None:
            first, end = domain.tree.first, domain.tree.last + 1
            found = np.rint(_bits(rows[end] - rows[first], alike[end] - alike[first], share) * scale)
            node_price[costs.node_at[column] :][: len(found)] = found
        elif costs.form[column] == TABLE:
            at, ranks = int(costs.table_at[column]), domain.ranks
            spans = [np.maximum(part[None, 1:] - part[:-1, None], 0.0) for part in (rows, alike)]
            found = np.rint(_bits(spans[0], spans[1], share) * scale)
            if domain.has_missing:  # mixed with anything else it is suppressed
                found[:-1, -1] = found[0, -1]
            table[at : at + ranks * ranks] = found.ravel()
    return costs._replace(node_price=node_price, leaf=leaf, table=table)


def _full(costs: Costs, masses: Sequence[FloatArray], lines: Sequence[int], share: float) -> IntArray:
    """[secret, span] the price of suppression."""
    prices = [np.rint(_bits(masses[line][-1, -1], masses[line][:-1, -1], share) * costs.scale[line]) for line in lines]
    return np.stack(prices, axis=1).astype(np.int64)


def _floor(domains: Sequence[Domain], costs: Costs, mi_share: float) -> int:
    """The part of all costs that is the rows' own: mutual information of values that were kept."""
    total = 0
    for domain, scale in zip(domains, costs.scale, strict=True):
        if domain.ranks == 1:  # it has no price
            continue
        own = np.rint(np.log2(np.maximum(domain.rows_of, 1).astype(np.float64)) * scale * mi_share)
        total += int(own.astype(np.int64) @ domain.rows_of)
    return total
