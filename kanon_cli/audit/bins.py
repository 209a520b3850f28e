"""What a reader would count in a release: values in a few bins, before and after."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from kanon_cli.audit.gather import first_rows
from kanon_cli.audit.losses import Trace

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

MOST_BINS = 20  # of a column
DIGITS = 6  # of a bit: the order of sums in products of matrices is not the same on every machine


@dataclass(frozen=True)
class Binned:
    """A column in bins: of lines quantiles, of categories the frequent values and all others together.

    A released cell counts in the bins of all values that it covers, in equal parts.
    """

    bin_of: IntArray  # [original row]
    share: FloatArray  # [cell, bin]
    cell_of: IntArray  # [row]

    @property
    def before(self) -> IntArray:
        """[bin] rows of the original."""
        return np.bincount(self.bin_of, minlength=self.share.shape[1]).astype(np.int64)

    @property
    def after(self) -> FloatArray:
        """[bin] rows of the release."""
        counts: FloatArray = np.bincount(self.cell_of, minlength=len(self.share)) @ self.share
        return counts


def bin_column(trace: Trace, k: int) -> Binned:
    """Put the values of a column into bins."""
    rows = trace.values.rows
    bin_of_rank = _by_quantile(rows) if trace.footprint.width is not None else _by_frequency(rows, k)
    bins = int(bin_of_rank.max()) + 1
    share = np.zeros((len(trace.reach), bins))
    before = np.zeros((len(rows) + 1, bins))
    present = np.flatnonzero(rows)
    before[present + 1, bin_of_rank[present]] = 1
    before = before.cumsum(axis=0)
    for cell, ranks in enumerate(trace.reach):
        if isinstance(ranks, range):
            share[cell] = before[ranks.stop] - before[ranks.start]
        else:
            share[cell] = np.bincount(bin_of_rank[ranks], minlength=bins)
    covered = share.sum(axis=1, keepdims=True)
    everything = before[-1] / before[-1].sum()
    share = np.where(covered > 0, share / np.maximum(covered, 1.0), everything)
    return Binned(bin_of_rank[trace.rank_of], share, trace.cell_of)


def _by_quantile(rows: IntArray) -> IntArray:
    """[rank] bins of about as many rows each; missing, the last rank, has a bin of its own."""
    present = rows[:-1]
    middle = np.cumsum(present) - present / 2
    bins = np.minimum(middle * MOST_BINS // max(int(present.sum()), 1), MOST_BINS - 1).astype(np.int64)
    numbers = np.unique(bins, return_inverse=True)[1].astype(np.int64)
    last = int(numbers.max(initial=-1))
    return np.append(numbers, last + 1 if rows[-1] or last < 0 else last)


def _by_frequency(rows: IntArray, k: int) -> IntArray:
    """[rank] a bin for each of the most frequent values that k rows have, and one for the others."""
    order = np.argsort(-rows, kind="stable")[: MOST_BINS - 1]
    own = order[rows[order] >= k]
    bins = np.full(len(rows), len(own), dtype=np.int64)
    bins[own] = np.arange(len(own))
    return bins if (bins[rows > 0] == len(own)).any() else np.minimum(bins, max(len(own) - 1, 0))


def pairs_told(binned: Mapping[str, Binned], class_of: IntArray) -> dict[str, dict[str, tuple[float, float]]]:
    """The mutual information of each two columns, in bits: of the original, and as the release tells it."""
    row_of = first_rows(class_of)
    sizes = np.bincount(class_of)
    shares = {name: column.share[column.cell_of[row_of]] for name, column in binned.items()}  # [class, bin]
    result: dict[str, dict[str, tuple[float, float]]] = {}
    for first, second in combinations(binned, 2):
        width = shares[second].shape[1]
        bins = shares[first].shape[1] * width
        both = np.bincount(binned[first].bin_of * width + binned[second].bin_of, minlength=bins)
        after = (shares[first] * sizes[:, None]).T @ shares[second]
        told = _information(both.reshape(-1, width).astype(np.float64)), _information(after)
        result.setdefault(first, {})[second] = told
    return result


def _information(joint: FloatArray) -> float:
    """The mutual information of rows and columns, in bits."""
    share = joint / joint.sum()
    apart = share.sum(axis=1, keepdims=True) * share.sum(axis=0, keepdims=True)
    at = share > 0
    bits = max(float((share[at] * np.log2(share[at] / apart[at])).sum()), 0.0)
    return round(bits, DIGITS)


def means_of(trace: Trace) -> tuple[float, float] | None:
    """The mean of a column of numbers or of days, before and after; None if it has none.

    A cell counts as the middle of what it covers, as long as that is not missing.
    """
    keys = np.array([float(key) for key in trace.values.keys]) if trace.footprint.width is not None else np.empty(0)
    if not len(keys):
        return None
    lowest = np.array([ranks[0] if len(ranks) else 0 for ranks in trace.reach], dtype=np.int64)
    highest = np.array([ranks[-1] if len(ranks) else len(keys) - 1 for ranks in trace.reach], dtype=np.int64)
    rows = np.where(lowest < len(keys), trace.rows, 0)
    halves = keys / 2  # their sum is finite wherever the middle is
    middle = halves[np.minimum(lowest, len(keys) - 1)] + halves[np.minimum(highest, len(keys) - 1)]
    before, after = _mean(keys, trace.values.rows[:-1]), _mean(middle, rows)
    return None if before is None or after is None else (before, after)


def _mean(values: FloatArray, rows: IntArray) -> float | None:
    """The mean, the same in whatever order; None if there are no rows, or if it is too large for a number."""
    if not rows.sum() or not np.isfinite(values).all():
        return None
    share = rows / rows.sum()
    return math.fsum((values * share).tolist())
