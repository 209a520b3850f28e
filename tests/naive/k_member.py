"""Greedy k-member clustering of Byun et al., function by function."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

Price = Callable[[Sequence[int]], int]  # what one of some rows costs if they are one cluster
Shortfall = Callable[[Sequence[int], int], float]  # how far rows are from their promise, as a cluster of so many

Cluster = list[int]


def loss(price: Price, cluster: Sequence[int]) -> int:
    """Definition 5."""
    return price(cluster) * len(cluster)


def best_cluster(price: Price, shortfall: Shortfall, clusters: Sequence[Cluster], row: int) -> int:
    """The cluster whose loss rises least, rather one that gets no further from its promise."""

    def rank(number: int) -> tuple[bool, int, int]:
        cluster = clusters[number]
        wider = [*cluster, row]
        worse = shortfall(wider, len(wider)) > shortfall(cluster, len(cluster))
        return worse, loss(price, wider) - loss(price, cluster), number

    return min(range(len(clusters)), key=rank)


def drawn(left: Sequence[int], kind: Sequence[object], draws: Iterator[float]) -> int:
    """A random row; of equal ones the first."""
    found = left[int(next(draws) * len(left))]
    return next(row for row in left if kind[row] == kind[found])


@dataclass(frozen=True)
class KMember:
    """Figure 5, with all that is random handed in as numbers from 0 to 1, and section 3.4."""

    price: Price
    shortfall: Shortfall
    k: int
    start: str
    penalty: int
    label: Sequence[int]
    kind: Sequence[object]  # of a row: equal ones are interchangeable

    def run(self, rows: Sequence[int], draws: Iterator[float]) -> tuple[list[Cluster], list[Cluster]]:
        """The clusters, and those that cannot be finished; what is left at the end is the last of these."""
        left = list(rows)
        clusters: list[Cluster] = []
        rest: list[Cluster] = []
        last: int | None = None
        while len(left) >= self.k:
            seed = self._seed(left, last, draws)
            left.remove(seed)
            cluster = self._grow(seed, left)
            last = cluster[-1] if self.start == "furthest-from-last" else seed
            if len(cluster) >= self.k and self.shortfall(cluster, len(cluster)) <= 0:
                clusters.append(cluster)
            else:
                rest.append(cluster)
        return clusters, [*rest, left]

    def _seed(self, left: Sequence[int], last: int | None, draws: Iterator[float]) -> int:
        if last is None or self.start == "random":
            last = drawn(left, self.kind, draws)
            if self.start != "furthest-from-last":
                return last
        origin = last
        return max(left, key=lambda row: (self.price([origin, row]), -left.index(row)))

    def _grow(self, seed: int, left: Cluster) -> Cluster:
        cluster = [seed]
        while len(cluster) < self.k or self.shortfall(cluster, len(cluster)) > 0:
            allowed = [row for row in left if self._may_join(cluster, row)]
            if not allowed:
                break
            cluster.append(self._best_record(allowed, cluster))
            left.remove(cluster[-1])
        return cluster

    def _may_join(self, cluster: Cluster, row: int) -> bool:
        """Not further from the promise, as a cluster of k rows; nearer to it, if it has k already."""
        size = max(len(cluster) + 1, self.k)
        before, after = self.shortfall(cluster, size), self.shortfall([*cluster, row], size)
        return after <= before if len(cluster) < self.k else after < before

    def _best_record(self, left: Sequence[int], cluster: Cluster) -> int:
        counts = Counter(self.label[row] for row in cluster)
        majority = min(counts, key=lambda label: (-counts[label], label))

        def difference(row: int) -> int:
            rise = loss(self.price, [*cluster, row]) - loss(self.price, cluster)
            return rise + (0 if self.label[row] == majority else self.penalty)

        return min(left, key=difference)
