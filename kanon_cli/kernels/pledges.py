"""What the clusters of a pool have to keep about sensitive values, and what they need for it."""

from __future__ import annotations

import numpy as np

from kanon_cli.kernels.jit import inner_kernel
from kanon_cli.kernels.promise import PRICE, RULES, SHARE, goal_shortfall, rules_shortfall

BLOCKED = np.int32(1 << 29)  # on top of any price: the cluster in the making has enough rows with this secret
BARRED_CODES = 66  # a secret with more values is not looked at while a cluster grows: that would take too long


@inner_kernel
def excess(pool, c, secret, values, cap):
    """Return by how much a cluster falls short of what is promised of a secret; missing ones count with any value."""
    most = np.int64(0)
    for code in range(values[secret] - 2):
        most = max(most, pool.counts[c, secret, code])
    missing = pool.counts[c, secret, values[secret] - 1]
    most += missing
    total = max(most * cap[secret, PRICE] - pool.size[c] * cap[secret, SHARE], np.int64(0))
    if cap[secret, RULES] > 0:
        total += rules_shortfall(pool.counts[c, secret], missing, pool.size[c], cap[secret])
    return total


@inner_kernel
def keeps_with(pool, c, place, sign, values, cap):
    """Say whether a cluster keeps its promise about secrets once the row at a place has joined (1) or left (-1) it."""
    pool.size[c] += sign
    keeps = True
    for secret in range(len(values)):
        pool.counts[c, secret, pool.code[secret, place]] += sign
        keeps = keeps and excess(pool, c, secret, values, cap) == 0
    for secret in range(len(values)):
        pool.counts[c, secret, pool.code[secret, place]] -= sign
    pool.size[c] -= sign
    return keeps


@inner_kernel
def block(pool, rows, c, k, values, cap):
    """Block the free rows whose secret would make a cluster of k rows break its promise.

    The last code of a secret is missing; the one before it stands for all values too rare to break any promise.
    """
    for secret in range(len(values)):
        missing = values[secret] - 1
        harmless = missing - 1
        allowed = k * cap[secret, 1] // cap[secret, 0] - pool.counts[c, secret, missing]
        most = np.int64(0)
        for code in range(harmless):
            most = max(most, pool.counts[c, secret, code])
        for place in range(rows):
            code = pool.code[secret, place]
            others = most + 1 if code == missing else pool.counts[c, secret, code] + 1
            if code != harmless and others > allowed and pool.total[place] < BLOCKED:
                pool.total[place] += BLOCKED


@inner_kernel
def bar(pool, rows, c, size, k, values, cap):
    """Block the free rows whose secret would keep a cluster of `size` rows from keeping its promise at k rows."""
    for secret in range(len(values)):
        missing = values[secret] - 1
        is_ruled = cap[secret, RULES] > 0 and values[secret] <= BARRED_CODES
        allowed = k * cap[secret, SHARE] // cap[secret, PRICE] - pool.counts[c, secret, missing]
        most = np.int64(0)
        for code in range(missing - 1):
            most = max(most, pool.counts[c, secret, code])
        for code in range(values[secret]):
            others = most if code == missing else pool.counts[c, secret, code]
            is_barred = code != missing - 1 and others + 1 > allowed
            if is_ruled and not is_barred:
                pool.counts[c, secret, code] += 1
                gone = pool.counts[c, secret, missing]
                is_barred = goal_shortfall(pool.counts[c, secret], gone, size + 1, k, cap[secret]) > 0
                pool.counts[c, secret, code] -= 1
            pool.barred[secret, code] = is_barred
    for place in range(rows):
        if pool.taken[place] == 0:
            is_barred = False
            for secret in range(len(values)):
                is_barred |= pool.barred[secret, pool.code[secret, place]]
            if is_barred and pool.total[place] < BLOCKED:
                pool.total[place] += BLOCKED
            elif not is_barred and pool.total[place] >= BLOCKED:
                pool.total[place] -= BLOCKED


@inner_kernel
def most_clusters(pool, rows, k, values, cap):
    """Return how many clusters of k rows can keep their promise about secrets at the most, and 1 at the least.

    Each takes as many rows as it needs beside those with the pool's most frequent secret.
    """
    most = rows // k
    for secret in range(len(values)):
        for code in range(values[secret]):
            pool.counts[0, secret, code] = 0
        for place in range(rows):
            pool.counts[0, secret, pool.code[secret, place]] += 1
        missing = pool.counts[0, secret, values[secret] - 1]
        needed = k - k * cap[secret, 1] // cap[secret, 0]
        for code in range(values[secret] - 2):
            if needed > 0:
                most = min(most, (rows - pool.counts[0, secret, code] - missing) // needed)
    return max(most, np.int64(1))


@inner_kernel
def pool_keeps(pool, clusters, values, cap):
    """Say whether all clusters of the pool keep their promise about secrets."""
    for c in range(clusters):
        for secret in range(len(values)):
            if excess(pool, c, secret, values, cap) > 0:
                return False
    return True
