"""Around every command: from exceptions and signals to one message and an exit code."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from kanon_cli.cli.stopping import Stopped, ignore_signals, stop_if_asked
from kanon_cli.cli.voices import Voice


@contextmanager
def guard(voice: Voice) -> Iterator[None]:
    """Let the voice tell what went wrong, and end the process with its exit code."""
    try:
        try:
            yield
        except Exception:
            stop_if_asked()  # if so, the error is but a consequence
            raise
    except (Exception, Stopped) as error:
        ignore_signals()  # everything is cleaned up
        raise SystemExit(voice.fail(error).exit_code) from None
    finally:
        voice.rest()
