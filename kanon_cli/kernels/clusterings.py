"""Clusters of all rows: their members side by side in one order of the rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kanon_cli.kernels.boxes import FORM, FULL, RANKS, box_price
from kanon_cli.kernels.costs import LINE
from kanon_cli.kernels.jit import kernel
from kanon_cli.kernels.pools import ABOVE, BELOW

KEY_LIMIT = np.int64(1) << np.int64(62)


class Clustering(NamedTuple):
    """All clusters: each has its rows side by side in an order of all rows, from first[c] to first[c] + size[c]."""

    first: npt.NDArray[np.int64]  # [cluster]
    size: npt.NDArray[np.int64]  # [cluster]
    price: npt.NDArray[np.int64]  # [cluster] of one row
    lo: npt.NDArray[np.int32]  # [cluster, column] coordinates
    hi: npt.NDArray[np.int32]  # [cluster, column]


class Layout(NamedTuple):
    """All rows in the order of their clusters, with all that a round looks at: a cluster's rows lie together."""

    row: npt.NDArray[np.int64]  # [position] its number in the table
    coordinate: npt.NDArray[np.int32]  # [position, column]
    code: npt.NDArray[np.int32]  # [secret, position]


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


def no_clustering(clusters: int, columns: int) -> Clustering:
    """Make the arrays for so many clusters, all of size 0."""
    first, size, price = (np.zeros(clusters, dtype=np.int64) for _ in range(3))
    lo, hi = (np.zeros((clusters, columns), dtype=np.int32) for _ in range(2))
    return Clustering(first, size, price, lo, hi)


def describe(group_of: npt.NDArray[np.int32], ground: Ground) -> tuple[Clustering, npt.NDArray[np.int64]]:
    """Lay out the clusters of a grouping, and the order of all rows that belongs to it."""
    clustering = no_clustering(int(group_of.max()) + 1, ground.coordinate.shape[1])
    order = np.argsort(group_of, kind="stable")
    clustering.size[:] = np.bincount(group_of)
    clustering.first[1:] = np.cumsum(clustering.size)[:-1]
    enclose(clustering, order, ground)
    return clustering, order


def lay(order: npt.NDArray[np.int64], ground: Ground) -> Layout:
    """Lay the rows out in an order."""
    return Layout(order.copy(), ground.coordinate.take(order, axis=0), ground.secret_of.take(order, axis=1))


@kernel
def enclose(clustering, order, ground):
    """Work out what clusters cover, by their rows in the order, and what that costs."""
    coordinate, how, whole, mass, scale = ground.coordinate, ground.how, ground.whole, ground.mass, ground.scale
    for c in range(len(clustering.size)):
        for column in range(coordinate.shape[1]):
            lo, hi = ABOVE, BELOW
            for place in range(clustering.first[c], clustering.first[c] + clustering.size[c]):
                lo = min(lo, coordinate[order[place], column])
                hi = max(hi, coordinate[order[place], column])
            clustering.lo[c, column], clustering.hi[c, column] = lo, hi
            clustering.price[c] += box_price(how, whole, mass, scale, column, lo, hi)


@kernel
def sort_keys(clustering, ground, columns, steps):
    """Return a number for each cluster that sorts them by closure, in this order of columns.

    A column in which a cluster covers half of what there is says nothing of it. One with steps[column] > 0 says in
    which of so many equal parts the middle is, and no more.
    """
    how, whole, mass, scale = ground.how, ground.whole, ground.mass, ground.scale
    keys = np.zeros(len(clustering.size), dtype=np.int64)
    reach = np.int64(1)
    for column in columns:
        full, ends = how[column, FULL], how[column, RANKS]
        if how[column, FORM] == LINE:
            ends = full + 1
        parts = steps[column] if steps[column] > 0 else ends
        if parts >= KEY_LIMIT // reach:
            break
        reach *= parts + 1
        for c in range(len(keys)):
            lo, hi = clustering.lo[c, column], clustering.hi[c, column]
            middle = (np.int64(lo) + np.int64(hi)) // 2
            if steps[column] > 0:
                middle = min(middle * parts // ends, parts - 1)
            elif 2 * box_price(how, whole, mass, scale, column, lo, hi) >= full and lo != hi:
                middle = np.int64(-1)
            keys[c] = keys[c] * (parts + 1) + middle + 1
    return keys
