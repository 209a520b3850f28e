"""Cutting a problem into shards that are worked on by themselves: a pure function of the problem."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kanon_cli.algorithms.base import Grouping
from kanon_cli.problem import Problem


@dataclass(frozen=True)
class Shard:
    """A part of a problem: its rows' numbers in the whole, and the problem they make."""

    rows: npt.NDArray[np.int64]
    problem: Problem


def split(problem: Problem) -> list[Shard]:
    """Cut a problem; a table that fits one machine is one shard."""
    return [Shard(np.arange(problem.rows), problem)]


def join(shards: Sequence[Shard], groupings: Sequence[Grouping]) -> Grouping:
    """Put the groups of all shards side by side."""
    group_of = np.empty(sum(len(shard.rows) for shard in shards), dtype=np.int32)
    facts: dict[str, int | float | bool] = {}
    groups = 0
    for shard, grouping in zip(shards, groupings, strict=True):
        group_of[shard.rows] = grouping.group_of + groups
        groups += grouping.groups
        for name, value in grouping.facts.items():
            facts[name] = facts.get(name, 0) + value
    return Grouping(group_of, facts, groupings[0].losses if len(groupings) == 1 else ())
