"""Numbers and dates as text: which texts are any, their exact order, and how bounds are written."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from decimal import Context, Decimal

import numpy as np
import numpy.typing as npt

NUMBER = re.compile(r"[ \t]*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?[ \t]*", re.ASCII)
INTEGER = re.compile(r"[+-]?\d+", re.ASCII)
DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)

EXACT = Context(prec=2000)  # doubles reach from 1e308 to 1e-324: sums of any two finite numbers fit
LARGEST_EXPONENT = 330  # a number is written out in full: an exponent must not make that a book
HUGE = 1e150  # beyond it a difference of two numbers may not be a number any more


def is_number(text: str) -> bool:
    """Whether a text is a finite decimal number, neither too large nor too small for a double."""
    if NUMBER.fullmatch(text) is None or abs(float(text)) == float("inf"):
        return False
    return not ("e" in text or "E" in text) or abs(Decimal(text.strip()).adjusted()) <= LARGEST_EXPONENT


def is_date(text: str) -> bool:
    """Whether a text is a day of the calendar, written YYYY-MM-DD."""
    if DATE.fullmatch(text) is None:
        return False
    try:
        datetime.date.fromisoformat(text)
    except ValueError:  # a month or a day that doesn't exist
        return False
    return True


def plain(number: Decimal) -> str:
    """Write a number without exponent, superfluous zeros or a negative zero."""
    text = format(number, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def floor_to(number: Decimal, width: Decimal) -> Decimal:
    """The largest multiple of a width that is not above a number."""
    steps = EXACT.divide_int(number, width)
    low = EXACT.multiply(steps, width)
    return EXACT.subtract(low, width) if low > number else low


def middle(low: Decimal, high: Decimal) -> Decimal:
    """The number half-way between two."""
    return EXACT.multiply(EXACT.add(low, high), Decimal("0.5"))


def is_double(text: str) -> bool:
    """Whether a number survives being stored as a double and written again."""
    return Decimal(repr(float(text))) == Decimal(text)


def rank_numbers(texts: Sequence[str]) -> tuple[npt.NDArray[np.int64], list[str], list[Decimal]]:
    """Order numbers by their exact value: the rank of each text, and for each rank how it is written and its value.

    One number may be written in several ways (1.5 and 1.50); it has one rank, and then one plain way is used for all.
    """
    values = [Decimal(text.strip()) for text in texts]
    order = sorted(range(len(texts)), key=values.__getitem__)
    rank_of = np.empty(len(texts), dtype=np.int64)
    written: list[str] = []
    ranked: list[Decimal] = []
    for at in order:
        if ranked and values[at] == ranked[-1]:
            written[-1] = plain(ranked[-1])
        else:
            ranked.append(values[at])
            written.append(texts[at])
        rank_of[at] = len(ranked) - 1
    return rank_of, written, ranked


def positions(values: Sequence[Decimal]) -> npt.NDArray[np.float64]:
    """Where numbers lie on a line; very large ones are scaled down, as only shares of the range matter."""
    line = np.array([float(value) for value in values], dtype=np.float64)
    largest = float(np.abs(line).max(initial=0.0))
    return line / largest if largest > HUGE else line
