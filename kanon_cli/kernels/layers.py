"""Columns as scans over many clusters want them: labels that are equal or not, and spans of whole numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kanon_cli.kernels.costs import FLAT, LINE, TABLE, Costs

IntArray = npt.NDArray[np.int32]

DEEPEST = 16  # trees with more levels are spans: so many labels a cluster would cost more than they save
EVERY_DEPTH = 1 << 30  # no tree is a span
NARROW_LABELS = 1 << 7  # labels that fit 8 bits


class Layers(NamedTuple):
    """All columns, row by row.

    A tree is a pile of layers, one a depth: a leaf's label there is the node that it hangs under (below its own depth:
    the leaf). What a row pays for a column is the sum of the rises of its layers in which its cluster disagrees, as
    every such layer adds the difference of the prices of a node and of the node above. Suppression is one layer.
    All other columns are spans, lowest to highest value.
    """

    base: IntArray  # [row] what keeping its cells costs in all trees; their rises come on top
    narrow: int  # so many layers have labels that fit 8 bits; they come first
    label_of: IntArray  # [row, layer]
    rise: IntArray  # [rise_at[layer] + label]
    rise_at: npt.NDArray[np.int64]  # [layer]
    least_rise: int  # 0 where a price might fall as a cluster grows
    lines: int  # so many spans cost their length; they come first ...
    quick: int  # ... and up to here those whose prices are tabulated; the price of the others is a formula
    value_of: IntArray  # [row, span] the position on a line, the rank elsewhere
    full: IntArray  # [span] the price of suppression
    column_of: npt.NDArray[np.int64]  # [span]
    table: IntArray  # of all columns
    table_at: npt.NDArray[np.int64]  # [span] the price of lo to hi is in table[table_at + lo * ranks + hi]
    ranks: npt.NDArray[np.int64]  # [span]


def lay(costs: Costs, rank_of: IntArray, deepest: int | None = None) -> Layers:
    """Sort the columns into layers and spans; a column with one rank is neither, as it never costs anything."""
    deepest = DEEPEST if deepest is None else deepest
    layers: list[tuple[IntArray, IntArray]] = []  # labels by row, rises by label
    spans: list[tuple[int, IntArray]] = []
    base = np.zeros(rank_of.shape[1], dtype=np.int32)
    for column, ranks in enumerate(costs.ranks.tolist()):
        if ranks > 1:
            found = list(_layers(costs, column, deepest))
            layers += [(label[rank_of[column]], rise) for label, rise in found]
            if found:
                base += costs.leaf[costs.leaf_at[column] :][rank_of[column]]
            else:
                spans.append((column, _values(costs, column, rank_of[column])))
    layers.sort(key=lambda layer: len(layer[1]) > NARROW_LABELS)
    spans.sort(key=lambda span: (costs.form[span[0]] != LINE, costs.form[span[0]] != TABLE))
    rows = rank_of.shape[1]
    columns = np.array([column for column, _ in spans], dtype=np.int64)
    return Layers(
        base=base,
        narrow=sum(len(rise) <= NARROW_LABELS for _, rise in layers),
        label_of=_by_row([label for label, _ in layers], rows),
        rise=np.concatenate([np.empty(0, dtype=np.int32), *(rise for _, rise in layers)]),
        rise_at=np.cumsum([0, *(len(rise) for _, rise in layers)])[:-1].astype(np.int64),
        least_rise=_least_rise([rise for _, rise in layers], costs.form[columns]),
        lines=int((costs.form[columns] == LINE).sum()),
        quick=int(np.isin(costs.form[columns], (LINE, TABLE)).sum()),
        value_of=_by_row([values for _, values in spans], rows),
        full=costs.full[columns].astype(np.int32),
        column_of=columns,
        table=costs.table,
        table_at=costs.table_at[columns],
        ranks=costs.ranks[columns],
    )


def _by_row(arrays: list[IntArray], rows: int) -> IntArray:
    """Lay arrays of all rows side by side, so that what is of one row is together in memory."""
    return np.ascontiguousarray(np.array(arrays, dtype=np.int32).reshape(len(arrays), rows).T)


def _least_rise(rises: list[IntArray], forms: npt.NDArray[np.int64]) -> int:
    """What it costs at least to disagree in a layer, if no price falls as a cluster grows: those of lines don't."""
    if not rises or (forms != LINE).any():
        return 0
    return max(min(int(rise.min()) for rise in rises), 0)


def _values(costs: Costs, column: int, rank_of: IntArray) -> IntArray:
    """Return what spans of a column are spans of."""
    if costs.form[column] != LINE:
        return rank_of
    base = costs.position_at[column]
    return costs.position[base : base + costs.ranks[column]][rank_of]


def _layers(costs: Costs, column: int, deepest: int) -> Iterator[tuple[IntArray, IntArray]]:
    """Give each layer's label by rank and rise by label; nothing, if the column has to be a span."""
    ranks, full = int(costs.ranks[column]), int(costs.full[column])
    if costs.form[column] == FLAT:
        yield np.arange(ranks, dtype=np.int32), np.full(ranks, full, dtype=np.int32)
        return
    if not costs.is_tree[column]:
        return
    joint = costs.joint[costs.joint_at[column] :][: ranks - 1]
    leaf = costs.leaf[costs.leaf_at[column] :][:ranks]
    node_price = costs.node_price[costs.node_at[column] :]
    above = np.zeros(ranks, dtype=np.int64)
    found: list[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]] = []
    while True:
        within = above[:-1] == above[1:]  # neighbours under the same node
        if not within.any():
            break
        if len(found) == deepest:
            return
        node = np.full(above[-1] + 1, len(node_price), dtype=np.int64)
        np.minimum.at(node, above[:-1][within], joint[within])
        is_leaf = node == len(node_price)
        kept = np.zeros(len(node), dtype=np.int64)
        kept[above] = leaf
        price = np.where(is_leaf, kept, node_price[np.where(is_leaf, 0, node)])
        parted = ~within | (joint == node[above[:-1]])
        label = np.concatenate([[0], np.cumsum(parted)])
        found.append((label, above, price))
        above = label
    below_prices = [price for _, _, price in found[1:]] + [leaf.astype(np.int64)]
    for (label, over, price), below in zip(found, below_prices, strict=True):
        rise = np.zeros(label[-1] + 1, dtype=np.int32)
        rise[label] = price[over] - below[label]
        yield label.astype(np.int32), rise
