"""How long each stage of a run takes."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from kanon_cli.events import Observer


@dataclass
class Clock:
    """Takes the time of each stage, and tells the observer which one it is."""

    observer: Observer
    started: float = field(default_factory=time.perf_counter)
    seconds: dict[str, float] = field(default_factory=dict)
    current: tuple[str, float] | None = None

    def stage(self, name: str) -> None:
        """End the stage before and open a new one."""
        self._end()
        self.current = (name, time.perf_counter())
        self.observer.stage(name)

    def _end(self) -> None:
        if self.current:
            name, since = self.current
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - since

    def timing(self) -> dict[str, float]:
        """Seconds by stage so far, and in total."""
        self._end()
        self.current = None
        total = time.perf_counter() - self.started
        return {name: round(seconds, 6) for name, seconds in {**self.seconds, "total": total}.items()}
