"""What the domain of a column gives the kernels, whatever the measure is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from kanon_cli.measures.base import Footprint
from kanon_cli.tables.domains import Domain

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]


def ranks_of(domains: Sequence[Domain]) -> npt.NDArray[np.int32]:
    """[column, row] the ranks, in the one type that kernels are compiled for."""
    return np.stack([domain.rank_of for domain in domains], dtype=np.int32)


def starts(lengths: Sequence[int]) -> IntArray:
    """Where arrays of these lengths start once they are laid end to end."""
    return np.cumsum([0, *lengths[:-1]]).astype(np.int64)


def prefix_sums(domain: Domain) -> tuple[FloatArray, FloatArray]:
    """[rank] rows before it, and the same of f * log2(f)."""
    rows = domain.rows_of.astype(np.float64)
    logs = rows * np.log2(np.maximum(rows, 1.0))  # a leaf that the data doesn't have weighs nothing
    return np.concatenate([[0.0], np.cumsum(rows)]), np.concatenate([[0.0], np.cumsum(logs)])


def line_positions(domain: Domain, scale: float, by_rank: bool) -> npt.NDArray[np.int32]:
    """[rank] places on a line of length `scale`; the missing value lies a whole length beyond the end."""
    position = domain.position
    if position is None or not len(position):
        return np.zeros(domain.ranks, dtype=np.int32)
    span = float(position[-1] - position[0])
    if by_rank:
        position, span = np.arange(len(position), dtype=np.float64), float(max(domain.ranks - 1, 1))
    places = np.rint((position - position[0]) / span * scale) if span > 0 else np.zeros(len(position))
    if domain.has_missing:
        places = np.append(places, places[-1] + np.rint(scale))
    return places.astype(np.int32)


def joint_levels(domain: Domain) -> npt.NDArray[np.int32]:
    """A sparse table of least joining nodes: level l, rank i covers the leaves i .. i + 2 ** l."""
    tree = domain.tree
    if tree is None or tree.size < 2:
        return np.zeros(domain.ranks, dtype=np.int32)
    level = np.append(tree.joint, 0).astype(np.int32)
    levels = [level]
    reach = 1
    while 2 * reach < tree.size:
        level = level.copy()
        level[:-reach] = np.minimum(level[:-reach], level[reach:])
        levels.append(level)
        reach *= 2
    return np.concatenate(levels)


def node_footprint(domain: Domain) -> Footprint:
    """What each node of a column's tree covers."""
    tree = domain.tree
    if tree is None:
        raise ValueError("a line has no nodes")
    mass, mass_log = prefix_sums(domain)
    return Footprint(
        leaves=tree.last - tree.first + 1,
        height=tree.height,
        depth=tree.depth,
        nearest=tree.nearest,
        width=_node_widths(domain),
        mass=mass[tree.last + 1] - mass[tree.first],
        mass_log=mass_log[tree.last + 1] - mass_log[tree.first],
        all_leaves=tree.size,
        all_height=int(tree.height[0]),
        all_rows=int(domain.rows_of.sum()),
    )


def _node_widths(domain: Domain) -> FloatArray | None:
    """The share of the range that each node of a numeric or date tree covers; None for categories."""
    tree, position = domain.tree, domain.position
    if tree is None or position is None:
        return None
    least, most = float(position[0]), float(position[-1])
    widths = np.zeros(len(tree.label))
    for node, label in enumerate(tree.label):
        if label in domain.node_bounds and not tree.is_leaf(node) and most > least:
            low, high = map(float, domain.node_bounds[label])
            widths[node] = max(min(high, most) - max(low, least), 0.0) / (most - least)
    widths[0] = 1.0
    return widths
