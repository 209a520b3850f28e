"""The weighted c-means clustering of Chiu and Tsai, as section 2.2 of Lin and Wei tells it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tests.naive.k_member import Cluster
from tests.naive.oka import Category, Line

Columns = Sequence[Line | Category]


def distance(column: Line | Category, row: int, cluster: Sequence[int]) -> int:
    """From a row to the mean, or to the most frequent value, of a cluster."""
    if isinstance(column, Line):
        return column.distance(row, cluster)
    counts = Counter(column.value[member] for member in cluster)
    mode = min(counts, key=lambda value: (-counts[value], value))
    return column.price([row, next(member for member in cluster if column.value[member] == mode)])


@dataclass(frozen=True)
class WeightedCMeans:
    """All clusters at once, from random seeds."""

    rows: int
    passes: int
    has_weights: bool
    columns: Callable[[Sequence[float]], Columns]  # as they are with weights

    def run(self, seeds: Sequence[int]) -> list[Cluster]:
        """Assign, weigh, repeat until nothing changes."""
        clusters, weights = [[seed] for seed in seeds], [1.0] * len(self.columns([]))
        for _ in range(self.passes):
            columns = self.columns(weights)
            found: list[Cluster] = [[] for _ in clusters]
            for row in range(self.rows):
                distances = [sum(distance(column, row, cluster) for column in columns) for cluster in clusters]
                found[distances.index(min(distances))].append(row)
            found = [cluster for cluster in found if cluster]
            if found == clusters:
                break
            clusters = found
            if self.has_weights:
                weights = self._weigh(clusters, weights)
        return clusters

    def _weigh(self, clusters: Sequence[Cluster], weights: list[float]) -> list[float]:
        """The further from their centers rows are in a column, the less it counts; a suppressed row costs the same."""
        columns = self.columns([])
        everything = [column.suppressed for column in columns]
        far = [
            sum(distance(column, row, cluster) for cluster in clusters for row in cluster) / max(whole, 1)
            for column, whole in zip(columns, everything, strict=True)
        ]
        if max(far) == 0:
            return weights
        roots = [math.sqrt(math.sqrt(max(share / max(far), 0.001))) for share in far]
        weighed = math.fsum(whole / root for whole, root in zip(everything, roots, strict=True))
        return [math.fsum(everything) / weighed / root for root in roots]  # in this order: prices are rounded
