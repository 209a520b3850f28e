"""Groups that a promise of nearness to the table has kept large, clustered anew inside."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from kanon_cli.algorithms.base import BoolArray, GroupArray, Grouping, Terms, renumber
from kanon_cli.algorithms.grounds import cut_into_chunks, is_compared, least_size, sorted_rows
from kanon_cli.algorithms.k_member import KMember
from kanon_cli.algorithms.leaving import falling_short
from kanon_cli.algorithms.starts import costs_of
from kanon_cli.problem import Problem

IntArray = npt.NDArray[np.int64]

CHUNK = 1 << 14  # rows that are clustered together, up to twice that: more lose less, but time grows with their square


def part_large(problem: Problem, found: Grouping, terms: Terms) -> Grouping:
    """Cluster every group that could be two anew; keep its parts if all of them keep the aim and they cost less.

    Few cuts and few unions keep a promise of nearness to the table, so a search that knows nothing else ends with a few
    large groups. One that takes row by row what a cluster lacks finds parts in them.
    """
    if not is_compared(problem.aim):
        return found
    tried = _cluster_inside(problem, found, terms)
    is_better = _are_better(problem, found.group_of, tried)
    group_of = renumber(np.where(is_better[found.group_of], found.groups + tried, found.group_of))
    return replace(found, group_of=group_of, facts={**found.facts, "parted": int(is_better.sum())})


def _cluster_inside(problem: Problem, found: Grouping, terms: Terms) -> GroupArray:
    """[row] its group once all large groups are clustered anew.

    Chunks know nothing of each other, so that any number of threads gives the same groups. They draw the same numbers
    whatever the seed, so that an algorithm that draws none still gives one result.
    """
    group_of, count = found.group_of.copy(), found.groups
    chunks = [chunk for rows in _large_groups(problem, found) for chunk in _chunks(problem, rows)]

    def cluster(rows: IntArray) -> GroupArray:
        return KMember(start="random").partition(problem.part(rows), Terms()).group_of

    with ThreadPoolExecutor(terms.threads) as pool:
        for at, (rows, part_of) in enumerate(zip(chunks, pool.map(cluster, chunks), strict=True)):
            group_of[rows] = count + part_of
            count += int(part_of.max()) + 1
            terms.progress(1.0, f"{at + 1:,} of {len(chunks):,} large groups")
    return renumber(group_of)


def _large_groups(problem: Problem, found: Grouping) -> list[IntArray]:
    """The rows of each group that could be two, without those that are to be left out."""
    order = np.argsort(found.group_of, kind="stable")
    groups = np.split(order, np.cumsum(np.bincount(found.group_of))[:-1])
    least = 2 * least_size(problem.aim)
    return [
        rows for rows in groups if len(rows) >= least and not (found.left_out is not None and found.left_out[rows[0]])
    ]


def _chunks(problem: Problem, rows: IntArray) -> Iterator[IntArray]:
    """Cut very many rows into chunks of similar ones, each with its part of every secret."""
    if len(rows) < 2 * CHUNK:
        yield rows
        return
    part = problem.part(rows)
    order, cuts = cut_into_chunks(part, sorted_rows(part), CHUNK)
    yield from (rows[chunk] for chunk in np.split(order, cuts[1:-1]))


def _are_better(problem: Problem, group_of: GroupArray, tried: GroupArray) -> BoolArray:
    """[group] whether the groups tried in its place keep the aim and cost less."""
    before, group_of_part = costs_of(problem, group_of), group_of[np.unique(tried, return_index=True)[1]]
    after, is_short = np.zeros_like(before), np.zeros(len(before), dtype=np.bool_)
    np.add.at(after, group_of_part, costs_of(problem, tried))
    is_short[group_of_part[falling_short(problem, tried)]] = True
    return (after < before) & ~is_short
