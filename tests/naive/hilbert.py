"""The Hilbert curve by Hamilton's formulas for whole numbers, and the best cuts of a line by trying all."""

from __future__ import annotations

from collections.abc import Callable, Sequence


def gray(number: int) -> int:
    """The Gray code of a number."""
    return number ^ (number >> 1)


def place_on_curve(point: Sequence[int], order: int) -> int:
    """How far along the curve of an order a point lies; the first coordinate is the lowest bit."""
    size = len(point)

    def rotated(bits: int, by: int) -> int:
        by %= size
        return (bits >> by | bits << (size - by)) & ((1 << size) - 1)

    place = entry = direction = 0
    for level in reversed(range(order)):
        bits = sum((value >> level & 1) << at for at, value in enumerate(point))
        turned = rotated(bits ^ entry, direction + 1)
        number = next(number for number in range(1 << size) if gray(number) == turned)
        place = place << size | number
        if number:
            entry ^= rotated(gray(2 * ((number - 1) // 2)), -direction - 1)
            odd = number if number % 2 else number - 1
            ones = next(count for count in range(size + 1) if not odd >> count & 1)
            direction += ones
        direction = (direction + 1) % size
    return place


def stretch(points: Sequence[Sequence[int]], ranks: Sequence[int], order: int) -> list[list[int]]:
    """All coordinates brought to the range from 0 to 2 ** order - 1, rounded, halves up."""
    last = [max(count - 1, 1) for count in ranks]
    top = 2**order - 1
    return [
        [(2 * value * top + most) // (2 * most) for value, most in zip(point, last, strict=True)] for point in points
    ]


def best_cuts(
    line: Sequence[int],
    k: int,
    largest: int,
    cost: Callable[[Sequence[int]], int],
    keeps: Callable[[Sequence[int]], bool],
) -> tuple[int, list[list[int]]]:
    """How many rows are in groups that break the promise, and the groups: fewest such rows first, then the least cost.

    In equal cases the last group is the shortest.
    """
    found: list[tuple[int, int, list[list[int]]] | None] = [(0, 0, [])]
    for end in range(1, len(line) + 1):
        choices = []
        for size in range(k, min(largest, end) + 1):
            before = found[end - size]
            if before is not None:
                group = list(line[end - size : end])
                broken = 0 if keeps(group) else size
                choices.append((before[0] + broken, before[1] + cost(group), [*before[2], group]))
        found.append(min(choices, key=lambda choice: choice[:2], default=None))
    whole = found[-1]
    assert whole is not None
    return whole[0], whole[2]
