"""Clusters that grow: the two nearest are unified again and again, until all are finished or one is left."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from kanon_cli.kernels.clusters import NOBODY, Aim, Clusters
from kanon_cli.kernels.distances import NEVER, least_gap, write_gaps
from kanon_cli.kernels.jit import kernel
from kanon_cli.kernels.layers import Layers
from kanon_cli.kernels.promise import shortfall_of_counts
from kanon_cli.kernels.scans import (
    BLOCK,
    MIXED,
    Closures,
    Question,
    add_slow,
    add_unions,
    ask,
    join,
    no_closures,
    no_question,
    remove,
    set_label,
    span_price,
)
from kanon_cli.kernels.shrinking import shrink

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
    key: LongArray  # [place, 3] no pair of it and one before is nearer: gap and lowest rows
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
    closures = no_closures(layers, room)
    closures.label[:rows] = layers.label_of
    closures.narrow[:, :rows] = layers.label_of[:, : layers.narrow].T
    closures.wide[:, :rows] = layers.label_of[:, layers.narrow :].T
    closures.lo[:, :rows] = closures.hi[:, :rows] = layers.value_of.T
    closures.size[:rows] = 1
    closures.spent[:rows] = 0
    leaves = 1 << (room - 1).bit_length()
    return Growth(
        group_of=np.full(rows, -1, dtype=np.int32),
        after=np.full(rows, -1, dtype=np.int32),
        closures=closures,
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
def is_closer(key, a, b):
    """Say whether place a has a lower key than place b."""
    for part in range(3):
        if key[a, part] != key[b, part]:
            return key[a, part] < key[b, part]
    return a < b


@kernel
def play(winner, key, place):
    """Bring the tournament up to date after a place's key has changed."""
    node = (len(winner) >> 1) + place
    while node > 1:
        a, b = winner[node], winner[node ^ 1]
        node >>= 1
        winner[node] = a if is_closer(key, a, b) else b


@kernel
def play_all(winner, key):
    """Hold the tournament anew; places beyond the keys are as far as can be."""
    leaves = len(winner) >> 1
    for place in range(leaves):
        winner[leaves + place] = min(place, len(key) - 1)
    for node in range(leaves - 1, 0, -1):
        a, b = winner[2 * node], winner[2 * node + 1]
        winner[node] = a if is_closer(key, a, b) else b


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
            if least_gap(block_gap, last - first) > worst:
                continue
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


@kernel
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


@kernel
def write_key(near, gap, at, head, key, c):
    """Say what the nearest pair of a cluster and one before it is."""
    place = at[c]
    other = near[c, place]
    if other == NOBODY:
        key[c] = NEVER
        return
    key[c, 0] = gap[c, place]
    key[c, 1] = min(head[c], head[other])
    key[c, 2] = max(head[c], head[other])


@kernel
def is_gone(near, at, size, c):
    """Say whether a cluster has lost its nearest."""
    other = near[c, at[c]]
    return other == LOST or (other >= 0 and size[other] == 0)


@kernel
def turn(near, gap, at, size, head, key, c):
    """Turn to the next of its nearest that is still there; at the end of them the cluster has to look anew."""
    while at[c] < NEAREST and is_gone(near, at, size, c):
        at[c] += 1
    if at[c] < NEAREST:
        write_key(near, gap, at, head, key, c)
    else:
        key[c, 0], key[c, 1], key[c, 2] = gap[c, NEAREST - 1], -1, -1


@kernel
def move_closure(closures, target, c):
    """Copy what a cluster covers to another place."""
    closures.label[target] = closures.label[c]
    for layer in range(closures.narrow.shape[0]):
        closures.narrow[layer, target] = closures.narrow[layer, c]
    for layer in range(closures.wide.shape[0]):
        closures.wide[layer, target] = closures.wide[layer, c]
    for span in range(closures.lo.shape[0]):
        closures.lo[span, target] = closures.lo[span, c]
        closures.hi[span, target] = closures.hi[span, c]
    closures.size[target] = closures.size[c]
    closures.price[target] = closures.price[c]
    closures.spent[target] = closures.spent[c]


@kernel
def close_up(growth):
    """Close up the places that are empty, keeping the order."""
    closures, near, used = growth.closures, growth.near, growth.counted[USED]
    new_place = np.full(used, LOST, np.int32)
    count = 0
    for c in range(used):
        if closures.size[c] == 0:
            continue
        new_place[c] = count
        if c > count:
            move_closure(closures, count, c)
            growth.head[count], growth.tail[count] = growth.head[c], growth.tail[c]
            growth.near[count], growth.gap[count] = growth.near[c], growth.gap[c]
            growth.at[count], growth.key[count] = growth.at[c], growth.key[c]
        for place in range(growth.at[count], NEAREST):
            other = near[count, place]
            if other == NOBODY:
                break
            if other >= 0:
                near[count, place] = new_place[other]
        count += 1
    for c in range(count, used):
        remove(closures, c)
        growth.key[c] = NEVER
    growth.counted[USED] = count
    play_all(growth.winner, growth.key)


@kernel
def union_price(closures, layers, costs, a, b):
    """Return what a row of the union of two clusters costs."""
    price = closures.price[a]
    for layer in range(len(layers.rise_at)):
        label = closures.label[a, layer]
        if label != MIXED and label != closures.label[b, layer]:
            price += layers.rise[layers.rise_at[layer] + label]
    for span in range(len(layers.full)):
        lo, hi = closures.lo[span, a], closures.hi[span, a]
        price -= span_price(layers, costs, span, lo, hi)
        price += span_price(layers, costs, span, min(lo, closures.lo[span, b]), max(hi, closures.hi[span, b]))
    return price


@kernel
def close_key(key, winner, count, c):
    """Let a cluster be no one's nearest any more."""
    key[c] = NEVER
    play(winner, key, c)
    count[GROWING] -= 1


@kernel
def open_key(key, at, winner, count):
    """Let the cluster that has been written behind the last one be the next to look for its nearest."""
    c = count[USED]
    count[USED] += 1
    count[GROWING] += 1
    at[c] = NEAREST
    key[c] = -NEVER
    play(winner, key, c)


@kernel
def is_finished(members, size, secret_of, aim, counts):
    """Say whether rows make a cluster that keeps the aim; count their sensitive values."""
    if size < aim.k:
        return False
    counts[:] = 0
    for secret in range(len(aim.values)):
        for i in range(size):
            counts[secret, secret_of[secret, members[i]]] += 1
    return shortfall_of_counts(counts, size, aim) == 0


@kernel
def expel(growth, layers, row):
    """Let a row be a cluster by itself again."""
    closures, c = growth.closures, growth.counted[USED]
    for layer in range(len(layers.rise_at)):
        set_label(closures.label, closures.narrow, closures.wide, c, layer, layers.label_of[row, layer])
    for span in range(len(layers.full)):
        closures.lo[span, c] = closures.hi[span, c] = layers.value_of[row, span]
    closures.size[c], closures.price[c], closures.spent[c] = 1, 0, 0
    growth.head[c] = growth.tail[c] = row
    growth.after[row] = -1
    growth.counted[EXPELLED] += 1
    open_key(growth.key, growth.at, growth.winner, growth.counted)


@kernel
def unify_nearest(growth, layers, costs, aim, is_modified, c):
    """Unify a cluster with its nearest, and put the union where it belongs."""
    closures, members, after, head, tail = growth.closures, growth.members, growth.after, growth.head, growth.tail
    key, winner, count = growth.key, growth.winner, growth.counted
    other = np.int64(growth.near[c, growth.at[c]])
    a, b = (c, other) if head[c] < head[other] else (other, c)
    size = closures.size[a] + closures.size[b]
    count[UNIFIED] += 1
    close_key(key, winner, count, a)
    close_key(key, winner, count, b)
    after[tail[a]] = head[b]
    row, i = head[a], 0
    while row >= 0 and size >= aim.k:
        members[i] = row
        row, i = after[row], i + 1
    if not is_finished(members, size, aim.secret_of, aim, growth.counts):
        new = count[USED]
        head[new], tail[new] = head[a], tail[b]
        price = union_price(closures, layers, costs, a, b)
        move_closure(closures, new, a)
        remove(closures, a)
        join(closures, layers, new, b, price)
        open_key(key, growth.at, winner, count)
        return
    remove(closures, a)
    remove(closures, b)
    left = shrink(members, size, layers, costs, aim, growth.counts) if is_modified else size
    for i in range(left):
        growth.group_of[members[i]] = count[FINISHED]
    count[FINISHED] += 1
    for i in range(left, size):
        if count[USED] == len(head):
            close_up(growth)
        expel(growth, layers, members[i])


@kernel
def grow(growth, layers, costs, aim, metric, is_modified, steps):
    """Take so many steps (a cluster looks or turns, or two are unified), and say whether there is more to do."""
    key, winner, count = growth.key, growth.winner, growth.counted
    near, gap, at, head, size = growth.near, growth.gap, growth.at, growth.head, growth.closures.size
    for _ in range(steps):
        if count[GROWING] < 2:
            return False
        if count[USED] == len(head) or (count[USED] - count[GROWING]) * WASTE > count[USED]:
            close_up(growth)
        c = np.int64(winner[1])
        if at[c] == NEAREST:
            look(growth, layers, costs, metric, c, c + 1)
            play(winner, key, c)
        elif is_gone(near, at, size, c):
            turn(near, gap, at, size, head, key, c)
            play(winner, key, c)
        else:
            unify_nearest(growth, layers, costs, aim, is_modified, c)
    return True
