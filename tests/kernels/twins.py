"""What the slow twins of algorithms need: rows in order, prices and shortfalls of any rows, and the shared repair."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from functools import cache
from unittest.mock import patch

import numpy as np

from kanon_cli import encoding
from kanon_cli.algorithms.base import Grouping, finish
from kanon_cli.kernels.costs import LINE, price_all
from kanon_cli.problem import Problem
from tests import naive
from tests.kernels.pricing import price
from tests.naive import leaving
from tests.naive.oka import Category, Line
from tests.strategies import Task

FORMS = ["as ever", "formulas"]


@contextmanager
def priced(form: str) -> Iterator[None]:
    """Prices as tables too large for the usual form have them."""
    with patch.object(encoding, "TABLE_RANKS", 0 if form == "formulas" else encoding.TABLE_RANKS):
        yield


def price_of(problem: Problem) -> Callable[[Sequence[int]], int]:
    """What a row costs in a cluster of some rows."""

    @cache
    def price(rows: tuple[int, ...]) -> int:
        ranks = problem.rank_of[:, list(rows)].astype(np.int64)
        return int(price_all(problem.costs, ranks.min(axis=1), ranks.max(axis=1)))

    return lambda rows: price(tuple(sorted(rows)))


def shortfall_of(task: Task) -> Callable[[Sequence[int], int], float]:
    """By how many rows the most frequent sensitive value exceeds its share of a cluster of some size."""

    def shortfall(rows: Sequence[int], size: int) -> float:
        if task.diversity is None or task.diversity <= 1:
            return 0
        counts = Counter(task.table.secrets[row] for row in rows)
        missing = counts.pop(None, 0)
        return max(float((max(counts.values(), default=0) + missing) * task.diversity - Fraction(size)), 0)

    return shortfall


def needed(task: Task) -> int:
    """The rows that a group needs: k, and enough for a single row not to exceed its share."""
    return max(task.k, math.ceil(task.diversity or 1))


def kinds(problem: Problem, label_of: Sequence[int] = ()) -> list[tuple[int, ...]]:
    """What makes rows equal: quasi-identifiers, then what is secret, then the label."""
    keys = np.vstack([problem.rank_of, problem.aim.secret_of])
    return [(*keys[:, row].tolist(), *label_of[row : row + 1]) for row in range(problem.rows)]


def repaired(problem: Problem, clusters: Sequence[Sequence[int]], k: int | None = None) -> list[list[int]]:
    """The clusters after the repair that all algorithms share, with k rows; rows of no cluster are left out."""
    problem = replace(problem, aim=problem.aim._replace(k=k or problem.aim.k))
    group_of = np.full(problem.rows, -1, dtype=np.int32)
    for number, rows in enumerate(clusters):
        group_of[list(rows)] = number
    stay = np.flatnonzero(group_of >= 0)
    found = naive.groups_of(finish(problem.part(stay), group_of[stay])[0].tolist())
    return [stay[members].tolist() for members in found]


def groups_that_stay(found: Grouping) -> list[list[int]]:
    """The groups without the rows that are left out, which make the last one."""
    groups = naive.groups_of(found.group_of.tolist())
    if found.left_out is None or not found.left_out.any():
        return groups
    assert groups[-1] == np.flatnonzero(found.left_out).tolist()
    return groups[:-1]


def left_out_of(
    small: Sequence[Sequence[int]], most: int, rows: int, k: int, shortfall: Callable[[Sequence[int], int], float]
) -> list[Sequence[int]]:
    """The small clusters that are left out, or none if the other rows could not keep the promise together."""
    chosen = leaving.smallest_first(small, most)
    stay = sorted(set(range(rows)) - {row for cluster in chosen for row in cluster})
    return chosen if len(stay) >= k and shortfall(stay, len(stay)) <= 0 else []


def columns_of(problem: Problem) -> list[Line | Category]:
    """The columns: those whose price is a length as lines, and all others."""
    columns: list[Line | Category] = []
    for column, form in enumerate(problem.costs.form.tolist()):
        ranks, last = problem.rank_of[column], int(problem.costs.ranks[column]) - 1
        if form == LINE:
            places = problem.costs.position[problem.costs.position_at[column] + ranks].tolist()
            is_missing = (ranks == last) & problem.costs.has_missing[column]
            shown = [None if gone else place for place, gone in zip(places, is_missing.tolist(), strict=True)]
            columns.append(Line(shown, int(problem.costs.full[column])))
        else:
            columns.append(Category(ranks.tolist(), _price_of_column(problem, column), int(problem.costs.full[column])))
    return columns


def _price_of_column(problem: Problem, column: int) -> Callable[[Sequence[int]], int]:
    ranks = problem.rank_of[column].astype(np.int64)
    return lambda rows: int(price(problem.costs, column, ranks[list(rows)].min(), ranks[list(rows)].max()))
