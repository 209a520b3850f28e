"""Clusters whose rows cost by their sensitive values: relocating and unifying rows where each move's cost is exact."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kanon_cli.kernels.clusters import (
    JOINS,
    LEAVES,
    link,
    may_change,
    recount,
    unlink,
)
from kanon_cli.kernels.jit import kernel, part_kernel
from kanon_cli.kernels.moves import find_rest
from kanon_cli.kernels.scans import BLOCK, FAR, MIXED, add_unions, no_question, set_label
from kanon_cli.kernels.splits import split
from kanon_cli.kernels.unions import cheapest_finisher, shortfalls, unify


class Tariffs(NamedTuple):
    """What a row costs by its sensitive value; spans, layers and labels are those of `Layers`.

    A span beyond `quick` costs scale * (log2(rows) - share * log2(rows with the secret)).
    """

    secret_of: npt.NDArray[np.int32]  # [row]
    base: npt.NDArray[np.int32]  # [secret, row] what keeping the cells of all trees costs
    rise: npt.NDArray[np.int32]  # [secret, rise_at[layer] + label]
    table: npt.NDArray[np.int32]  # [secret, table_at[span] + lo * ranks + hi]
    full: npt.NDArray[np.int64]  # [secret, span] the price of suppression
    missing: npt.NDArray[np.int64]  # [span] the rank of the missing value, or -1
    mass: npt.NDArray[np.float64]  # [mass_at[span] + rank] rows before it
    mass_of: npt.NDArray[np.float64]  # [secret, the same] the same of the rows with this secret
    mass_at: npt.NDArray[np.int64]  # [span]
    scale: npt.NDArray[np.float64]  # [span]
    share: np.float64


@part_kernel
def secret_span_price(layers, tariffs, secret, span, lo, hi):
    """Return what a span costs a row with this secret."""
    if span < layers.quick:
        return np.int64(tariffs.table[secret, layers.table_at[span] + lo * layers.ranks[span] + hi])
    if lo < hi and hi == tariffs.missing[span]:
        return tariffs.full[secret, span]
    at = tariffs.mass_at[span]
    rows = tariffs.mass[at + hi + 1] - tariffs.mass[at + lo]
    alike = tariffs.mass_of[secret, at + hi + 1] - tariffs.mass_of[secret, at + lo]
    bits = np.log2(rows) - tariffs.share * np.log2(max(alike, 1.0))
    return np.int64(np.rint(tariffs.scale[span] * bits))


@part_kernel
def settle(clusters, layers, tariffs, c, member, count, price):
    """Write what a row of each secret costs in a cluster, and what all its rows cost, from its closure."""
    closures = clusters.closures
    closures.spent[c] = 0
    for secret in range(len(count)):
        total = np.int64(tariffs.base[secret, member])
        for layer in range(len(layers.rise_at)):
            if closures.label[c, layer] == MIXED:
                total += tariffs.rise[secret, layers.rise_at[layer] + layers.label_of[member, layer]]
        for span in range(len(layers.full)):
            total += secret_span_price(layers, tariffs, secret, span, closures.lo[span, c], closures.hi[span, c])
        price[secret, c] = total
        closures.spent[c] += total * count[secret, c]


@part_kernel
def settle_all(clusters, layers, tariffs, count, price):
    """Count the secrets of every cluster and write what its rows cost."""
    count[:] = 0
    for row in range(len(clusters.group_of)):
        count[tariffs.secret_of[row], clusters.group_of[row]] += 1
    for c in range(len(clusters.head)):
        if clusters.closures.size[c] > 0:
            settle(clusters, layers, tariffs, c, clusters.head[c], count, price)


@kernel
def total_cost(clusters, layers, tariffs):
    """Return what the rows of all clusters cost together."""
    count = np.zeros((len(tariffs.base), len(clusters.head)), np.int32)
    settle_all(clusters, layers, tariffs, count, np.zeros(count.shape, np.int64))
    total = np.int64(0)
    for c in range(len(clusters.head)):
        if clusters.closures.size[c] > 0:
            total += clusters.closures.spent[c]
    return total


@kernel
def relocate_by_secret(  # noqa: PLR0912, PLR0915  as `relocate`
    clusters, layers, tariffs, costs, aim, rules, draws, start, end, count
):
    """Do as `relocate`, the cost of a cluster being the sum over secrets of its rows times their price."""
    closures, group_of = clusters.closures, clusters.group_of
    label, narrow, wide, lo, hi = closures.label, closures.narrow, closures.wide, closures.lo, closures.hi
    size, spent = closures.size, closures.spent
    head, after, before = clusters.head, clusters.after, clusters.before
    label_of, rise_at, value_of = layers.label_of, layers.rise_at, layers.value_of
    layer_count, spans, secrets = len(rise_at), len(layers.full), len(tariffs.base)
    rows_of = np.zeros((secrets, len(size)), np.int32)
    price = np.zeros((secrets, len(size)), np.int64)
    settle_all(clusters, layers, tariffs, rows_of, price)
    agrees, open_layers = np.empty(layer_count, np.bool_), np.empty(layer_count, np.int64)
    own_lo, own_hi = np.empty(spans, np.int32), np.empty(spans, np.int32)
    question = no_question(layers)
    total, cost_of = np.empty(BLOCK, np.int32), np.empty(BLOCK, np.int64)
    moves = splits = 0
    for row in range(start, end):
        if rules.at_once and count == len(size):
            return row, count, moves, splits
        own, own_secret = np.int64(group_of[row]), tariffs.secret_of[row]
        best_cost, other = np.int64(FAR), row
        if size[own] > 1:
            other = find_rest(
                head, after, before, label, lo, hi, label_of, value_of, own, row, agrees, open_layers, own_lo, own_hi
            )
            best_cost = spent[own]
            for secret in range(secrets):
                rest = np.int64(tariffs.base[secret, other])
                for layer in range(layer_count):
                    if not agrees[layer]:
                        rest += tariffs.rise[secret, rise_at[layer] + label_of[other, layer]]
                for span in range(spans):
                    rest += secret_span_price(layers, tariffs, secret, span, own_lo[span], own_hi[span])
                best_cost -= rest * (rows_of[secret, own] - (secret == own_secret))
        if len(aim.values) > 0 and not may_change(clusters, aim, rules.judged_from, own, row, LEAVES):
            continue
        for layer in range(layer_count):
            question.layer[layer] = layer
            question.label[layer] = label_of[row, layer]
        for span in range(spans):
            question.lo[span] = question.hi[span] = value_of[row, span]
        target, own_spent = np.int64(-1), spent[own]
        spent[own] = -FAR
        for first in range(0, count, BLOCK):
            last = min(first + BLOCK, count)
            cost_of[: last - first] = -spent[first:last]
            for secret in range(secrets):
                for layer in range(layer_count):
                    question.rise[layer] = tariffs.rise[secret, rise_at[layer] + label_of[row, layer]]
                add_unions(
                    *(narrow, wide, lo, hi, question, layers.narrow, layer_count),
                    *(layers.lines, layers.quick, layers.full, tariffs.table[secret], layers.table_at, layers.ranks),
                    *(np.int64(tariffs.base[secret, row]), first, last, total),
                )
                more = np.int64(secret == own_secret)
                for i in range(last - first):
                    cost_of[i] += np.int64(total[i]) * (rows_of[secret, first + i] + more)
            for c in range(first, last):
                cost = cost_of[c - first]
                if cost >= best_cost:
                    continue
                cost += slow_part(closures, layers, tariffs, question, c, rows_of, own_secret)
                if cost >= best_cost:
                    continue
                if len(aim.values) > 0 and not may_change(clusters, aim, rules.judged_from, c, row, JOINS):
                    continue
                target, best_cost = c, cost
        spent[own] = own_spent
        if target < 0:
            continue
        moves += 1
        unlink(head, after, before, row, own)
        link(head, after, before, row, target)
        group_of[row] = target
        size[own] -= 1
        size[target] += 1
        rows_of[own_secret, own] -= 1
        rows_of[own_secret, target] += 1
        for layer in range(layer_count):
            if agrees[layer] and label[own, layer] == MIXED and size[own] > 0:
                set_label(label, narrow, wide, own, layer, label_of[other, layer])
            if label[target, layer] != label_of[row, layer] and label[target, layer] != MIXED:
                set_label(label, narrow, wide, target, layer, MIXED)
        for span in range(spans):
            if size[own] > 0:
                lo[span, own], hi[span, own] = own_lo[span], own_hi[span]
            lo[span, target] = min(lo[span, target], value_of[row, span])
            hi[span, target] = max(hi[span, target], value_of[row, span])
        settle(clusters, layers, tariffs, target, row, rows_of, price)
        if size[own] > 0:
            settle(clusters, layers, tariffs, own, other, rows_of, price)
        else:
            spent[own] = -FAR
        recount(clusters, aim, target)
        recount(clusters, aim, own)
        if rules.at_once and size[target] > rules.largest:
            found = split(clusters, layers, costs, aim, rules, draws, target, count)
            count_anew(clusters, tariffs, target, rows_of)
            settle(clusters, layers, tariffs, target, head[target], rows_of, price)
            if found:
                count_anew(clusters, tariffs, count, rows_of)
                settle(clusters, layers, tariffs, count, head[count], rows_of, price)
            count += found
            splits += found
    return end, count, moves, splits


@part_kernel
def count_anew(clusters, tariffs, c, rows_of):
    """Count the secrets of a cluster."""
    rows_of[:, c] = 0
    row = clusters.head[c]
    while row >= 0:
        rows_of[tariffs.secret_of[row], c] += 1
        row = clusters.after[row]


@part_kernel
def slow_part(closures, layers, tariffs, question, c, rows_of, more):
    """Return what spans priced by a formula add to the cost of a cluster joined by one row with the secret `more`."""
    total = np.int64(0)
    for span in range(layers.quick, len(layers.full)):
        lo = min(closures.lo[span, c], question.lo[span])
        hi = max(closures.hi[span, c], question.hi[span])
        for secret in range(len(rows_of)):
            rows = rows_of[secret, c] + (secret == more)
            if rows > 0:
                total += rows * secret_span_price(layers, tariffs, secret, span, lo, hi)
    return total


@part_kernel
def measure_by_secret(clusters, layers, tariffs, c, rows_of, price, question, total, distance):
    """Write into distance what it costs to unify c with each other cluster; for itself and what is gone FAR."""
    closures = clusters.closures
    size, spent = closures.size, closures.spent
    asked = narrow_asked = 0
    for layer in range(len(layers.rise_at)):
        if closures.label[c, layer] != MIXED:
            question.layer[asked] = layer
            question.label[asked] = closures.label[c, layer]
            asked += 1
            narrow_asked += layer < layers.narrow
    for span in range(len(layers.full)):
        question.lo[span], question.hi[span] = closures.lo[span, c], closures.hi[span, c]
    distance[:] = 0
    for secret in range(len(rows_of)):
        paid = price[secret, c]
        for at in range(asked):
            question.rise[at] = tariffs.rise[secret, layers.rise_at[question.layer[at]] + question.label[at]]
        for span in range(len(layers.full)):
            paid -= secret_span_price(layers, tariffs, secret, span, question.lo[span], question.hi[span])
        for first in range(0, len(size), BLOCK):
            last = min(first + BLOCK, len(size))
            add_unions(
                *(closures.narrow, closures.wide, closures.lo, closures.hi, question, narrow_asked, asked),
                *(layers.lines, layers.quick, layers.full, tariffs.table[secret], layers.table_at, layers.ranks),
                *(paid, first, last, total),
            )
            for other in range(first, last):
                union = np.int64(total[other - first])
                for span in range(layers.quick, len(layers.full)):
                    lo = min(closures.lo[span, other], question.lo[span])
                    hi = max(closures.hi[span, other], question.hi[span])
                    union += secret_span_price(layers, tariffs, secret, span, lo, hi)
                distance[other] += union * (rows_of[secret, other] + rows_of[secret, c])
    for other in range(len(size)):
        distance[other] = FAR if other == c or size[other] == 0 else distance[other] - spent[other] - spent[c]


@part_kernel
def unify_by_secret(clusters, layers, tariffs, a, b, rows_of, price):
    """Put cluster b into cluster a."""
    unify(clusters, layers, a, b, np.int64(0))
    rows_of[:, a] += rows_of[:, b]
    rows_of[:, b] = 0
    settle(clusters, layers, tariffs, a, clusters.head[a], rows_of, price)


@part_kernel
def nearest_small(distance, size, k, first):
    """Return the nearest cluster below k from `first` on, the lowest number of several, and its distance."""
    best, least = np.int64(-1), np.int64(FAR)
    for other in range(first, len(size)):
        if size[other] < k and distance[other] < least:
            best, least = other, distance[other]
    return best, least


@kernel
def unify_small_by_secret(clusters, layers, tariffs, k):
    """Do as `unify_small`: unify the two nearest clusters below k until one such cluster at most is left."""
    size = clusters.closures.size
    rows_of = np.zeros((len(tariffs.base), len(size)), np.int32)
    price = np.zeros(rows_of.shape, np.int64)
    settle_all(clusters, layers, tariffs, rows_of, price)
    question, total = no_question(layers), np.empty(BLOCK, np.int32)
    distance = np.empty(len(size), np.int64)
    near, gap = np.full(len(size), -1, np.int64), np.full(len(size), FAR, np.int64)
    for c in range(len(size)):
        if 0 < size[c] < k:
            measure_by_secret(clusters, layers, tariffs, c, rows_of, price, question, total, distance)
            near[c], gap[c] = nearest_small(distance, size, k, c + 1)
    unified = 0
    while True:
        a = np.argmin(gap)
        if gap[a] == FAR:
            break
        b = near[a]
        unify_by_secret(clusters, layers, tariffs, a, b, rows_of, price)
        unified += 1
        gap[b] = gap[a] = FAR
        grown = size[a] >= k
        measure_by_secret(clusters, layers, tariffs, a, rows_of, price, question, total, distance)
        to_a = distance.copy()
        if not grown:
            near[a], gap[a] = nearest_small(distance, size, k, a + 1)
        for c in range(b):
            if not 0 < size[c] < k or c == a:
                continue
            if c < a and not grown and (to_a[c] < gap[c] or (to_a[c] == gap[c] and a <= near[c])):
                near[c], gap[c] = a, to_a[c]
            elif near[c] == a or near[c] == b:
                measure_by_secret(clusters, layers, tariffs, c, rows_of, price, question, total, distance)
                near[c], gap[c] = nearest_small(distance, size, k, c + 1)
    return unified


@kernel
def unify_unfinished_by_secret(clusters, layers, tariffs, aim):
    """Do as `unify_unfinished`: unify what is below k or short of its promise with what finishes it most cheaply."""
    size = clusters.closures.size
    rows_of = np.zeros((len(tariffs.base), len(size)), np.int32)
    price = np.zeros(rows_of.shape, np.int64)
    settle_all(clusters, layers, tariffs, rows_of, price)
    question, total = no_question(layers), np.empty(BLOCK, np.int32)
    distance, short = np.empty(len(size), np.int64), shortfalls(clusters, aim)
    unified = 0
    c = np.int64(0)
    while c < len(size):
        if size[c] == 0 or (size[c] >= aim.k and short[c] == 0):
            c += 1
            continue
        measure_by_secret(clusters, layers, tariffs, c, rows_of, price, question, total, distance)
        best, best_short = cheapest_finisher(clusters, aim, c, short, distance)
        if best < 0:
            break
        unify_by_secret(clusters, layers, tariffs, c, best, rows_of, price)
        short[c] = best_short
        unified += 1
    return unified
