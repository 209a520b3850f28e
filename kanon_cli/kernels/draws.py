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


@inner_kernel
def fill(noise, seed):
    """Give each place a random state of its own but 0, the same from one seed however many places there are."""
    for place in range(len(noise)):
        seed = shuffled(seed)
        noise[place] = np.uint32(seed >> np.uint64(32)) | np.uint32(1)


@inner_kernel
def shuffled_32(state):
    """Return the random state of 32 bits that follows another (xorshift32), as SIMD loops can for many at once."""
    state = np.uint32(state ^ np.uint32(state << np.uint32(13)))
    state = np.uint32(state ^ (state >> np.uint32(17)))
    return np.uint32(state ^ np.uint32(state << np.uint32(5)))
