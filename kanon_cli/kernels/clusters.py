"""Clusters that records move between: their closures, their prices and who is in them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kanon_cli.kernels.costs import Costs
from kanon_cli.kernels.jit import inner_kernel, kernel, part_kernel
from kanon_cli.kernels.layers import Layers
from kanon_cli.kernels.promise import RULES, has_rules, rules_shortfall, shortfall
from kanon_cli.kernels.scans import MIXED, Closures, no_closures, set_label, span_price

JOINS, LEAVES, UNCHANGED = np.int64(1), np.int64(-1), np.int64(0)  # what a row does
NOBODY = np.int64(-1)  # no row, no cluster


class Aim(NamedTuple):
    """What a finished cluster has to keep: k rows, and of each secret what its row of `cap` says (see promise.py)."""

    k: int
    secret_of: npt.NDArray[np.int32]  # [secret, row]
    values: npt.NDArray[np.int64]  # [secret] codes, missing included
    cap: npt.NDArray[np.int64]  # [secret, place]


class Clusters(NamedTuple):
    """The state of a clustering; a cluster of size 0 is gone. Members hang in doubly linked lists."""

    group_of: npt.NDArray[np.int32]  # [row]
    closures: Closures
    head: npt.NDArray[np.int32]  # [cluster] its first member, -1 if none
    after: npt.NDArray[np.int32]  # [row] the next member, -1 at the end
    before: npt.NDArray[np.int32]  # [row] the member before, -1 at the head
    most: npt.NDArray[np.int32]  # [secret, cluster] rows with the most frequent value that is not missing
    mode: npt.NDArray[np.int32]  # [secret, cluster] a value that so many rows have
    missing: npt.NDArray[np.int32]  # [secret, cluster] rows without a value
    short: npt.NDArray[np.int64]  # [cluster] what it lacks of rules beyond largest shares
    counts: npt.NDArray[np.int64]  # scratch: [code]


def gather(layers: Layers, costs: Costs, aim: Aim, group_of: npt.NDArray[np.int32], room: int) -> Clusters:
    """Build the state from group_of; `room` is how many clusters it can grow to."""
    rows, secrets = len(group_of), len(aim.values)
    clusters = Clusters(
        group_of=group_of.copy(),
        closures=no_closures(layers, room),
        head=np.full(room, -1, dtype=np.int32),
        after=np.full(rows, -1, dtype=np.int32),
        before=np.full(rows, -1, dtype=np.int32),
        most=np.zeros((secrets, room), dtype=np.int32),
        mode=np.zeros((secrets, room), dtype=np.int32),
        missing=np.zeros((secrets, room), dtype=np.int32),
        short=np.zeros(room, dtype=np.int64),
        counts=np.zeros(int(max(aim.values, default=0)), dtype=np.int64),
    )
    fill(clusters, layers, costs, aim)
    return clusters


@inner_kernel
def link(head, after, before, row, c):
    """Hang a row to the front of a cluster's list."""
    after[row] = head[c]
    before[row] = -1
    if head[c] >= 0:
        before[head[c]] = row
    head[c] = row


@inner_kernel
def unlink(head, after, before, row, c):
    """Take a row out of a cluster's list."""
    if before[row] >= 0:
        after[before[row]] = after[row]
    else:
        head[c] = after[row]
    if after[row] >= 0:
        before[after[row]] = before[row]


@inner_kernel
def hand_over(clusters, row, target):
    """Take a row from its cluster to another one; all but lists and sizes is left to the caller."""
    own = clusters.group_of[row]
    unlink(clusters.head, clusters.after, clusters.before, row, own)
    link(clusters.head, clusters.after, clusters.before, row, target)
    clusters.group_of[row] = target
    clusters.closures.size[own] -= 1
    clusters.closures.size[target] += 1


@kernel
def fill(clusters, layers, costs, aim):
    """Build lists, closures and prices from group_of."""
    head, after, before, size = clusters.head, clusters.after, clusters.before, clusters.closures.size
    for row in range(len(clusters.group_of) - 1, -1, -1):
        link(head, after, before, row, clusters.group_of[row])
        size[clusters.group_of[row]] += 1
    for c in range(len(clusters.head)):
        if clusters.closures.size[c] > 0:
            rebuild(clusters, layers, costs, aim, c)


@part_kernel
def rebuild(clusters, layers, costs, aim, c):
    """Find the closure of a cluster from its list, and its price."""
    closures, first = clusters.closures, clusters.head[c]
    label, narrow, wide = closures.label, closures.narrow, closures.wide
    label_of, after = layers.label_of, clusters.after
    price = np.int64(layers.base[first])
    open_layers = np.arange(len(layers.rise_at))
    open_count = len(open_layers)
    row = after[first]
    while row >= 0 and open_count > 0:
        at = 0
        while at < open_count:
            layer = open_layers[at]
            if label_of[row, layer] == label_of[first, layer]:
                at += 1
                continue
            set_label(label, narrow, wide, c, layer, MIXED)
            price += layers.rise[layers.rise_at[layer] + label_of[first, layer]]
            open_count -= 1
            open_layers[at] = open_layers[open_count]
        row = after[row]
    for layer in open_layers[:open_count]:
        set_label(label, narrow, wide, c, layer, label_of[first, layer])
    for span in range(len(layers.full)):
        lo = hi = layers.value_of[first, span]
        row = clusters.after[first]
        while row >= 0:
            lo = min(lo, layers.value_of[row, span])
            hi = max(hi, layers.value_of[row, span])
            row = clusters.after[row]
        closures.lo[span, c], closures.hi[span, c] = lo, hi
        price += span_price(layers, costs, span, lo, hi)
    closures.price[c] = price
    closures.spent[c] = price * closures.size[c]
    recount(clusters, aim, c)


@part_kernel
def recount(clusters, aim, c):
    """Count the most frequent and the missing sensitive values of a cluster, and what it lacks of its rules."""
    counts, is_ruled = clusters.counts, aim.cap.shape[1] > RULES
    clusters.short[c] = 0
    for secret in range(len(aim.values)):
        codes = aim.values[secret]
        counts[:codes] = 0
        row = clusters.head[c]
        while row >= 0:
            counts[aim.secret_of[secret, row]] += 1
            row = clusters.after[row]
        mode = 0
        for code in range(codes - 1):
            if counts[code] > counts[mode]:
                mode = code
        clusters.mode[secret, c] = mode
        clusters.most[secret, c] = counts[mode] if codes > 1 else 0
        clusters.missing[secret, c] = counts[codes - 1]
        if is_ruled and aim.cap[secret, RULES] > 0:
            size = np.int64(clusters.closures.size[c])
            clusters.short[c] += rules_shortfall(counts, counts[codes - 1], size, aim.cap[secret])


@kernel
def shortfall_of(clusters, aim, c):
    """Return by how much a cluster falls short of its promises."""
    total = clusters.short[c]
    for secret in range(len(aim.values)):
        worst = np.int64(clusters.most[secret, c]) + clusters.missing[secret, c]
        total += max(worst * aim.cap[secret, 0] - clusters.closures.size[c] * aim.cap[secret, 1], np.int64(0))
    return total


@kernel
def shortfall_with(clusters, aim, c, other, row, sign):
    """Count the shortfall of cluster c with cluster `other` (-1: none) and a row joining or leaving it."""
    total = np.int64(0)
    counts = clusters.counts
    for secret in range(len(aim.values)):
        counts[: aim.values[secret]] = 0
        size = np.int64(sign)
        if sign != 0:
            counts[aim.secret_of[secret, row]] += sign
        for part in range(2):
            cluster = c if part == 0 else other
            member = clusters.head[cluster] if cluster >= 0 else -1
            while member >= 0:
                counts[aim.secret_of[secret, member]] += 1
                size += 1
                member = clusters.after[member]
        total += shortfall(counts, aim.values[secret], size, aim.cap[secret])
    return total


@kernel
def may_change(clusters, aim, judged_from, c, row, change):
    """Say whether a cluster gets no further from its promises when a row joins or leaves it.

    Clusters below `judged_from` rows are not judged. Rows are counted only where bounds do not tell.
    """
    size, most, mode, missing = clusters.closures.size, clusters.most, clusters.mode, clusters.missing
    if has_rules(aim.cap):
        if size[c] + change < judged_from:
            return True
        return shortfall_with(clusters, aim, c, NOBODY, row, change) <= shortfall_of(clusters, aim, c)
    before, least, highest = bounds(
        size, most, mode, missing, aim.secret_of, aim.values, aim.cap, judged_from, c, row, change
    )
    if highest <= before or least > before:
        return highest <= before
    return shortfall_with(clusters, aim, c, NOBODY, row, change) <= before


@part_kernel
def bounds(size, most, mode, missing, secret_of, values, cap, judged_from, c, row, change):
    """Return the shortfall of a cluster, and the least and the most it can be when a row has joined or left it.

    This is so where nothing but largest shares is promised.
    """
    before = least = highest = np.int64(0)
    rows = np.int64(size[c])
    if rows + change < judged_from:
        return before, least, highest
    for secret in range(len(values)):
        code, price, share = secret_of[secret, row], cap[secret, 0], cap[secret, 1]
        worst = np.int64(most[secret, c]) + missing[secret, c]
        low, high = worst + min(change, 0), worst + max(change, 0)
        if code == values[secret] - 1:
            low = high = worst + change
        elif code == mode[secret, c]:
            low = worst + change  # if it leaves, another value may be as frequent
        elif change < 0:
            low = worst
        before += max(worst * price - rows * share, np.int64(0))
        least += max(low * price - (rows + change) * share, np.int64(0))
        highest += max(high * price - (rows + change) * share, np.int64(0))
    return before, least, highest
