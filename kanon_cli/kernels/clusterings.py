"""Clusters of all rows: their members side by side in one order of the rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kanon_cli.kernels.boxes import FORM, FULL, RANKS, box_price
from kanon_cli.kernels.costs import LINE
from kanon_cli.kernels.jit import kernel
from kanon_cli.kernels.pools import ABOVE, BELOW

LINE_STEPS = 1023  # a line's positions are sorted by so many steps
KEY_LIMIT = np.int64(1) << np.int64(62)


class Clustering(NamedTuple):
    """All clusters: each has its rows side by side in an order of all rows, from first[c] to first[c] + size[c]."""

    first: npt.NDArray[np.int64]  # [cluster]
    size: npt.NDArray[np.int64]  # [cluster]
    price: npt.NDArray[np.int64]  # [cluster] of one row
    lo: npt.NDArray[np.int32]  # [cluster, column] coordinates
    hi: npt.NDArray[np.int32]  # [cluster, column]


class Ground(NamedTuple):
    """What is the same all along: the rows, what boxes cost, and what a cluster has to keep."""

    coordinate: npt.NDArray[np.int32]  # [row, column]
    secret_of: npt.NDArray[np.int32]  # [secret, row]
    how: npt.NDArray[np.int64]  # these four: see Tariff
    whole: npt.NDArray[np.int32]
    mass: npt.NDArray[np.float64]
    scale: npt.NDArray[np.float64]
    k: int  # rows that any cluster has at least
    values: npt.NDArray[np.int64]  # these two: see Aim
    cap: npt.NDArray[np.int64]


@kernel
def no_clustering(clusters, columns):
    """Make the arrays for so many clusters, all of size 0."""
    return Clustering(
        np.zeros(clusters, dtype=np.int64),
        np.zeros(clusters, dtype=np.int64),
        np.zeros(clusters, dtype=np.int64),
        np.zeros((clusters, columns), dtype=np.int32),
        np.zeros((clusters, columns), dtype=np.int32),
    )


@kernel
def describe(group_of, groups, ground):
    """Lay out the clusters of a grouping, and the order of all rows that belongs to it."""
    coordinate, how, whole, mass, scale = ground.coordinate, ground.how, ground.whole, ground.mass, ground.scale
    rows, columns = coordinate.shape
    clustering = no_clustering(groups, columns)
    for c in range(groups):
        for column in range(columns):
            clustering.lo[c, column], clustering.hi[c, column] = ABOVE, BELOW
    for row in range(rows):
        c = group_of[row]
        clustering.size[c] += 1
        for column in range(columns):
            clustering.lo[c, column] = min(clustering.lo[c, column], coordinate[row, column])
            clustering.hi[c, column] = max(clustering.hi[c, column], coordinate[row, column])
    position = np.zeros(groups, dtype=np.int64)
    for c in range(groups):
        clustering.first[c] = position[c] = 0 if c == 0 else clustering.first[c - 1] + clustering.size[c - 1]
        for column in range(columns):
            clustering.price[c] += box_price(
                how, whole, mass, scale, column, clustering.lo[c, column], clustering.hi[c, column]
            )
    order = np.empty(rows, dtype=np.int64)
    for row in range(rows):
        order[position[group_of[row]]] = row
        position[group_of[row]] += 1
    return clustering, order


@kernel
def sort_keys(clustering, ground, columns):
    """Return a number for each cluster that sorts them by closure, in this order of columns.

    A column in which a cluster covers half of what there is says nothing of it, and a line counts in steps.
    """
    how, whole, mass, scale = ground.how, ground.whole, ground.mass, ground.scale
    keys = np.zeros(len(clustering.size), dtype=np.int64)
    reach = np.int64(1)
    for column in columns:
        form, full = how[column, FORM], how[column, FULL]
        steps = np.int64(2 * LINE_STEPS + 2) if form == LINE else how[column, RANKS] + 1
        if steps > KEY_LIMIT // reach:
            break
        reach *= steps
        for c in range(len(keys)):
            lo, hi = clustering.lo[c, column], clustering.hi[c, column]
            middle = (np.int64(lo) + np.int64(hi)) // 2
            if form == LINE:
                middle = middle * LINE_STEPS // max(full, np.int64(1))
            elif 2 * box_price(how, whole, mass, scale, column, lo, hi) >= full and lo != hi:
                middle = np.int64(-1)
            keys[c] = keys[c] * steps + middle + 1
    return keys


@kernel
def rearrange(clustering, order, by, result, new_order):
    """Copy the clusters in the order `by`, and their rows with them."""
    position = np.int64(0)
    for number in range(len(by)):
        c = by[number]
        first, size = clustering.first[c], clustering.size[c]
        result.first[number], result.size[number], result.price[number] = position, size, clustering.price[c]
        for column in range(result.lo.shape[1]):
            result.lo[number, column], result.hi[number, column] = clustering.lo[c, column], clustering.hi[c, column]
        for place in range(size):
            new_order[position + place] = order[first + place]
        position += size
