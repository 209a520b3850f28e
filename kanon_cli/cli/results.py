"""What kanon prints on stdout: pages for people, JSON for machines."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kanon_cli.errors import Mistake, OutputError

if TYPE_CHECKING:
    from rich.text import Text

WIDEST = 80


def show(lines: Sequence[Text]) -> None:
    """Print lines, in colour on a terminal that has it."""
    from rich.console import Console

    console = Console(file=sys.stdout, highlight=False)
    with console.capture() as captured:  # rich would end the process when the reader of a pipe is gone
        for line in lines:
            console.print(line, soft_wrap=True)
    write(captured.get())


def show_json(value: Any) -> None:
    """Print a value as JSON."""
    write(json.dumps(value, indent=2, ensure_ascii=False) + "\n", "utf-8")


def write(text: str, encoding: str | None = None) -> None:
    """Print a text as it is. Who reads it may go away early; a full disk is an error."""
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode(encoding or sys.stdout.encoding, "backslashreplace"))
        sys.stdout.flush()
    except BrokenPipeError:
        _close()
    except OSError as error:
        _close()
        what = f"cannot be written: {os.strerror(error.errno) if error.errno else 'the stream is closed'}"
        raise OutputError(Mistake(what, where="the standard output")) from error


def _close() -> None:
    """Send the rest, which Python writes when the process ends, to nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
