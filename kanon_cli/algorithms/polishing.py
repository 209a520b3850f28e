"""Passes over finished groups by what rows cost exactly, where a search knew only means."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from kanon_cli.algorithms.base import GroupArray, Grouping, Terms, put_aside
from kanon_cli.algorithms.passes import MOST_PASSES, OMEGA, search_of
from kanon_cli.kernels.splits import Rules
from kanon_cli.kernels.unions import shortfalls
from kanon_cli.problem import Problem

IntArray = npt.NDArray[np.int64]

PIECE = 8192  # groups that a row can choose from: more are cut into pieces, or time would grow with their square
TOUCHES = 50  # of an anytime search that allow one pass: with Adult's 45,222 rows and 14 columns, it takes as long


def while_searching(terms: Terms) -> Terms:
    """The terms of a search after which groups are polished: it has half of the time."""
    return replace(terms, spent=lambda: 2 * terms.spent())


def polish(problem: Problem, found: Grouping, terms: Terms, by_effort: bool) -> Grouping:
    """Start the passes of sequential clustering from finished groups, by exact costs; keep what costs less.

    Pieces know nothing of each other and have random numbers of their own, so that any number of threads gives the
    same groups. With `by_effort`, the work that the search did limits the passes: `effort` repeats both.
    """
    found = replace(found, losses=())  # by other costs than those that count
    if found.left_out is not None and found.left_out.any():
        staying = np.flatnonzero(~found.left_out)
        part = replace(found, group_of=found.group_of[staying], left_out=None)
        polished = polish(problem.part(staying), part, terms, by_effort)
        return replace(polished, group_of=put_aside(polished.group_of, found.left_out), left_out=found.left_out)
    passes = min(int(found.facts["effort"]) // TOUCHES, MOST_PASSES) if by_effort else MOST_PASSES
    if passes == 0 or found.groups == 1:
        return found
    pieces = list(_pieces(problem, found.group_of))
    seeds = np.random.SeedSequence(terms.seed).spawn(len(pieces))

    def work(rows: IntArray, seed: np.random.SeedSequence) -> tuple[GroupArray, int]:
        return _polish_piece(problem.part(rows), found.group_of[rows], passes, np.random.default_rng(seed))

    group_of, groups, most = np.empty_like(found.group_of), 0, 0
    with ThreadPoolExecutor(terms.threads) as pool:
        for rows, (better, used) in zip(pieces, pool.map(work, pieces, seeds), strict=True):
            group_of[rows] = better + groups
            groups += int(better.max()) + 1
            most = max(most, used)
    return replace(found, group_of=group_of, facts={**found.facts, "polished": most})


def _pieces(problem: Problem, group_of: GroupArray) -> Iterator[IntArray]:
    """Cut the groups, sorted by the least of their values, into pieces of neighbours; give the rows of each."""
    order = np.argsort(group_of, kind="stable")
    starts = np.flatnonzero(np.diff(group_of[order], prepend=-1))
    pieces = -(-len(starts) // PIECE)
    few_first = np.argsort(problem.costs.ranks, kind="stable")[::-1]  # the last one is the first to sort by
    sorted_groups = np.lexsort(np.minimum.reduceat(problem.rank_of[:, order], starts, axis=1)[few_first])
    piece_of = np.empty(len(starts), dtype=np.int64)
    piece_of[sorted_groups] = np.arange(len(starts)) * pieces // len(starts)
    for piece in range(pieces):
        yield np.flatnonzero(piece_of[group_of] == piece)


def _polish_piece(
    problem: Problem, group_of: GroupArray, passes: int, rng: np.random.Generator
) -> tuple[GroupArray, int]:
    """Polish groups that rows of no other group can join; give them, and the passes that led to them."""
    aim = problem.aim
    rules = Rules(judged_from=aim.k, largest=int(OMEGA * aim.k), at_once=True, rounded=False)
    search = search_of(problem, rules, passes)
    before = np.unique(group_of, return_inverse=True)[1].astype(np.int32)
    found = search.run(before, rng, lambda _done: None)
    clusters = search.gather(found.group_of)
    keeps = np.bincount(found.group_of).min() >= aim.k and not shortfalls(clusters, aim).any()
    if not keeps or found.cost >= search.cost(search.gather(before)):
        return before, 0
    return found.group_of, int(found.facts["passes"])
