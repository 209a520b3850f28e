"""Cutting a problem into shards that are worked on by themselves: a pure function of the problem."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kanon_cli.algorithms.base import Covering, Grouping
from kanon_cli.problem import Problem


@dataclass(frozen=True)
class Shard:
    """A part of a problem: its rows' numbers in the whole, and the problem they make."""

    rows: npt.NDArray[np.int64]
    problem: Problem


def split(problem: Problem) -> list[Shard]:
    """Cut a problem; a table that fits one machine is one shard."""
    return [Shard(np.arange(problem.rows), problem)]


def join(shards: Sequence[Shard], results: Sequence[Grouping | Covering]) -> Grouping | Covering:
    """Put what was made of all shards side by side: all are groups, or all are boxes."""
    coverings = [result for result in results if isinstance(result, Covering)]
    if coverings:
        return _join_boxes(shards, coverings)
    return _join_groups(shards, [result for result in results if isinstance(result, Grouping)])


def _join_boxes(shards: Sequence[Shard], coverings: Sequence[Covering]) -> Covering:
    columns, rows = len(coverings[0].lo), sum(len(shard.rows) for shard in shards)
    lo, hi = np.empty((columns, rows), dtype=np.int32), np.empty((columns, rows), dtype=np.int32)
    for shard, covering in zip(shards, coverings, strict=True):
        lo[:, shard.rows], hi[:, shard.rows] = covering.lo, covering.hi
    return Covering(lo, hi, _sum(coverings), coverings[0].losses if len(coverings) == 1 else ())


def _sum(results: Sequence[Grouping | Covering]) -> dict[str, int | float | bool]:
    facts: dict[str, int | float | bool] = {}
    for result in results:
        for name, value in result.facts.items():
            facts[name] = facts.get(name, 0) + value
    return facts


def _join_groups(shards: Sequence[Shard], groupings: Sequence[Grouping]) -> Grouping:
    group_of = np.empty(sum(len(shard.rows) for shard in shards), dtype=np.int32)
    groups = 0
    for shard, grouping in zip(shards, groupings, strict=True):
        group_of[shard.rows] = grouping.group_of + groups
        groups += grouping.groups
    losses = groupings[0].losses if len(groupings) == 1 else ()
    return Grouping(group_of, _sum(groupings), losses, _left_out(shards, groupings, len(group_of)))


def _left_out(shards: Sequence[Shard], groupings: Sequence[Grouping], rows: int) -> npt.NDArray[np.bool_]:
    left_out = np.zeros(rows, dtype=np.bool_)
    for shard, grouping in zip(shards, groupings, strict=True):
        if grouping.left_out is not None:
            left_out[shard.rows] = grouping.left_out
    return left_out
