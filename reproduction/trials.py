"""Running algorithms with options of their own, and what is measured of what they give."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from benchmarks.inside import loss_in, loss_of, timed
from benchmarks.results import Row, Target, Value
from kanon_cli import closing, warmup
from kanon_cli.algorithms.base import Algorithm, Covering, Grouping, Terms
from kanon_cli.problem import Problem

Figures = dict[str, float]
More = Callable[[Problem, Grouping], Figures]


@cache
def _load(algorithm: Algorithm) -> None:
    """Compile and load the kernels, so that no run pays for it."""
    warmup.warm(algorithm.name, lambda problem: algorithm.work(problem, Terms()))


def work(problem: Problem, algorithm: Algorithm, seed: int = 0) -> tuple[Grouping | Covering, float]:
    """Let an algorithm end by itself; also gives the CPU seconds that it took."""
    _load(algorithm)
    return timed(problem, algorithm, seed)


def group(problem: Problem, algorithm: Algorithm, seed: int = 0) -> Grouping:
    """Let an algorithm end that makes groups."""
    result, _ = work(problem, algorithm, seed)
    if not isinstance(result, Grouping):
        raise TypeError(f"{algorithm.name} makes no groups")
    return result


def tried(problem: Problem, algorithm: Algorithm, seed: int = 0, more: More | None = None) -> Figures:
    """Loss and CPU seconds of a run, and what else is to be known of the groups."""
    result, cpu_s = work(problem, algorithm, seed)
    if isinstance(result, Covering):
        return {"loss": loss_in(problem, closing.recode(problem.rank_of, result)), "cpu_s": cpu_s}
    own = more(problem, result) if more else {}
    return {"loss": loss_of(problem, result.group_of), "cpu_s": cpu_s, **own}


def over(
    name: str,
    problems: Iterable[tuple[Value, Problem]],
    algorithms: Mapping[str, Algorithm],
    more: More | None = None,
) -> Iterator[Row]:
    """Let each algorithm work on each problem; `name` is what the problems differ in."""
    for value, problem in problems:
        for label, algorithm in algorithms.items():
            yield Row({"algorithm": label, name: value}, tried(problem, algorithm, more=more))


def most_of(rows: Iterable[Row], what: str, figure: str, first: str, second: str, reach: float = 1.0) -> Target:
    """The paper says that one algorithm has less of something than another everywhere: the worst ratio of the two."""
    found: dict[str, dict[tuple[Value, ...], float]] = {first: {}, second: {}}
    for row in rows:
        own = str(row.at.get("algorithm"))
        if own in found and figure in row.got:
            found[own][tuple(value for key, value in row.at.items() if key != "algorithm")] = row.got[figure]
    shared = found[first].keys() & found[second].keys()
    return Target(what, reach, max((found[first][at] / found[second][at] for at in shared), default=None))


def largest_fall(figures: Sequence[float]) -> float:
    """How far a row of figures falls at the most from one to the next; negative if each is larger than the last."""
    return max(earlier - later for earlier, later in pairwise(figures))


def rows_and(findings: Iterable[Row], rows: list[Row]) -> Iterator[Row]:
    """Pass rows on, and keep them."""
    for row in findings:
        rows.append(row)
        yield row


def counts_of(problem: Problem, group_of: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """How many rows of each group have each sensitive value: [group, value]."""
    counts = np.zeros((int(group_of.max()) + 1, int(problem.label_of.max()) + 1), dtype=np.int64)
    np.add.at(counts, (group_of, problem.label_of), 1)
    return counts


def total_loss(problem: Problem, found: Grouping) -> float:
    """The loss of all cells together, as k-member's authors and OKA's measure it."""
    return loss_of(problem, found.group_of) * problem.rank_of.size
