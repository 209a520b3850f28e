"""How figures are written for people."""

from __future__ import annotations

import math
from decimal import Decimal

ROUNDED_OFF = 2e-7  # what a bound leaves off for rounded prices: a loss so little above it may be the least itself


def number(value: float | None) -> str:
    """Write a number with four digits, a large one without fractions, a small one with six digits after the point."""
    if value is None:
        return "unknown"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{float(f'{value:.4g}'):.6f}".rstrip("0").rstrip(".")


def kept(value: float | None, at_most: bool = False) -> str:
    """Write what is achieved, rounded so that it is never said to be safer than it is; None: without limit."""
    if value is None or math.isinf(value):
        return "without limit"
    rounded = math.ceil(value * 10_000 - 1e-6) if at_most else math.floor(value * 10_000 + 1e-6)
    return f"{rounded / 10_000:.10g}"


def times_the_least(loss: float, least: float) -> float | None:
    """How many times the least possible loss this is at the most, rounded up; None if the least may be nothing."""
    if least < ROUNDED_OFF:
        return None
    return max(math.ceil(100 * (loss - ROUNDED_OFF) / least), 100) / 100


def percent(share: float) -> str:
    """Write a share: three digits, and never an exponent."""
    return f"{Decimal(f'{100 * share:.3g}'):,f} %"


def duration(seconds: float) -> str:
    """Write a time."""
    if seconds < 120:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"


def count(number_of: int, noun: str) -> str:
    """Write a count with its noun."""
    return f"{number_of:,} {noun}{'' if number_of == 1 else 's'}"
