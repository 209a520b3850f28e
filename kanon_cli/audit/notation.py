"""How numbers, days and sets are written."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, InvalidOperation

from kanon_cli.audit.covers import Span

NUMBER = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
BLANKS = " \t"
EXACT = Context(prec=1000, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])  # sums of numbers up to 1000 digits apart are exact

_NUMBER = re.compile(NUMBER)
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DAYS = re.compile(r"\[([0-9-]{10})/([0-9-]{10})\]")
_PERIOD = re.compile(r"([0-9]{4})(?:-(?:Q([1-4])|([0-9]{2})))?")


def number(text: str) -> Decimal | None:
    """Read the exact value of a number; None if the text is not a number. Blanks around it do not count."""
    if not _NUMBER.fullmatch(text.strip(BLANKS)):
        return None
    try:
        return Decimal(text.strip(BLANKS))
    except InvalidOperation:  # an exponent beyond what any computer holds
        return None


def day(text: str) -> int | None:
    """Find the number of a day that is written YYYY-MM-DD; None if the text is not a day."""
    if not _DAY.fullmatch(text):
        return None
    return _day(int(text[:4]), int(text[5:7]), int(text[8:]))


def _day(year: int, month: int, of_month: int) -> int | None:
    try:
        return date(year, month, of_month).toordinal()
    except ValueError:  # there is no such day
        return None


def days(text: str) -> Span | None:
    """Read a day, days from-to, or a month, quarter or year of the calendar, as day numbers."""
    if (one := day(text)) is not None:
        return Span(one, one)
    if match := _DAYS.fullmatch(text):
        low, high = day(match[1]), day(match[2])
        return Span(low, high) if low is not None and high is not None and low <= high else None
    match = _PERIOD.fullmatch(text)
    return _period(int(match[1]), match[2], match[3]) if match else None


def _period(year: int, quarter: str | None, month: str | None) -> Span | None:
    if quarter:
        first_month, last_month = 3 * int(quarter) - 2, 3 * int(quarter)
    elif month:
        first_month = last_month = int(month)
    else:
        first_month, last_month = 1, 12
    low = _day(year, first_month, 1)
    if low is None:
        return None
    return Span(low, date(year, last_month, monthrange(year, last_month)[1]).toordinal())


def interval(low_text: str, high_text: str, closing: str, opening: str = "[") -> Span | None:
    """Join the numbers from-to; `[` and `]` take in the ends of an interval, anything else leaves them out."""
    low, high = number(low_text), number(high_text)
    if low is None or high is None or low > high:
        return None
    half_open, above = closing != "]", opening != "["
    return None if (half_open or above) and low == high else Span(low, high, half_open, above)


def one_sided(sign: str, end_text: str) -> Span | None:
    """Read the numbers on one side of an end: `<`, `<=`, `>` or `>=` and the end."""
    end = number(end_text)
    if end is None:
        return None
    below, exact = sign.startswith("<"), sign.endswith("=")
    if below:
        return Span(Decimal("-Infinity"), end, half_open=not exact)
    return Span(end, Decimal("Infinity"), above=not exact)


def members(text: str, separator: str) -> tuple[str, ...]:
    """List the different texts of a set {a|b|c}; none if the text is not a set of at least two."""
    if not (text.startswith("{") and text.endswith("}") and separator in text):
        return ()
    return tuple(dict.fromkeys(text[1:-1].split(separator)))
