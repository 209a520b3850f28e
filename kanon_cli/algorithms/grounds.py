"""What a search in wards stands on: how large clusters could be, secrets by few codes, rows dealt to chunks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from kanon_cli.algorithms.base import needed_rows
from kanon_cli.problem import Problem

if TYPE_CHECKING:
    from kanon_cli.kernels.clusterings import Ground
    from kanon_cli.kernels.clusters import Aim

IntArray = npt.NDArray[np.int64]

FAIR_SIZES = 64  # clusters are made larger than k, up to so many times, where promises about secrets need that
FAIR_TIMES = (1, 2, 4, 8)  # how many times as large as clusters of typical rows have to be
MANY_CODES, DEALT_CODES = 64, 16  # a secret with more codes than the first is dealt to chunks by so few
ROOM = 1 << 62  # for the keys of a sort in one number


def ground_of(problem: Problem, k: int) -> Ground:
    """What the kernels know of a problem where clusters have k rows at least."""
    from kanon_cli.kernels.boxes import coordinates, tariff
    from kanon_cli.kernels.clusterings import Ground

    aim = problem.aim
    secrets = [
        _renumber(codes, int(values), cap, k)
        for codes, values, cap in zip(aim.secret_of, aim.values, aim.cap, strict=True)
    ]
    return Ground(
        coordinates(problem.costs, problem.rank_of),
        np.array([codes for codes, _ in secrets], dtype=np.int32).reshape(len(secrets), problem.rows),
        *tariff(problem.costs),
        k,
        np.array([count for _, count in secrets], dtype=np.int64),
        aim.cap,
    )


def least_size(aim: Aim) -> int:
    """The rows that any cluster has at the least, by k and by the largest shares."""
    return max(aim.k, *needed_rows(aim), 0)


def sizes_of(aim: Aim) -> list[int]:
    """How large clusters could be made, the least first.

    Where rules are promised, as many rows as keep them with typical values, and several times that: few rows keep them
    only if nearly all are just what is lacking, and the last clusters get what rows are left.
    """
    least = least_size(aim)
    if not any(map(_is_ruled, aim.cap)):
        return [least]
    fair, most = max(least, *_fair_sizes(aim)), min(FAIR_SIZES * aim.k, aim.secret_of.shape[1])
    return sorted({max(least, min(times * fair, most)) for times in FAIR_TIMES})


def _fair_sizes(aim: Aim) -> Iterator[int]:
    """By secret, the rows that keep its rules if their values are as typical of the table as they can be."""
    from kanon_cli.kernels.promise import shortfall

    for codes, values, cap in zip(aim.secret_of, aim.values.tolist(), aim.cap, strict=True):
        size, most = aim.k, min(len(codes), FAIR_SIZES * aim.k)
        if _is_ruled(cap):
            rows_of = np.bincount(codes, minlength=values)
            while size < most and shortfall(_typical(rows_of, size), values, size, cap):
                size += max(size // 8, 1)
        yield min(size, most)


def _typical(rows_of: IntArray, size: int) -> IntArray:
    """The counts of so many rows that are nearest to those of the table."""
    counts: IntArray = rows_of * size // rows_of.sum()
    left = np.argsort(counts * rows_of.sum() - rows_of * size, kind="stable")[: size - counts.sum()]
    counts[left] += 1
    return counts


def _renumber(codes: npt.NDArray[np.int32], values: int, cap: IntArray, k: int) -> tuple[IntArray, int]:
    """Give all values that are too rare to break a promise in k rows the same code, before that of missing ones.

    Where more is promised than a largest share, all values keep their codes.
    """
    if _is_ruled(cap):
        return np.where(codes == values - 1, values, codes), values + 1
    counts = np.bincount(codes, minlength=values)
    allowed = k * int(cap[1]) // int(cap[0]) - int(counts[-1])
    common = np.flatnonzero(counts[:-1] > allowed)
    code_of = np.full(values, len(common), dtype=np.int64)
    code_of[common] = np.arange(len(common))
    code_of[-1] = len(common) + 1
    return code_of[codes], len(common) + 2


def _is_ruled(cap: IntArray) -> bool:
    """Whether more is promised of a secret than a largest share."""
    from kanon_cli.kernels.promise import RULES

    return len(cap) > RULES and bool(cap[RULES])


def is_compared(aim: Aim) -> bool:
    """Whether the values of a group are compared with those of the table, as t, beta and delta ask."""
    from kanon_cli.kernels.promise import BAND, LINE, TREE

    return any(kind in (LINE, TREE, BAND) for cap in aim.cap for kind in _kinds_of_rules(cap))


def _kinds_of_rules(cap: IntArray) -> Iterator[int]:
    from kanon_cli.kernels.promise import FIRST, RULES

    at = FIRST
    for _ in range(int(cap[RULES])):
        yield int(cap[at])
        at += int(cap[at + 1])


def sorted_rows(problem: Problem) -> IntArray:
    """Sort the rows by their secrets and then by their values, columns with few values first."""
    by = np.argsort(problem.costs.ranks, kind="stable")[::-1]
    return np.lexsort((*_packed(problem.rank_of[by], problem.costs.ranks[by]), *_to_deal(problem.aim)))


def _packed(keys: npt.NDArray[np.int32], values: IntArray) -> Iterator[IntArray]:
    """The keys of a sort, those that count most last, as many in one number as there is room for."""
    packed, factor = np.zeros(keys.shape[1], dtype=np.int64), 1
    for key, count in zip(keys, values.tolist(), strict=True):
        if factor * count > ROOM:
            yield packed
            packed, factor = np.zeros_like(packed), 1
        packed += key.astype(np.int64) * factor
        factor *= count
    yield packed


def _to_deal(aim: Aim) -> npt.NDArray[np.int32]:
    """[secret, row] the codes by which rows are dealt to chunks: neighbours together where there are many codes."""
    found = aim.secret_of.copy()
    for codes, values, cap in zip(found, aim.values.tolist(), aim.cap, strict=True):
        if values > MANY_CODES and _is_ruled(cap):
            codes[:] = codes.astype(np.int64) * DEALT_CODES // values
    return found


def cut_into_chunks(problem: Problem, order: IntArray, rows: int) -> tuple[IntArray, IntArray]:
    """Cut the sorted rows into chunks of so many rows; give the order and the cuts.

    With secrets, the rows of each combination of them are dealt out evenly, so that a chunk can keep the promise if the
    table can; those that still can't, as parts of a row can't be dealt, are joined.
    """
    secrets = _to_deal(problem.aim)
    chunks = max(problem.rows // rows, 1)
    if not len(secrets):
        return order, np.linspace(0, problem.rows, chunks + 1).astype(np.int64)
    starts = np.flatnonzero(np.append(True, np.diff(secrets[:, order], axis=1).any(axis=0)))
    lengths = np.diff(np.append(starts, problem.rows))
    place = (np.arange(problem.rows) - np.repeat(starts, lengths)) / np.repeat(lengths, lengths)
    order = order[np.argsort(place, kind="stable")]
    cuts = np.linspace(0, problem.rows, chunks + 1).astype(np.int64)
    return order, _feasible(problem, order, cuts)


def _feasible(problem: Problem, order: IntArray, cuts: IntArray) -> IntArray:
    """Leave out the cuts after which a chunk would break the promise as a whole."""
    aim = problem.aim
    kept = [0]
    for end in cuts[1:].tolist():
        if _keeps(aim.secret_of[:, order[kept[-1] : end]], aim):
            kept.append(end)
    while kept[-1] != problem.rows:  # the rest joins the last chunks that it needs
        kept.pop()
        if not kept or _keeps(aim.secret_of[:, order[kept[-1] :]], aim):
            kept.append(problem.rows)
    return np.array(kept if kept[0] == 0 else [0, *kept], dtype=np.int64)


def _keeps(codes: npt.NDArray[np.int32], aim: Aim) -> bool:
    """Whether rows with these secrets, as one group, keep the promise."""
    from kanon_cli.kernels.promise import shortfall

    return not any(
        shortfall(np.bincount(codes[secret], minlength=values), values, codes.shape[1], aim.cap[secret])
        for secret, values in enumerate(aim.values.tolist())
    )
