"""One algorithm measured at one value after the other, as long as that is bearable."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from benchmarks.inside import ended
from benchmarks.results import Finding, Note, Row
from kanon_cli.problem import Problem

PATIENCE = 100.0  # CPU seconds: what takes longer ends its curve


def curve(
    algorithm: str,
    name: str,
    values: Sequence[int],
    build: Callable[[int], Problem],
    end: Callable[[Problem, str, Sequence[int]], dict[str, float]] = ended,
) -> Iterator[Finding]:
    """Let an algorithm end at each value, in the order in which it gets slower; one seed."""
    for at, value in enumerate(values):
        got = end(build(value), algorithm, range(1))
        yield Row({"algorithm": algorithm, name: value}, got)
        if got["cpu_s"] > PATIENCE and at + 1 < len(values):
            left = ", ".join(f"{later:,}" for later in values[at + 1 :])
            yield Note(f"`{algorithm}` was not tried at {name} = {left}: the run before took {got['cpu_s']:.0f} s.")
            return
