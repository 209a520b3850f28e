"""What kanon says on stderr while it works: plain lines, a live line on a terminal, or JSON lines."""

from __future__ import annotations

import datetime
import json
import os
import sys
import time
import traceback
from abc import ABC, abstractmethod
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from kanon_cli.cli.failures import Failure, failure_of, one_line
from kanon_cli.cli.stopping import Stopped, stop_if_asked

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

WORDS_FOR = {
    "read": "reading",
    "encode": "encoding",
    "compile": "compiling kernels (once)",
    "bound": "bounding the loss",
    "cluster": "clustering",
    "release": "generalizing",
    "write": "writing",
    "verify": "verifying",
    "learn": "learning",
    "explain": "searching again and again",
}
PAUSE = 1.0  # seconds between two progress events in JSON


class LogFormat(StrEnum):
    """How the lines on stderr are written."""

    text = "text"
    json = "json"


class Voice(ABC):
    """An observer that can also tell of failures. A quiet one tells of nothing else."""

    def __init__(self, quiet: bool, debug: bool) -> None:
        self.quiet = quiet
        self.debug = debug
        self.spec: str | None = None  # the one that is worked on

    def begin(self, spec: str, is_one_of_many: bool) -> None:  # noqa: ARG002  a line of its own is for people
        """Say which spec is worked on from now on."""
        self.spec = spec

    def stage(self, name: str) -> None:
        """Open a new stage of the work."""
        stop_if_asked()
        if not self.quiet:
            self.show_stage(name)

    def progress(self, done: float, note: str = "") -> None:
        """Say how much of the stage is done."""
        stop_if_asked()
        if not self.quiet:
            self.show_progress(done, note)

    def warn(self, message: str) -> None:
        """Say something the user should know."""
        if not self.quiet:
            self.show_warning(message)

    @abstractmethod
    def show_stage(self, name: str) -> None:
        """Say what begins."""

    @abstractmethod
    def show_progress(self, done: float, note: str) -> None:
        """Say how far it is."""

    @abstractmethod
    def show_warning(self, message: str) -> None:
        """Say it as a warning."""

    @abstractmethod
    def tell(self, failure: Failure, trace: str) -> None:
        """Say what went wrong."""

    def done(self, **facts: Any) -> None:  # noqa: B027  for people the summary says it
        """Say that a spec is through."""

    def rest(self) -> None:  # noqa: B027  only a live line has to be taken away
        """Leave the screen to others."""

    def fail(self, error: BaseException) -> Failure:
        """Say what went wrong, and give it back."""
        if not isinstance(error, Stopped):
            stop_if_asked()  # the error is but a consequence
        failure = failure_of(error, self.spec)
        self.rest()
        self.tell(failure, "".join(traceback.format_exception(error)) if self.debug else "")
        return failure


class TextVoice(Voice):
    """Plain lines, one a stage."""

    def begin(self, spec: str, is_one_of_many: bool) -> None:
        """Say which of several specs comes now."""
        super().begin(spec, is_one_of_many)
        if is_one_of_many and not self.quiet:
            self.say(f"kanon: {one_line(spec)}")

    def show_stage(self, name: str) -> None:
        """Write a line."""
        self.say(f"kanon: {WORDS_FOR.get(name, name)}")

    def show_progress(self, done: float, note: str) -> None:
        """Write nothing: lines can't be taken back."""

    def show_warning(self, message: str) -> None:
        """Write a line."""
        self.say(f"kanon: warning: {one_line(message)}")

    def tell(self, failure: Failure, trace: str) -> None:
        """Say each mistake on a line."""
        for line in [*trace.splitlines(), *failure.lines()]:
            self.say(line)

    def say(self, line: str) -> None:
        """Write a line."""
        _write(line)


class LiveVoice(TextVoice):
    """A line on the terminal that shows the stage and how far it is, and goes away at the end."""

    def __init__(self, quiet: bool, debug: bool) -> None:
        super().__init__(quiet, debug)
        self._line: tuple[Progress, TaskID] | None = None

    def show_stage(self, name: str) -> None:
        """Begin the line anew."""
        progress, task = self._line = self._line or _open_line()
        progress.reset(task, total=None, description=WORDS_FOR.get(name, name), note="")

    def show_progress(self, done: float, note: str) -> None:
        """Move the bar."""
        if self._line:
            progress, task = self._line
            progress.update(task, completed=done, total=1.0, note=note)

    def rest(self) -> None:
        """Take the line away."""
        if self._line:
            self._line[0].stop()
            self._line = None

    def say(self, line: str) -> None:
        """Write a line above the live one, its first words in colour."""
        from rich.console import Console
        from rich.text import Text

        text = Text(line)
        text.highlight_regex(r"^kanon: (error|a defect in kanon):", "bold red")
        text.highlight_regex(r"^kanon: warning:", "bold yellow")
        text.highlight_regex(r"^  hint: .*", "dim")
        console = self._line[0].console if self._line else Console(stderr=True)
        console.print(text, soft_wrap=True, highlight=False)


def _open_line() -> tuple[Progress, TaskID]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    progress = Progress(
        SpinnerColumn(style="cyan"),
        TextColumn("{task.description:<24}", markup=False),
        BarColumn(24, complete_style="cyan", finished_style="cyan", pulse_style="bright_black"),
        TimeElapsedColumn(),
        TextColumn("{task.fields[note]}", style="dim", markup=False),
        console=Console(stderr=True),
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )
    progress.start()
    return progress, progress.add_task("", total=None, note="")


class JsonVoice(Voice):
    """One JSON object a line."""

    def __init__(self, quiet: bool, debug: bool) -> None:
        super().__init__(quiet, debug)
        self._stage = ""
        self._next = 0.0

    def show_stage(self, name: str) -> None:
        """Write that a stage begins."""
        self._stage, self._next = name, time.monotonic() + PAUSE
        self._event("info", "stage", stage=name)

    def show_progress(self, done: float, note: str) -> None:
        """Write how far the stage is, once a second at the most."""
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + PAUSE
            self._event("info", "progress", stage=self._stage, done=round(done, 4), note=note)

    def show_warning(self, message: str) -> None:
        """Write a warning."""
        self._event("warning", "warning", message=message)

    def tell(self, failure: Failure, trace: str) -> None:
        """Write what went wrong, with the exit code."""
        self._event("error", "error", **failure.as_json(), **({"traceback": trace} if trace else {}))

    def done(self, **facts: Any) -> None:
        """Write that a spec is through."""
        if not self.quiet:
            self._event("info", "done", **facts)

    def _event(self, level: str, event: str, **facts: Any) -> None:
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
        spec = {} if self.spec is None else {"spec": self.spec}
        _write(json.dumps({"time": now, "level": level, "event": event, **spec, **facts}))


def voice_for(log_format: LogFormat, quiet: bool, debug: bool) -> Voice:
    """Choose how to speak: a live line needs a terminal that can move its cursor."""
    if log_format is LogFormat.json:
        return JsonVoice(quiet, debug)
    live = sys.stderr.isatty() and os.environ.get("TERM", "dumb").lower() not in ("dumb", "unknown")
    return LiveVoice(quiet, debug) if live else TextVoice(quiet, debug)


def _write(line: str) -> None:
    """Write to stderr; if nobody can read it any more, that is no reason to stop the work."""
    try:
        print(line, file=sys.stderr, flush=True)  # noqa: T201  the one place that writes plain lines
    except OSError:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123  until the process ends
