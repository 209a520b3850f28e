"""Axes of pictures: round places for their marks, and where a value comes to lie."""

from __future__ import annotations

import math
from dataclasses import dataclass

from kanon_cli.report.figures import number

STEPS = (1, 2, 2.5, 5, 10)


@dataclass(frozen=True)
class Axis:
    """From values to places of a picture, in a straight line or by logarithm."""

    low: float
    high: float
    start: float  # the place of `low`
    end: float  # the place of `high`
    is_log: bool = False

    def place(self, value: float) -> float:
        """Where a value lies."""
        low, high, at = (math.log(x) for x in (self.low, self.high, value)) if self.is_log else self._plain(value)
        share = (at - low) / (high - low) if high > low else 0.5
        return round(self.start + share * (self.end - self.start), 2)

    def _plain(self, value: float) -> tuple[float, float, float]:
        return self.low, self.high, value

    def marks(self, most: int = 6) -> list[tuple[float, str]]:
        """Places of round values within the axis, and how they are written."""
        values = _log_values(self.low, self.high, most) if self.is_log else _round_values(self.low, self.high, most)
        return [(self.place(value), number(value)) for value in values]


def _round_values(low: float, high: float, most: int) -> list[float]:
    """Multiples of a round step, at most so many."""
    if not high > low:
        return [low]
    rough = (high - low) / most
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * unit for factor in STEPS if factor * unit >= rough * 0.999999)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [at * step for at in range(first, last + 1)]


def _log_values(low: float, high: float, most: int) -> list[float]:
    """1, 2 and 5 times powers of ten, or the powers alone if that is too many."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for factors in ((1, 2, 5), (1,)):
        found = [factor * 10.0**power for power in powers for factor in factors]
        found = [value for value in found if low * 0.999999 <= value <= high * 1.000001]
        if len(found) <= 2 * most:
            return found
    return found[:: math.ceil(len(found) / most)]
