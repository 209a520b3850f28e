"""Non-homogeneous generalization as its docstring tells it: rings of neighbours, and windows turned at random."""

from __future__ import annotations

from collections.abc import Callable, Sequence

Price = Callable[[Sequence[int]], int]


def windows(block: Sequence[int], k: int, shift: int, price: Price) -> dict[int, list[int]]:
    """The k rows whose closure each row of a block gets."""
    ring = chain(sorted(block), price)
    size = len(ring)
    return {ring[(at + shift) % size]: [ring[(at + step) % size] for step in range(k)] for at in range(size)}


def chain(rows: Sequence[int], price: Price) -> list[int]:
    """The rows from the first on, each followed by the nearest that is left, the lowest of several."""
    ring, left = [rows[0]], list(rows[1:])
    while left:
        last = ring[-1]
        ring.append(min(left, key=lambda row: (price([last, row]), row)))
        left.remove(ring[-1])
    return ring
