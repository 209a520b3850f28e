"""Ctrl-C and SIGTERM: an exception that ends the work, and that does not get lost."""

from __future__ import annotations

import signal
import sys
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM)

_asked: list[int] = []  # what has come; signals are the process's own, so this is too


class Stopped(BaseException):
    """The process was asked to end; passes through everything but `finally`."""

    def __init__(self, number: int) -> None:
        self.exit_code = 128 + number
        self.word = "interrupted" if number == signal.SIGINT else "terminated"
        super().__init__(self.word)


def heed_signals() -> None:
    """Let Ctrl-C and SIGTERM end the work by an exception, so that nothing is left behind."""
    for number in SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:  # whoever started us may have had it ignored
            signal.signal(number, _stop)
    sys.unraisablehook = _report_unraisable


def ignore_signals() -> None:
    """Let nothing come between the end of the work and the last message."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def stop_if_asked() -> None:
    """Raise again what got lost: numba compiles in callbacks of C code, and an exception ends in such a callback."""
    if _asked:
        raise Stopped(_asked[0])


def _stop(number: int, _frame: FrameType | None) -> None:
    _asked.append(number)
    raise Stopped(number)


def _report_unraisable(unraisable: sys.UnraisableHookArgs) -> None:
    """Say nothing of a Stopped in a callback, since it is raised again."""
    if not isinstance(unraisable.exc_value, Stopped):
        sys.__unraisablehook__(unraisable)
