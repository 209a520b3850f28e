"""Around every command: from exceptions and signals to one message and an exit code."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from kanon_cli.cli.failures import Stopped
from kanon_cli.cli.voices import Voice

SIGNALS = (signal.SIGINT, signal.SIGTERM)


def heed_signals() -> None:
    """Let Ctrl-C and SIGTERM end the work by an exception, so that nothing is left behind."""
    for number in SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:  # whoever started us may have had it ignored
            signal.signal(number, _stop)


def _stop(number: int, _frame: FrameType | None) -> None:
    raise Stopped(number)


@contextmanager
def guard(voice: Voice) -> Iterator[None]:
    """Let the voice tell what went wrong, and end the process with its exit code."""
    try:
        yield
    except (Exception, Stopped) as error:
        for number in SIGNALS:
            signal.signal(number, signal.SIG_IGN)  # everything is cleaned up: only the message is left to be said
        raise SystemExit(voice.fail(error).exit_code) from None
    finally:
        voice.rest()
