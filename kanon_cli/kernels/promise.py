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
def slice_shortfall(order, start, end, secret_of, values, cap, counts):
    """Return the shortfall of the rows order[start:end], summed over the sensitive columns; counts is scratch."""
    total = np.int64(0)
    for secret in range(len(values)):
        counts[: values[secret]] = 0
        for at in range(start, end):
            counts[secret_of[secret, order[at]]] += 1
        total += shortfall(counts, values[secret], end - start, cap[secret])
    return total
