"""The rows that could be one record's: how many people they are, and which sensitive values these have."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kanon_cli.kernels.jit import part_kernel
from kanon_cli.kernels.promise import shortfall_of_counts

IntArray = npt.NDArray[np.int64]
RankArray = npt.NDArray[np.int32]

STAMP, PEOPLE = 0, 1  # places of `state`: the number of this count, and people counted


class Crowd(NamedTuple):
    """Some rows, counted. A person counts once, and once with each value; if nobody knows whose rows are, rows do."""

    counts: IntArray  # [secret, code]
    state: IntArray
    person_of: RankArray  # [row]; empty: each row is somebody else's
    pair_of: RankArray  # [secret, row] a number for whose it is and what it tells
    person_seen: IntArray  # [person] the last count in which the person was met
    pair_seen: IntArray  # [secret, pair]


def new_crowd(aim, unit_of: RankArray) -> Crowd:
    """Make a crowd of nobody."""
    secrets, known = len(aim.values), len(unit_of) > 0
    pair_of = np.zeros((secrets, len(unit_of)), dtype=np.int32)
    for secret in range(secrets if known else 0):
        told = unit_of.astype(np.int64) * int(aim.values[secret]) + aim.secret_of[secret]
        pair_of[secret] = np.unique(told, return_inverse=True)[1]
    return Crowd(
        counts=np.zeros((secrets, int(max(aim.values, default=0))), dtype=np.int64),
        state=np.zeros(2, dtype=np.int64),
        person_of=unit_of,
        pair_of=pair_of,
        person_seen=np.zeros(int(unit_of.max()) + 1 if known else 0, dtype=np.int64),
        pair_seen=np.zeros((secrets, int(pair_of.max(initial=-1)) + 1), dtype=np.int64),
    )


@part_kernel
def count_crowd(crowd, aim, rows, count):
    """Let the first `count` of some rows be the crowd; return how far it falls short of what is promised."""
    crowd.counts[:] = 0
    crowd.state[STAMP] += 1
    crowd.state[PEOPLE] = 0
    for at in range(count):
        add_row(crowd, aim, rows[at])
    return shortfall_of_counts(crowd.counts, crowd.state[PEOPLE], aim)


@part_kernel
def add_row(crowd, aim, row):
    """Let one more row be in the crowd."""
    known, stamp = len(crowd.person_of) > 0, crowd.state[STAMP]
    if not known or crowd.person_seen[crowd.person_of[row]] != stamp:
        crowd.state[PEOPLE] += 1
        if known:
            crowd.person_seen[crowd.person_of[row]] = stamp
    for secret in range(len(aim.values)):
        if known:
            pair = crowd.pair_of[secret, row]
            if crowd.pair_seen[secret, pair] == stamp:
                continue
            crowd.pair_seen[secret, pair] = stamp
        crowd.counts[secret, aim.secret_of[secret, row]] += 1


@part_kernel
def shortfall_joined(crowd, aim, row):
    """Return by how much a crowd falls short once another row is in it."""
    known, stamp, counts = len(crowd.person_of) > 0, crowd.state[STAMP], crowd.counts
    people = crowd.state[PEOPLE] + (not known or crowd.person_seen[crowd.person_of[row]] != stamp)
    for secret in range(len(aim.values)):
        if not known or crowd.pair_seen[secret, crowd.pair_of[secret, row]] != stamp:
            counts[secret, aim.secret_of[secret, row]] += 1
    short = shortfall_of_counts(counts, people, aim)
    for secret in range(len(aim.values)):
        if not known or crowd.pair_seen[secret, crowd.pair_of[secret, row]] != stamp:
            counts[secret, aim.secret_of[secret, row]] -= 1
    return short
