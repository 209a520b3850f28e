"""The cheapest cuts of rows that stand in a line."""

from __future__ import annotations

import numpy as np

from kanon_cli.kernels.boxes import box_price
from kanon_cli.kernels.jit import inner_kernel, kernel, part_kernel
from kanon_cli.kernels.promise import shortfall_of_counts

FAR = np.int64(1) << np.int64(62)


@part_kernel
def make_counts(values):
    """Return room for counts[secret, code], all 0."""
    codes = np.int64(0)
    for secret in range(len(values)):
        codes = max(codes, values[secret])
    return np.zeros((len(values), codes), dtype=np.int64)


@inner_kernel
def widen(coordinate, row, low, high, cell, price, how, whole, mass, scale):
    """Let a row into the box low to high, whose cells cost `cell`; return what the box costs now."""
    for column in range(len(low)):
        value = coordinate[row, column]
        if value < low[column] or value > high[column]:
            low[column], high[column] = min(low[column], value), max(high[column], value)
            price -= cell[column]
            cell[column] = box_price(how, whole, mass, scale, column, low[column], high[column])
            price += cell[column]
    return price


@part_kernel
def follow(cut, groups):
    """Return where the groups start, by where the last group of each end starts; there are `groups` at the most."""
    starts = np.empty(groups, dtype=np.int64)
    count, end = 0, len(cut) - 1
    while end > 0:
        end = cut[end]
        starts[count] = end
        count += 1
    return starts[:count][::-1].copy()


@kernel
def cut_line(order, coordinate, tariff, aim, largest):
    """Cut rows in a line into groups of k to `largest` rows, in the cheapest way; return where the groups start.

    coordinate[row, column] are positions on lines, ranks elsewhere. As few rows as can be are in groups that break
    the promise about sensitive values; how many is returned as well. Of ways that cost the same, the one whose last
    group is the shortest is kept.
    """
    how, whole, mass, scale = tariff
    rows, columns = coordinate.shape
    secret_of, counts = aim.secret_of, make_counts(aim.values)
    secrets = len(counts)
    low, high = np.empty(columns, dtype=np.int32), np.empty(columns, dtype=np.int32)
    cell = np.empty(columns, dtype=np.int64)  # [column] the price of low to high
    cost = np.full(rows + 1, FAR, dtype=np.int64)  # [end] of the rows before it, cut in the best way
    short = np.full(rows + 1, rows + 1, dtype=np.int64)  # [end] how many of them are in groups that break the promise
    cut = np.full(rows + 1, -1, dtype=np.int64)  # [end] where the last group starts
    cost[0] = short[0] = cut[0] = 0
    for end in range(1, rows + 1):
        for column in range(columns):
            low[column] = high[column] = coordinate[order[end - 1], column]
            cell[column] = 0
        price = np.int64(0)
        first = max(end - largest, 0)
        for start in range(end - 1, first - 1, -1):
            price = widen(coordinate, order[start], low, high, cell, price, how, whole, mass, scale)
            for secret in range(secrets):
                counts[secret, secret_of[secret, order[start]]] += 1
            size = end - start
            total, broken = cost[start] + price * size, short[start]
            is_better = broken < short[end] or (broken == short[end] and total < cost[end])
            if size < aim.k or cut[start] < 0 or not is_better:
                continue
            if secrets > 0 and shortfall_of_counts(counts, size, aim) > 0:
                broken += size
            if broken < short[end] or (broken == short[end] and total < cost[end]):
                short[end], cost[end], cut[end] = broken, total, start
        for start in range(first, end):
            for secret in range(secrets):
                counts[secret, secret_of[secret, order[start]]] = 0
    return follow(cut, rows // aim.k), short[rows]
