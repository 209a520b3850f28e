"""How far a group is from its promise about sensitive values, in whole numbers."""

from __future__ import annotations

import numpy as np

from kanon_cli.kernels.jit import kernel


@kernel
def shortfall(counts, codes, size, cap):
    """Return by how much the worst sensitive value exceeds its share of a group; 0 if it does not.

    counts[code] rows have that value; the last code is missing, which may be any value.
    """
    most = np.int64(0)
    for code in range(codes - 1):
        most = max(most, counts[code])
    return max((most + counts[codes - 1]) * cap[0] - size * cap[1], np.int64(0))


@kernel
def shortfall_of_counts(counts, size, aim):
    """Return by how much a group of `size` rows falls short of all caps; counts[secret, code] rows have a value."""
    total = np.int64(0)
    for secret in range(len(aim.values)):
        total += shortfall(counts[secret], aim.values[secret], size, aim.cap[secret])
    return total


@kernel
def add_prefix_shortfalls(order, start, end, backwards, secret_of, values, cap, counts, short):
    """Add to short[i] the shortfall of the first (backwards: last) i rows of order[start:end], for i from 0 on.

    counts is scratch. The most frequent value's count only grows with i, so that one walk gives them all.
    """
    for secret in range(len(values)):
        missing_code = values[secret] - 1
        counts[: values[secret]] = 0
        most = np.int64(0)
        for i in range(end - start):
            row = order[end - 1 - i] if backwards else order[start + i]
            code = secret_of[secret, row]
            counts[code] += 1
            if code != missing_code:
                most = max(most, counts[code])
            rows = (most + counts[missing_code]) * cap[secret, 0]
            short[i + 1] += max(rows - (i + 1) * cap[secret, 1], np.int64(0))
