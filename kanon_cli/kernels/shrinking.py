"""Clusters that are larger than they need be give up the rows that cost most."""

from __future__ import annotations

import numpy as np

from kanon_cli.kernels.jit import part_kernel
from kanon_cli.kernels.promise import shortfall_of_counts
from kanon_cli.kernels.scans import span_price

BEYOND = np.int64(1 << 40)  # farther than any rank or position


@part_kernel
def write_savings(members, count, layers, costs, saved):
    """Write into saved[i] by how much less a row of the first `count` members costs without member i."""
    saved[:count] = 0
    for layer in range(len(layers.rise_at)):
        labels, rise_at = layers.label_of[:, layer], layers.rise_at[layer]
        label, differ, odd = labels[members[0]], 0, 0
        for i in range(1, count):
            if labels[members[i]] != label:
                differ, odd = differ + 1, i
        if differ == 1:
            saved[odd] += layers.rise[rise_at + label]
        if differ == count - 1:  # without the first, the others may agree
            label, at = labels[members[1]], 2
            while at < count and labels[members[at]] == label:
                at += 1
            if at == count:
                saved[0] += layers.rise[rise_at + label]
    for span in range(len(layers.full)):
        save_span(members, count, layers, costs, span, saved)


@part_kernel
def save_span(members, count, layers, costs, span, saved):
    """Add to saved[i] what a span costs less without member i."""
    values = layers.value_of[:, span]
    lo = next_lo = BEYOND
    hi = next_hi = -BEYOND
    for i in range(count):
        value = np.int64(values[members[i]])
        if value < lo:
            lo, next_lo = value, lo
        elif value < next_lo:
            next_lo = value
        if value > hi:
            hi, next_hi = value, hi
        elif value > next_hi:
            next_hi = value
    whole = span_price(layers, costs, span, lo, hi)
    for i in range(count):
        value = values[members[i]]
        if value in (lo, hi):
            rest_lo = next_lo if value == lo else lo
            rest_hi = next_hi if value == hi else hi
            saved[i] += whole - span_price(layers, costs, span, rest_lo, rest_hi)


@part_kernel
def can_spare(row, size, secret_of, aim, counts):
    """Say whether the rows that are counted keep their promise without this one."""
    for secret in range(len(aim.values)):
        counts[secret, secret_of[secret, row]] -= 1
    short = shortfall_of_counts(counts, size - 1, aim)
    for secret in range(len(aim.values)):
        counts[secret, secret_of[secret, row]] += 1
    return short == 0


@part_kernel
def shrink(members, size, layers, costs, aim, counts):
    """Put the rows without which the others cost least behind those, one by one, until k are left; return how many are.

    A row without which they would break their promise stays.
    """
    saved = np.empty(size, np.int64)
    left = size
    while left > aim.k:
        write_savings(members, left, layers, costs, saved)
        best = -1
        for i in range(left):
            row = members[i]
            is_better = best < 0 or saved[i] > saved[best] or (saved[i] == saved[best] and row < members[best])
            if is_better and can_spare(row, left, aim.secret_of, aim, counts):
                best = i
        if best < 0:
            break
        row = members[best]
        for secret in range(len(aim.values)):
            counts[secret, aim.secret_of[secret, row]] -= 1
        left -= 1
        members[best] = members[left]
        members[left] = row
    return left
