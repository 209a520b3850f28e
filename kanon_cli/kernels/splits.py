"""Splitting clusters that have grown too large."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kanon_cli.kernels.clusters import hand_over, rebuild, shortfall_of
from kanon_cli.kernels.jit import kernel, part_kernel
from kanon_cli.kernels.scans import remove


class Rules(NamedTuple):
    """How a pass goes."""

    judged_from: int  # clusters of so many rows have to keep their caps
    largest: int  # larger clusters are split
    at_once: bool  # as soon as they are; otherwise at the end of the pass
    rounded: bool  # each sensitive value is halved by itself, the odd row by `side_of`; otherwise dealt in turn


class Draws(NamedTuple):
    """What is random in a pass."""

    key_of: npt.NDArray[np.int64]  # [row] rows in random order, equal sensitive values one after the other
    side_of: npt.NDArray[np.bool_]  # [row] which half the first row of a sensitive value goes to


@part_kernel
def split(clusters, layers, costs, aim, rules, draws, c, new):
    """Split a cluster in two at random, unless a half would break the promise; say whether it was split."""
    size = clusters.closures.size
    rows = np.empty(size[c], np.int64)
    row = clusters.head[c]
    for at in range(len(rows)):
        rows[at] = row
        row = clusters.after[row]
    rows = rows[np.argsort(draws.key_of[rows])]
    goes = False
    for at in range(len(rows)):
        if rules.rounded and (at == 0 or not are_alike(aim.secret_of, rows[at - 1], rows[at])):
            goes = draws.side_of[rows[at]]
        if goes:
            hand_over(clusters, rows[at], new)
        goes = not goes
    is_whole = size[c] > 0 and size[new] > 0
    if is_whole:
        for half in (c, new):
            rebuild(clusters, layers, costs, aim, half)
            is_whole &= size[half] < rules.judged_from or shortfall_of(clusters, aim, half) == 0
    if is_whole:
        return True
    for at in range(len(rows)):
        if clusters.group_of[rows[at]] == new:
            hand_over(clusters, rows[at], c)
    remove(clusters.closures, new)
    rebuild(clusters, layers, costs, aim, c)
    return False


@part_kernel
def are_alike(secret_of, row, other):
    """Say whether two rows have the same sensitive values."""
    for secret in range(secret_of.shape[0]):  # noqa: SIM110  numba has no all() of generators
        if secret_of[secret, row] != secret_of[secret, other]:
            return False
    return True


@kernel
def split_large(clusters, layers, costs, aim, rules, draws, count):
    """Split each of the first `count` clusters that is too large; return how many were split."""
    splits = 0
    for c in range(count):
        if clusters.closures.size[c] > rules.largest:
            splits += split(clusters, layers, costs, aim, rules, draws, c, count + splits)
    return splits
