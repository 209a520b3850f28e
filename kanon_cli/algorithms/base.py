"""What every algorithm is: a problem in, groups or boxes out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

from kanon_cli.parts import Part
from kanon_cli.problem import Problem

if TYPE_CHECKING:
    from kanon_cli.kernels.clusters import Aim

GroupArray = npt.NDArray[np.int32]
RankArray = npt.NDArray[np.int32]
BoolArray = npt.NDArray[np.bool_]
Progress = Callable[[float, str], None]

EFFORTS = {"fast": 100, "balanced": 750, "thorough": 5000}  # work per record


def _say_nothing(_done: float, _note: str) -> None:
    """Progress that nobody sees."""


def _keep_quiet(_message: str) -> None:
    """A warning that nobody hears."""


def _nothing() -> float:
    """No limit of time."""
    return 0.0


@dataclass(frozen=True)
class Terms:
    """On what terms an algorithm works. The groups depend on the seed and on the work done, never on the threads."""

    seed: int = 0
    effort: int = EFFORTS["balanced"]  # work per record, for an algorithm that can go on as long as one likes
    threads: int = 1
    spent: Callable[[], float] = _nothing  # the share of the time for it that is over, asked between pieces of work
    progress: Progress = _say_nothing
    warn: Callable[[str], None] = _keep_quiet  # what the user should know of the result
    least: float | None = None  # no release of the table loses less
    most_left_out: int = 0  # rows that an algorithm may leave out, if it is one that does

    def say(self, loss: float) -> str:
        """A loss so far, beside what any release of the table loses."""
        return f"loss {loss:.4f}" if self.least is None else f"loss {loss:.4f}, at best {self.least:.4f}"


@dataclass(frozen=True)
class Grouping:
    """Which group each row is in, and what the algorithm has to say about its work (counts, never times)."""

    group_of: GroupArray  # [row] 0 .. groups - 1
    facts: dict[str, int | float | bool] = field(default_factory=dict)
    losses: Sequence[float] = ()  # as the search went on
    left_out: BoolArray | None = None  # [row] to be left out, in groups of their own

    @property
    def groups(self) -> int:
        """How many groups there are."""
        return int(self.group_of.max()) + 1


@dataclass(frozen=True)
class Covering:
    """A box for each row by itself, and what the algorithm has to say about its work."""

    lo: RankArray  # [column, row]
    hi: RankArray  # [column, row]
    facts: dict[str, int | float | bool] = field(default_factory=dict)
    losses: Sequence[float] = ()  # as the search went on


# The notions of anonymity, each with those that a release keeps which keeps it.
IMPLIED = {
    "k": ("k", "global-(1,k)", "(k,k)", "(k,1)", "(1,k)"),
    "global-(1,k)": ("global-(1,k)", "(k,k)", "(k,1)", "(1,k)"),
    "(k,k)": ("(k,k)", "(k,1)", "(1,k)"),
    "(k,1)": ("(k,1)",),
    "(1,k)": ("(1,k)",),
}


class Algorithm(Part):
    """A way to put the rows of a problem into groups that keep its goal, or to give each row a box of its own.

    What keeps the notion k partitions; what keeps another one recodes.
    """

    keeps: ClassVar[str] = "k"  # the strongest notion of anonymity that its releases keep
    randomized: ClassVar[bool]  # whether another seed gives another grouping
    shardable: ClassVar[bool]  # whether parts of a table may be worked on by themselves
    anytime: ClassVar[bool] = False  # whether more effort gives less loss, and it can stop at any time
    secret_seed: ClassVar[bool] = False  # whether its seed tells whose row is whose, and so stays out of the report
    memory: ClassVar[str]  # by the number of rows n
    searches: ClassVar[bool] = False  # whether it improves groups round after round, and recombines where it is free to
    counts_kept: ClassVar[bool] = False  # whether it searches by exact costs where they depend on the row

    @property
    def leaves_out(self) -> bool:
        """Whether it leaves rows out where the spec allows that, with the options that it has."""
        return False

    @property
    def by_label(self) -> bool:
        """Whether costs depend on the first sensitive column, with the options that it has, whatever the measure."""
        return False

    def partition(self, problem: Problem, terms: Terms) -> Grouping:
        """Put every row into one group; each group keeps the problem's goal."""
        raise NotImplementedError

    def recode(self, problem: Problem, terms: Terms) -> Covering:
        """Give every row a box that covers it; together they keep the algorithm's notion and the problem's goal."""
        raise NotImplementedError

    def work(self, problem: Problem, terms: Terms) -> Grouping | Covering:
        """Do what this algorithm does, part what promises kept large, and polish what was found by mean costs alone."""
        if self.keeps != "k":
            return self.recode(problem, terms)
        if problem.exact is None or self.counts_kept:
            return self._part(problem, self.partition(problem, terms), terms)
        from kanon_cli.algorithms.polishing import polish, while_searching

        found = self._part(problem, self.partition(problem, while_searching(terms)), terms)
        return polish(problem, found, terms, self.anytime)

    def _part(self, problem: Problem, found: Grouping, terms: Terms) -> Grouping:
        """Part large groups, unless a search has rebuilt them for as long as one likes."""
        if self.anytime or not len(problem.aim.values):
            return found
        from kanon_cli.algorithms.parting import part_large

        return part_large(problem, found, terms)


def with_needed_rows(problem: Problem) -> Problem:
    """The problem with as large a k as its largest shares ask of a group anyway: one row of a value takes l rows.

    With a smaller k there are more clusters than can keep the promise, and one that has grown to k rows takes only rows
    that bring it nearer: of a share that needs more than k, no single row does, and no cluster grows.
    """
    return replace(problem, aim=problem.aim._replace(k=max([problem.aim.k, *needed_rows(problem.aim)])))


def needed_rows(aim: Aim) -> list[int]:
    """By secret, how many rows a group has at the least that takes one row of a value: its share may not be larger."""
    return [-(-size // rows) for size, rows in aim.cap[:, :2].tolist()]


def finish(problem: Problem, group_of: GroupArray, left_out: BoolArray | None = None) -> tuple[GroupArray, int]:
    """Unify groups until all keep the aim, small ones with each other first; give them, and how many were unified.

    Rows that are left out are in none of these groups; they make the last one.
    """
    if left_out is not None and left_out.any():
        rows = np.flatnonzero(~left_out)
        found, unified = finish(problem.part(rows), group_of[rows])
        return put_aside(found, left_out), unified
    from kanon_cli.kernels.clusters import gather  # numba is loaded only when an algorithm runs
    from kanon_cli.kernels.layers import lay
    from kanon_cli.kernels.unions import unify_small, unify_unfinished

    costs, aim = problem.costs, problem.aim
    layers = lay(costs, problem.rank_of)
    clusters = gather(layers, costs, aim, renumber(group_of), int(group_of.max()) + 1)
    unified = unify_small(clusters, layers, costs, aim.k)
    unified += unify_unfinished(clusters, layers, costs, aim)
    return renumber(clusters.group_of), int(unified)


def renumber(group_of: GroupArray) -> GroupArray:
    """Close the gaps in the numbers of the groups, keeping their order."""
    used = np.bincount(group_of) > 0
    return (np.cumsum(used) - 1)[group_of].astype(np.int32)


def put_aside(group_of: GroupArray, left_out: BoolArray) -> GroupArray:
    """The group of every row, from those of the rows that stay: the others make the last group."""
    result = np.full(len(left_out), int(group_of.max()) + 1, dtype=np.int32)
    result[~left_out] = group_of
    return result
