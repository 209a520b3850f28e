"""A tournament between places, each with a key of three numbers, so that the least key is found at once."""

from __future__ import annotations

from kanon_cli.kernels.jit import kernel, part_kernel


@part_kernel
def is_closer(key, a, b):
    """Say whether place a has a lower key than place b."""
    for part in range(3):
        if key[a, part] != key[b, part]:
            return key[a, part] < key[b, part]
    return a < b


@part_kernel
def play(winner, key, place):
    """Bring the tournament up to date after a place's key has changed."""
    node = (len(winner) >> 1) + place
    while node > 1:
        a, b = winner[node], winner[node ^ 1]
        node >>= 1
        winner[node] = a if is_closer(key, a, b) else b


@kernel
def play_all(winner, key):
    """Hold the tournament anew; places beyond the keys are as far as can be."""
    leaves = len(winner) >> 1
    for place in range(leaves):
        winner[leaves + place] = min(place, len(key) - 1)
    for node in range(leaves - 1, 0, -1):
        a, b = winner[2 * node], winner[2 * node + 1]
        winner[node] = a if is_closer(key, a, b) else b
