"""Growing clusters and their nearest: who is near whom, and who has to look again."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from kanon_cli.kernels.clusters import NOBODY, Aim, Clusters
from kanon_cli.kernels.distances import NEVER, least_gap, write_gaps
from kanon_cli.kernels.jit import kernel, part_kernel
from kanon_cli.kernels.layers import Layers
from kanon_cli.kernels.scans import BLOCK, Closures, Question, add_slow, add_unions, ask, no_question, rows_alone

NEAREST = 8  # how many of its nearest a cluster remembers
LOST = -2  # the place of a remembered one that is gone
WASTE = 8  # places are closed up as soon as one in so many is empty
USED, GROWING, FINISHED, UNIFIED, EXPELLED = range(5)  # what is counted

IntArray = npt.NDArray[np.int32]
LongArray = npt.NDArray[np.int64]


class Growth(NamedTuple):
    """Clusters in the order in which they came to be. The distance of two is known to the one that came later.

    So a new cluster changes nothing for those before it. One that has lost its nearest waits until it is its turn:
    nothing that is left can be nearer than what it has lost.
    """

    group_of: IntArray  # [row] the number of its finished cluster, -1 before
    after: IntArray  # [row] the next in its cluster, -1 at the end
    closures: Closures
    head: IntArray  # [place] its lowest row
    tail: IntArray  # [place]
    near: IntArray  # [place, NEAREST] the places of the nearest before it, nearest first, lowest row first; NOBODY ends
    gap: LongArray  # [place, NEAREST] how near
    at: IntArray  # [place] which of them is the nearest that it knows of
    key: LongArray  # [place, 3] no pair of it and one before comes earlier: gap, then lowest rows, the higher first
    winner: IntArray  # [node] of a tournament for the least key
    question: Question
    total: IntArray  # [place in a block]
    block_gap: LongArray  # [place in a block]
    quotient: npt.NDArray[np.float64]  # the same memory
    members: IntArray  # room for the rows of a cluster
    counts: LongArray  # [secret, code]
    counted: LongArray  # [USED .. EXPELLED]


def start_growth(layers: Layers, aim: Aim) -> Growth:
    """Let every row be a cluster, in their order."""
    rows = len(layers.label_of)
    room = rows + rows // WASTE + 2
    leaves = 1 << (room - 1).bit_length()
    return Growth(
        group_of=np.full(rows, -1, dtype=np.int32),
        after=np.full(rows, -1, dtype=np.int32),
        closures=rows_alone(layers, room),
        head=np.arange(room, dtype=np.int32),
        tail=np.arange(room, dtype=np.int32),
        near=np.full((room, NEAREST), NOBODY, dtype=np.int32),
        gap=np.full((room, NEAREST), NEVER, dtype=np.int64),
        at=np.zeros(room, dtype=np.int32),
        key=np.full((room, 3), NEVER, dtype=np.int64),
        winner=np.zeros(2 * leaves, dtype=np.int32),
        **_room(layers),
        members=np.empty(rows, dtype=np.int32),
        counts=np.zeros((len(aim.values), int(max(aim.values, default=0))), dtype=np.int64),
        counted=np.array([rows, rows, 0, 0, 0], dtype=np.int64),
    )


def with_own_room(growth: Growth, layers: Layers) -> Growth:
    """Let another thread scan the same clusters."""
    return growth._replace(**_room(layers))


def among(growth: Growth, clusters: Clusters) -> Growth:
    """Scan other clusters instead, as they have been gathered: each one's lowest row is its head."""
    return growth._replace(closures=clusters.closures, head=clusters.head.copy())


def _room(layers: Layers) -> dict[str, Any]:
    """What a scan writes into."""
    block_gap = np.empty(BLOCK, dtype=np.int64)
    return {
        "question": no_question(layers),
        "total": np.empty(BLOCK, dtype=np.int32),
        "block_gap": block_gap,
        "quotient": block_gap.view(np.float64),
    }


@kernel
def look(growth, layers, costs, metric, start, end):
    """Let the clusters from start to end find the nearest of those before them."""
    closures, question, total = growth.closures, growth.question, growth.total
    narrow, wide, lo, hi = closures.narrow, closures.wide, closures.lo, closures.hi
    size, price, spent, head = closures.size, closures.price, closures.spent, growth.head
    block_gap, quotient = growth.block_gap, growth.quotient
    kind, epsilon, log_of = metric.kind, metric.epsilon, metric.log_of
    has_slow = layers.quick < len(layers.full)
    for c in range(start, end):
        near, gap = growth.near[c], growth.gap[c]
        narrow_asked, asked, paid = ask(closures, layers, costs, c, question)
        kept, worst = 0, NEVER
        for first in range(0, c, BLOCK):
            last = min(first + BLOCK, c)
            add_unions(
                *(narrow, wide, lo, hi, question, narrow_asked, asked),
                *(layers.lines, layers.quick, layers.full, layers.table, layers.table_at, layers.ranks),
                *(paid, first, last, total),
            )
            write_gaps(
                *(kind, epsilon, log_of, size[c], price[c], size, price, spent),
                *(first, last, total, block_gap, quotient),
            )
            least = least_gap(block_gap, last - first)
            if least > worst:
                continue
            if least == worst and kept == NEAREST and least_row(head, first, last) > head[near[NEAREST - 1]]:
                continue  # all are as near as the last one, and later
            for i in range(last - first):
                if block_gap[i] > worst or block_gap[i] == NEVER:
                    continue
                other = first + i
                if has_slow:
                    total[i] = add_slow(closures, layers, costs, question, other, np.int64(total[i]))
                    write_gaps(
                        *(kind, epsilon, log_of, size[c], price[c], size, price, spent),
                        *(other, other + 1, total[i:], block_gap[i:], quotient[i:]),
                    )
                kept = insert(near, gap, head, kept, other, block_gap[i])
                if kept == NEAREST:
                    worst = gap[NEAREST - 1]
        if kept < NEAREST:
            near[kept] = NOBODY
        growth.at[c] = 0
        write_key(growth.near, growth.gap, growth.at, head, growth.key, c)


@part_kernel
def least_row(head, first, last):
    """Return the lowest row of the clusters from first to last."""
    heads = head[first:last]
    least = heads[0]
    for i in range(1, len(heads)):
        least = min(least, heads[i])
    return least


@part_kernel
def insert(near, gap, head, kept, other, distance):
    """Put a cluster among the nearest, if it belongs there; return how many there are."""
    at = kept
    while at > 0 and (gap[at - 1] > distance or (gap[at - 1] == distance and head[near[at - 1]] > head[other])):
        at -= 1
    if at == NEAREST:
        return kept
    kept = min(kept + 1, NEAREST)
    for later in range(kept - 1, at, -1):
        near[later], gap[later] = near[later - 1], gap[later - 1]
    near[at], gap[at] = other, distance
    return kept


@part_kernel
def write_key(near, gap, at, head, key, c):
    """Say what the nearest pair of a cluster and one before it is."""
    place = at[c]
    other = near[c, place]
    if other == NOBODY:
        key[c] = NEVER
        return
    key[c, 0] = gap[c, place]
    key[c, 1] = max(head[c], head[other])
    key[c, 2] = min(head[c], head[other])


@part_kernel
def is_gone(near, at, size, c):
    """Say whether a cluster has lost its nearest."""
    other = near[c, at[c]]
    return other == LOST or (other >= 0 and size[other] == 0)


@part_kernel
def turn(near, gap, at, size, head, key, c):
    """Turn to the next of its nearest that is still there; at the end of them the cluster has to look anew."""
    while at[c] < NEAREST and is_gone(near, at, size, c):
        at[c] += 1
    if at[c] < NEAREST:
        write_key(near, gap, at, head, key, c)
    else:
        key[c, 0], key[c, 1], key[c, 2] = gap[c, NEAREST - 1], head[c], -1
