"""Clusters that records move between: their closures, their prices and who is in them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kanon_cli.kernels.costs import price_all
from kanon_cli.kernels.jit import kernel
from kanon_cli.kernels.promise import shortfall


class Aim(NamedTuple):
    """What a finished cluster has to keep."""

    k: int
    secret_of: npt.NDArray[np.int32]  # [secret, row]
    values: npt.NDArray[np.int64]  # [secret] codes, missing included
    cap: npt.NDArray[np.int64]  # [secret, 2]


class Clusters(NamedTuple):
    """The state of a clustering; a cluster of size 0 is gone. Members hang in doubly linked lists."""

    group_of: npt.NDArray[np.int32]  # [row]
    lo: npt.NDArray[np.int32]  # [column, cluster]
    hi: npt.NDArray[np.int32]  # [column, cluster]
    size: npt.NDArray[np.int64]  # [cluster]
    price: npt.NDArray[np.int64]  # [cluster] of one row
    head: npt.NDArray[np.int64]  # [cluster] its first member, -1 if none
    after: npt.NDArray[np.int64]  # [row] the next member, -1 at the end
    before: npt.NDArray[np.int64]  # [row] the member before, -1 at the head
    counts: npt.NDArray[np.int64]  # scratch: [code]


def empty(columns: int, rows: int, clusters: int, codes: int, group_of: npt.NDArray[np.int32]) -> Clusters:
    """Make the arrays; `fill` puts the rows into them."""
    return Clusters(
        group_of=group_of,
        lo=np.zeros((columns, clusters), dtype=np.int32),  # valid ranks: empty clusters are priced too, and ignored
        hi=np.zeros((columns, clusters), dtype=np.int32),
        size=np.zeros(clusters, dtype=np.int64),
        price=np.zeros(clusters, dtype=np.int64),
        head=np.full(clusters, -1, dtype=np.int64),
        after=np.full(rows, -1, dtype=np.int64),
        before=np.full(rows, -1, dtype=np.int64),
        counts=np.zeros(codes, dtype=np.int64),
    )


@kernel
def link(clusters, row, c):
    """Hang a row into a cluster's list and widen its closure; its price is left to the caller."""
    head = clusters.head[c]
    clusters.after[row] = head
    clusters.before[row] = -1
    if head >= 0:
        clusters.before[head] = row
    clusters.head[c] = row
    clusters.group_of[row] = c
    clusters.size[c] += 1


@kernel
def unlink(clusters, row):
    """Take a row out of its cluster's list; closure and price are left to the caller."""
    c = clusters.group_of[row]
    before, after = clusters.before[row], clusters.after[row]
    if before >= 0:
        clusters.after[before] = after
    else:
        clusters.head[c] = after
    if after >= 0:
        clusters.before[after] = before
    clusters.size[c] -= 1


@kernel
def close_without(clusters, rank_of, c, left_out, lo, hi):
    """Write the closure of a cluster without one of its rows (-1: of all of it) into lo and hi."""
    for column in range(rank_of.shape[0]):
        low, high = clusters.lo[column, c], clusters.hi[column, c]
        rank = rank_of[column, left_out] if left_out >= 0 else low
        if left_out >= 0 and low < rank < high:
            lo[column], hi[column] = low, high
            continue
        new_lo, new_hi = np.int32(2147483647), np.int32(-1)
        row = clusters.head[c]
        while row >= 0:
            if row != left_out:
                rank = rank_of[column, row]
                new_lo = min(new_lo, rank)
                new_hi = max(new_hi, rank)
            row = clusters.after[row]
        lo[column], hi[column] = new_lo, new_hi


@kernel
def fill(clusters, rank_of, costs):
    """Build lists, closures and prices from group_of."""
    columns, rows = rank_of.shape
    lo = np.empty(columns, dtype=np.int64)
    hi = np.empty(columns, dtype=np.int64)
    for row in range(rows - 1, -1, -1):
        link(clusters, row, clusters.group_of[row])
    for c in range(len(clusters.size)):
        if clusters.size[c] > 0:
            close_without(clusters, rank_of, c, -1, lo, hi)
            for column in range(columns):
                clusters.lo[column, c] = lo[column]
                clusters.hi[column, c] = hi[column]
            clusters.price[c] = price_all(costs, lo, hi)


@kernel
def shortfall_of(clusters, aim, c, other, row, sign):
    """Return the shortfall of cluster c with cluster `other` (-1: none) and a row added (sign 1) or taken (-1)."""
    total = np.int64(0)
    counts = clusters.counts
    for secret in range(len(aim.values)):
        counts[: aim.values[secret]] = 0
        size = np.int64(sign)
        if sign != 0:
            counts[aim.secret_of[secret, row]] += sign
        for part in range(2):
            cluster = c if part == 0 else other
            member = clusters.head[cluster] if cluster >= 0 else np.int64(-1)
            while member >= 0:
                counts[aim.secret_of[secret, member]] += 1
                size += 1
                member = clusters.after[member]
        total += shortfall(counts, aim.values[secret], size, aim.cap[secret])
    return total


@kernel
def shortfalls(clusters, aim):
    """Return the shortfall of every cluster."""
    result = np.zeros(len(clusters.size), dtype=np.int64)
    if len(aim.values) > 0:
        for c in range(len(clusters.size)):
            if clusters.size[c] > 0:
                result[c] = shortfall_of(clusters, aim, c, -1, 0, 0)
    return result
