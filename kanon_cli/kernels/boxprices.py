"""What cells of one column cost, box by box."""

from __future__ import annotations

import numpy as np

from kanon_cli.kernels.costs import price
from kanon_cli.kernels.jit import kernel


@kernel
def price_boxes(costs, column, lo, hi):
    """Return the price of a cell that covers lo[box] to hi[box], for every box."""
    result = np.empty(len(lo), dtype=np.int64)
    for box in range(len(lo)):
        result[box] = price(costs, column, lo[box], hi[box])
    return result
