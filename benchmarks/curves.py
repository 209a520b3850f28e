"""One algorithm measured at one value after the other, as long as that is bearable."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from benchmarks.inside import ended
from benchmarks.results import Finding, Note, Row
from benchmarks.setting import Unavailable
from kanon_cli.problem import Problem

PATIENCE = 40.0  # CPU seconds: what would take longer ends its curve


def curve(
    algorithm: str,
    name: str,
    values: Sequence[int],
    build: Callable[[int], Problem],
    end: Callable[[Problem, str, Sequence[int]], dict[str, float]] = ended,
) -> Iterator[Finding]:
    """Let an algorithm end at each value, in the order in which it gets slower; one seed."""
    spent: list[tuple[int, float]] = []
    for at, value in enumerate(values):
        if len(spent) > 1 and (guess := _expected(spent[-2], spent[-1], value)) > PATIENCE:
            left = ", ".join(f"{later:,}" for later in values[at:])
            yield Note(f"`{algorithm}` was not tried at {name} = {left}: the next one would take some {guess:.0f} s.")
            return
        try:
            got = end(build(value), algorithm, range(1))
        except Unavailable as reason:  # the other algorithms have curves all the same
            yield Note(str(reason))
            return
        yield Row({"algorithm": algorithm, name: value}, got)
        spent.append((value, got["cpu_s"]))


def _expected(earlier: tuple[int, float], last: tuple[int, float], value: int) -> float:
    """The CPU seconds at a value if they go on as between the last two, as a power of it, and do not fall."""
    (first, before), (second, after) = earlier, last
    exponent = math.log(max(after / max(before, 1e-3), 1.0)) / math.log(second / first)
    return float(after * (value / second) ** exponent)
