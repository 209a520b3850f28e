"""How far a group is from its promises about a secret, in whole numbers."""

from __future__ import annotations

import numpy as np

from kanon_cli.kernels.jit import kernel, part_kernel

# All that is promised of a secret is a row of whole numbers, `cap`: no value has more than cap[SHARE] / cap[PRICE] of a
# group, and cap[RULES] further rules stand one after the other from cap[FIRST] on, each with its kind, its length and
# its own numbers. What a rule says of a group is never less than what the promise asks: fractions are rounded that way.
PRICE, SHARE, VALUES, RULES, FIRST = 0, 1, 2, 3, 4  # places in a row; VALUES counts codes, missing not included

# Kinds of rules, and the places of their numbers after kind and length. N: rows of the table, M: those without a value.
KINDS = 0  # so many different values: 2 how many, 3 whether each row of code 0 counts as another one
ENTROPY = 1  # 2 what a row has to have, 3 values that are enough if all are equally frequent, 4.. [count] c ln c
TAIL = 2  # 2 c's numerator, 3 its denominator, 4 l
LINE = 3  # 2 N, 3 M, 4 limit a row, 5 a step, 6 the longest way, 7 the middle, 8.. [code] rows of the table
TREE = 4  # 2 N, 3 M, 4 limit a row, 5 the way from a leaf to the root, 6 nodes, 7.. [code], then first, last, rise
BAND = 5  # 2 N, 3 M, 4 unit of shares, 5 whether absent values count, 6 and 7 where most and least start, 8.. [code]


@kernel
def shortfall(counts, codes, size, cap):
    """Return by how much a group falls short of what is promised of a secret; 0 if it keeps it.

    counts[code] rows have that value; the last code is missing, which may be any value.
    """
    most = np.int64(0)
    for code in range(codes - 1):
        most = max(most, counts[code])
    missing = np.int64(counts[codes - 1])
    total = max((most + missing) * cap[PRICE] - size * cap[SHARE], np.int64(0))
    if len(cap) > RULES and cap[RULES] > 0:
        total += rules_shortfall(counts, missing, np.int64(size), cap)
    return total


@kernel
def shortfall_of_counts(counts, size, aim):
    """Return by how much a group of `size` rows falls short of all promises; counts[secret, code] rows have a value."""
    total = np.int64(0)
    for secret in range(len(aim.values)):
        total += shortfall(counts[secret], aim.values[secret], size, aim.cap[secret])
    return total


@part_kernel
def has_rules(cap):
    """Say whether more is promised of any secret than a largest share."""
    if cap.shape[1] > RULES:
        for secret in range(cap.shape[0]):
            if cap[secret, RULES] > 0:
                return True
    return False


@part_kernel
def rules_shortfall(counts, missing, size, cap):
    """Return by how much a group falls short of the rules; counts[code] for the codes that are values."""
    return goal_shortfall(counts, missing, size, size, cap)


@part_kernel
def goal_shortfall(counts, missing, size, goal, cap):
    """Return by how much a group will fall short of the rules once it has grown to `goal` rows with typical values.

    A group that is to grow is asked only how near its values are to those of the table.
    """
    total, start = np.int64(0), np.int64(FIRST)
    for _ in range(cap[RULES]):
        rule = cap[start : start + cap[start + 1]]
        kind = rule[0]
        if kind == LINE:
            total += line_excess(counts, cap[VALUES], missing, size, goal, rule)
        elif kind == TREE:
            total += tree_excess(counts, cap[VALUES], missing, size, goal, rule)
        elif kind == BAND:
            total += band_excess(counts, cap[VALUES], missing, size, goal, rule)
        elif goal > size:
            pass
        elif kind == KINDS:
            total += lacking_kinds(counts, cap[VALUES], rule)
        elif kind == ENTROPY:
            total += lacking_entropy(counts, cap[VALUES], missing, size, rule)
        else:
            total += lacking_tail(counts, cap[VALUES], missing, size, rule)
        start += cap[start + 1]
    return total


@part_kernel
def lacking_kinds(counts, values, rule):
    """Return how many different values a group lacks."""
    found = np.int64(0)
    for code in range(values):
        found += counts[code] > 0
    if rule[3] == 1 and counts[0] > 1:
        found += counts[0] - 1
    return max(rule[2] - found, np.int64(0))


@part_kernel
def lacking_entropy(counts, values, missing, size, rule):
    """Return how much entropy a group lacks, the missing ones counted with the most frequent value."""
    log_of = rule[4:]
    most, found, spent = np.int64(0), np.int64(0), np.int64(0)
    is_even = missing == 0
    for code in range(values):
        if counts[code] > 0:
            found += 1
            spent += log_of[counts[code]]
            is_even &= counts[code] == most or most == 0
            most = max(most, counts[code])
    spent += log_of[most + missing] - log_of[most]
    lacking = size * rule[2] + spent + 2 * found + 2 - log_of[size]  # each logarithm is off by 2 at the most
    if lacking <= 0 or (is_even and found >= rule[3]):
        return np.int64(0)
    return lacking


@part_kernel
def lacking_tail(counts, values, missing, size, rule):
    """Return by how much the most frequent value is too frequent beside those from the l-th on together."""
    numerator, denominator, l = rule[2], rule[3], rule[4]  # noqa: E741  the spec's own name
    left, below = l - 1, np.int64(1) << 62
    most = top = np.int64(0)
    while left > 0:  # the largest counts, equal ones at once
        largest = times = np.int64(0)
        for code in range(values):
            if counts[code] < below and counts[code] >= largest:
                times = times + 1 if counts[code] == largest else np.int64(1)
                largest = np.int64(counts[code])
        if largest == 0:
            break
        most = max(most, largest)
        top += largest * min(times, left)
        left -= times
        below = largest
    if l == 1:
        for code in range(values):
            most = max(most, counts[code])
        rest = size
    else:
        rest = size - missing - top
    return max((most + missing) * denominator - rest * numerator + 1, np.int64(0))


@part_kernel
def unknown_rows(missing, size, rule):
    """Return how far apart the distributions of a group and the table can be because of missing values."""
    return missing * (rule[2] - size) + size * (rule[3] - missing)


@part_kernel
def line_excess(counts, values, missing, size, goal, rule):
    """Return by how much a group is too far from the table, values being as far apart as their codes."""
    everybody, middle, table = rule[2], rule[7], rule[8:]
    moved = beyond = np.int64(0)
    for code in range(middle):
        beyond += counts[code] * everybody - size * table[code]
        moved += abs(beyond)
    beyond = np.int64(0)
    for code in range(values - 1, middle, -1):
        beyond += counts[code] * everybody - size * table[code]
        moved += abs(beyond)
    return max(moved * rule[5] + rule[6] * unknown_rows(missing, size, rule) - goal * rule[4], np.int64(0))


@part_kernel
def tree_excess(counts, values, missing, size, goal, rule):
    """Return by how much a group is too far from the table, values being as far apart as their lowest joint node."""
    everybody, table = rule[2], rule[7:]
    total = rule[5] * unknown_rows(missing, size, rule)
    at = 7 + values
    for _ in range(rule[6]):
        beyond = np.int64(0)
        for code in range(rule[at], rule[at + 1] + 1):
            beyond += counts[code] * everybody - size * table[code]
        total += rule[at + 2] * abs(beyond)
        at += 3
    return max(total - goal * rule[4], np.int64(0))


@part_kernel
def band_excess(counts, values, missing, size, goal, rule):
    """Return by how much the shares of values in a group are too far from those in the table.

    Missing values are taken for the value, or for another one, whatever is worse.
    """
    unit, table = rule[4], rule[8:]
    missing = min(missing, rule[3])  # `bar` asks about one more, too, where a cluster has all that there are
    above = below = np.int64(0)
    for code in range(values):
        if table[code] == 0:
            continue
        if rule[6] > 0:
            most, typical = rule[rule[6] :], (goal - size) * unit // rule[2] * table[code]
            above = max(above, counts[code] * unit + typical - goal * most[table[code]])
            above = max(above, (counts[code] + missing) * unit + typical - goal * most[table[code] + missing])
        if rule[7] > 0 and goal == size and (rule[5] == 1 or counts[code] > 0):
            least = rule[rule[7] :]
            below += max(size * least[table[code] + rule[3] - missing] - counts[code] * unit, np.int64(0))
    return above + below


@part_kernel
def add_prefix_shortfalls(order, start, end, backwards, secret_of, values, cap, counts, short):
    """Add to short[i] the shortfall of the first (backwards: last) i rows of order[start:end], for i from 0 on.

    counts is scratch. The most frequent value's count only grows with i, so that one walk gives them all.
    """
    for secret in range(len(values)):
        missing_code = values[secret] - 1
        counts[: values[secret]] = 0
        most = np.int64(0)
        ruled = cap.shape[1] > RULES and cap[secret, RULES] > 0
        for i in range(end - start):
            row = order[end - 1 - i] if backwards else order[start + i]
            code = secret_of[secret, row]
            counts[code] += 1
            if code != missing_code:
                most = max(most, counts[code])
            rows = (most + counts[missing_code]) * cap[secret, PRICE]
            short[i + 1] += max(rows - (i + 1) * cap[secret, SHARE], np.int64(0))
            if ruled:
                short[i + 1] += rules_shortfall(counts, counts[missing_code], np.int64(i + 1), cap[secret])
