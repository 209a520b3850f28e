"""The greedy clustering of Loukides and Shao, as section 2.2 of Lin and Wei tells it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.naive.k_member import Cluster, Price, Shortfall, drawn


@dataclass(frozen=True)
class ThresholdGreedy:
    """Random seeds, one cluster at a time, as wide as the threshold allows."""

    price: Price
    shortfall: Shortfall
    k: int
    threshold: int
    kind: Sequence[object]  # of a row: equal ones are interchangeable

    def run(self, rows: Sequence[int], draws: Iterator[float]) -> tuple[list[Cluster], list[Cluster]]:
        """The clusters, and those that are deleted; what is left at the end is the last of these."""
        left = list(rows)
        clusters: list[Cluster] = []
        deleted: list[Cluster] = []
        while len(left) >= self.k:
            cluster = [drawn(left, self.kind, draws)]
            left.remove(cluster[0])
            while True:
                size = max(len(cluster) + 1, self.k)
                before = self.shortfall(cluster, size)
                allowed = [row for row in left if self.shortfall([*cluster, row], size) <= before]
                best = min(allowed, key=lambda row: self.price([*cluster, row]), default=None)
                if best is None or self.price([*cluster, best]) > self.threshold:
                    break
                cluster.append(best)
                left.remove(best)
            if len(cluster) >= self.k and self.shortfall(cluster, len(cluster)) <= 0:
                clusters.append(cluster)
            else:
                deleted.append(cluster)
        return clusters, [*deleted, left]
