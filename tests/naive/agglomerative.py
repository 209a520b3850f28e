"""Agglomerative clustering, algorithms 1 and 2 of Gionis, Mazza and Tassa, line by line."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

Cluster = frozenset[int]
Price = Callable[[Sequence[int]], int]  # what each of some rows costs in one group: the paper's d


@dataclass(frozen=True)
class Agglomerative:
    """The algorithms for one distance; clusters go by their lowest row, and ties to the lowest of these."""

    price: Price
    k: int
    distance: str
    epsilon: int
    is_modified: bool

    def run(self, rows: int) -> list[list[int]]:
        """The groups of rows 0 .. rows - 1."""
        growing = [frozenset({row}) for row in range(rows)]
        finished: list[Cluster] = []
        while len(growing) > 1:
            growing.sort(key=min)
            a, b = min(
                itertools.combinations(growing, 2), key=lambda pair: min(self.gap(*pair), self.gap(*reversed(pair)))
            )
            growing = [cluster for cluster in growing if cluster not in (a, b)]
            if len(a | b) < self.k:
                growing.append(a | b)
            else:
                kept = self.shrink(a | b) if self.is_modified else a | b
                growing += [frozenset({row}) for row in (a | b) - kept]
                finished.append(kept)
        for row in sorted(growing[0] if growing else ()):
            finished.sort(key=min)
            nearest = min(finished, key=lambda cluster: self.gap(frozenset({row}), cluster))
            finished = [cluster | {row} if cluster is nearest else cluster for cluster in finished]
        return sorted(map(sorted, finished))

    def shrink(self, cluster: Cluster) -> Cluster:
        """Algorithm 2: without the record that is farthest from the others with it, until k are left."""
        while len(cluster) > self.k:
            cluster -= {max(sorted(cluster), key=lambda row: self.gap(cluster, cluster - {row}))}
        return cluster

    def gap(self, a: Cluster, b: Cluster) -> float:
        """Equations 8 to 11, and the distance of Nergiz and Clifton, which depends on the direction."""
        union, rows = self._price(a | b), len(a | b)
        if self.distance == "d1":
            return rows * union - len(a) * self._price(a) - len(b) * self._price(b)
        if self.distance == "d2":
            return union - self._price(a) - self._price(b)
        if self.distance == "d3":
            return (union - self._price(a) - self._price(b)) / math.log2(rows)
        if self.distance == "d4":
            return union / (self._price(a) + self._price(b) + self.epsilon)
        return union - self._price(b)

    def _price(self, cluster: Cluster) -> int:
        return self.price(sorted(cluster))
