"""Clusters that grow: the two nearest are unified again and again, until all are finished or one is left."""

from __future__ import annotations

import numpy as np

from kanon_cli.kernels.clusters import NOBODY
from kanon_cli.kernels.distances import NEVER
from kanon_cli.kernels.jit import kernel, part_kernel
from kanon_cli.kernels.neighbours import (
    EXPELLED,
    FINISHED,
    GROWING,
    LOST,
    NEAREST,
    UNIFIED,
    USED,
    WASTE,
    is_gone,
    look,
    turn,
)
from kanon_cli.kernels.promise import shortfall_of_counts
from kanon_cli.kernels.scans import MIXED, join, remove, set_label, span_price
from kanon_cli.kernels.shrinking import shrink
from kanon_cli.kernels.tournaments import play, play_all


@part_kernel
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


@part_kernel
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


@part_kernel
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


@part_kernel
def close_key(key, winner, count, c):
    """Let a cluster be no one's nearest any more."""
    key[c] = NEVER
    play(winner, key, c)
    count[GROWING] -= 1


@part_kernel
def open_key(key, at, winner, count):
    """Let the cluster that has been written behind the last one be the next to look for its nearest."""
    c = count[USED]
    count[USED] += 1
    count[GROWING] += 1
    at[c] = NEAREST
    key[c] = -NEVER
    play(winner, key, c)


@part_kernel
def is_finished(members, size, secret_of, aim, counts):
    """Say whether rows make a cluster that keeps the aim; count their sensitive values."""
    if size < aim.k:
        return False
    counts[:] = 0
    for secret in range(len(aim.values)):
        for i in range(size):
            counts[secret, secret_of[secret, members[i]]] += 1
    return shortfall_of_counts(counts, size, aim) == 0


@part_kernel
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


@part_kernel
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
