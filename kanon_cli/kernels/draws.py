"""Random numbers from a state that is handed on, so that the same seed gives the same bytes."""

from __future__ import annotations

import numpy as np

from kanon_cli.kernels.jit import inner_kernel


@inner_kernel
def shuffled(state):
    """Return the random state that follows another (xorshift64: no products, of which numpy would warn uncompiled)."""
    state ^= state << np.uint64(13)
    state ^= state >> np.uint64(7)
    return state ^ (state << np.uint64(17))


@inner_kernel
def draw(state, limit):
    """Draw a number below `limit` from an explicit state."""
    state[0] = shuffled(state[0])
    return np.int64(((state[0] >> np.uint64(32)) * np.uint64(limit)) >> np.uint64(32))
