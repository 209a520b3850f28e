"""Evidence to verdicts and figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import count
from types import MappingProxyType
from typing import Any

import numpy as np

from kanon_cli.models.alpha import largest_share
from kanon_cli.models.base import Model, Notion, Verdict, finite, linkage
from kanon_cli.models.beta import enhanced_gain, largest_gain
from kanon_cli.models.delta import disclosure
from kanon_cli.models.evidence import Evidence
from kanon_cli.models.k import smallest_class
from kanon_cli.models.l_frequency import l_distinct, l_entropy, l_frequency
from kanon_cli.models.links import Ground
from kanon_cli.models.recursive import recursive_c
from kanon_cli.models.seen import among
from kanon_cli.models.t import closeness

Number = int | float | None  # None: no limit
Figure = Number | dict[str, Number]

REQUIRABLE = {
    "k": "k",
    "l": "l_frequency",
    "l_frequency": "l_frequency",
    "l_distinct": "l_distinct",
    "l_entropy": "l_entropy",
    "k1": "k1",
    "1k": "1k",
    "kk": "kk",
    "global-1k": "global_1k",
}
NOTIONS = frozenset({"k1", "1k", "kk", "global_1k"})  # figures that are told beside the original
FINE_BINS = 20
FIGURE_OF = {"l": "l_frequency", "distinct": "l_distinct", "entropy": "l_entropy"}  # where a promise has another name
AT_MOST = frozenset({"recursive_c", "alpha", "t", "beta", "beta_enhanced", "delta", "delta_present"})  # less is safer
STRICT = frozenset({"recursive_c", "delta", "delta_present"})  # of these, what has to stay below its bound


def judge(evidence: Evidence, models: Sequence[Model]) -> list[Verdict]:
    """Ask every model about the table; about sensitive values where the notion of anonymity says."""
    seen = among(evidence, ground_of(models))
    return [verdict for model in models for verdict in model.check(evidence if isinstance(model, Notion) else seen)]


def ground_of(models: Sequence[Model]) -> Ground:
    """Say among which rows a person is looked for: in a class, or where the notion that is promised says."""
    return next((model.ground for model in models if isinstance(model, Notion)), "classes")


def achieved(evidence: Evidence, ground: Ground = "classes") -> dict[str, Figure]:
    """Find what the table really keeps of each promise; by column if there are several sensitive ones."""
    figures: dict[str, Figure] = {"k": smallest_class(evidence)}
    if ground != "classes":
        figures |= linkage(evidence)
    if evidence.secrets:
        seen = among(evidence, ground)
        figures |= {name: _by_column(seen, figure) for name, figure in OF_SECRETS.items()}
    return figures


def attacks(evidence: Evidence) -> dict[str, dict[str, int | float]] | None:
    """Find how many released rows could be a person's, for who knows the original: the worst person's, and the risk.

    `neighbours`: all that cover the person's row; `matches`: those that are left for who knows exactly who is in the
    table. None where that cannot be told.
    """
    if evidence.links is None or not evidence.links.is_there.any():
        return None
    grounds: tuple[Ground, ...] = ("neighbours", "matches")
    return {ground: _attack(evidence, ground) for ground in grounds}


def _attack(evidence: Evidence, ground: Ground) -> dict[str, int | float]:
    hidden, rows = evidence.crowds(ground)
    least, found = int(hidden.min()), risk(evidence, ground)
    return {
        "least": least,
        "rows": int(rows[hidden == least].sum()),
        "risk_max": found["prosecutor_max"],
        "risk_mean": found["prosecutor_mean"],
    }


def _rounded_l_entropy(evidence: Evidence, column: str) -> float:
    """Without the last digits, which are noise of log and exp: three equally frequent values give 3."""
    return round(l_entropy(evidence, column), 12)


OF_SECRETS: Mapping[str, Callable[[Evidence, str], int | float]] = MappingProxyType(
    {
        "l_frequency": l_frequency,
        "l_distinct": l_distinct,
        "l_entropy": _rounded_l_entropy,
        "recursive_c": recursive_c,
        "alpha": largest_share,
        "t": closeness,
        "beta": largest_gain,
        "beta_enhanced": enhanced_gain,
        "delta": disclosure,
        "delta_present": partial(disclosure, present=True),
    }
)


def _by_column(evidence: Evidence, figure: Callable[[Evidence, str], int | float]) -> Figure:
    found = {column: finite(figure(evidence, column)) for column in evidence.columns}
    return next(iter(found.values())) if len(found) == 1 else found


def risk(evidence: Evidence, ground: Ground = "classes") -> dict[str, float]:
    """Find the chance that a guess hits a person's row, in their class or where `ground` says: worst and mean."""
    hidden_among, rows_of = evidence.crowds(ground)
    hidden, crowd_of = np.unique(np.maximum(hidden_among, 1), return_inverse=True)
    rows = np.zeros(len(hidden), dtype=np.int64)
    np.add.at(rows, crowd_of, rows_of)
    return {
        "prosecutor_max": 1 / int(hidden[0]),
        "prosecutor_mean": float((rows / hidden).sum()) / int(rows.sum()),  # a sum in the order of the crowds
    }


def classes(evidence: Evidence) -> dict[str, Any]:
    """Count the classes: how large they are, and what share their most frequent sensitive values have."""
    sizes = evidence.sizes
    return {
        "count": len(sizes),
        "min": int(sizes.min()),
        "mean": float(evidence.rows / len(sizes)),
        "max": int(sizes.max()),
        "histogram": _histogram(evidence),
        "sizes": _fine_histogram(evidence),
        "sensitive": {column: _share_histogram(evidence, column) for column in evidence.secrets},
    }


def _histogram(evidence: Evidence) -> list[dict[str, int]]:
    bins = []
    for low, high in size_bins(int(evidence.sizes.max())):
        inside = evidence.sizes[(evidence.sizes >= low) & (evidence.sizes <= high)]
        if len(inside):
            bins.append({"from": low, "to": high, "classes": len(inside), "rows": int(np.sum(inside))})
    return bins


def _fine_histogram(evidence: Evidence) -> list[dict[str, int]]:
    """Count classes and rows in bins of one width from the smallest class on; the last bin has the few largest."""
    sizes = evidence.sizes
    least, most = int(sizes.min()), int(sizes.max())
    usual = int(np.quantile(sizes, 0.98, method="lower"))
    width = -(-(usual - least + 1) // FINE_BINS)
    bin_of = np.minimum((sizes - least) // width, FINE_BINS)
    found = []
    for at in range(int(bin_of.max()) + 1):
        inside = sizes[bin_of == at]
        low = least + at * width
        high = most if at == FINE_BINS else min(low + width - 1, most)
        found.append({"from": low, "to": high, "classes": len(inside), "rows": int(inside.sum())})
    return found


def _share_histogram(evidence: Evidence, column: str) -> list[dict[str, float]]:
    """Count classes and rows by the share of the class's most frequent value, in ten steps."""
    class_of, _, rows = evidence.counts(column)
    most = np.zeros(len(evidence.sizes), dtype=np.int64)
    np.maximum.at(most, class_of, rows)
    step_of = -(-10 * most // evidence.sizes) - 1  # a share of 0.5 is in the step from 0.4 to 0.5
    classes = np.bincount(step_of, minlength=10).tolist()
    inside = np.bincount(step_of, weights=evidence.sizes, minlength=10).astype(np.int64).tolist()
    return [
        {"from": step / 10, "to": (step + 1) / 10, "classes": classes[step], "rows": inside[step]} for step in range(10)
    ]


def size_bins(largest: int) -> Iterator[tuple[int, int]]:
    """1, 2, 3, 4, 5-9, and from there 10-19, 20-49, 50-99, and so on with every power of ten."""
    yield from ((size, size) for size in range(1, 5))
    yield 5, 9
    for power in count(1):
        unit = 10**power
        if unit > largest:
            return
        yield from ((unit, 2 * unit - 1), (2 * unit, 5 * unit - 1), (5 * unit, 10 * unit - 1))
