"""The one-pass k-means algorithm of Lin and Wei, stage by stage."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tests.naive.k_member import Cluster, Price, Shortfall, loss


@dataclass(frozen=True)
class Line:
    """A numeric column: each row's place on it, None if it is missing, and the length of the line."""

    place: Sequence[int | None]
    suppressed: int

    def distance(self, row: int, cluster: Sequence[int]) -> int:
        """From a row to the mean of a cluster."""
        own, places = self.place[row], [self.place[member] for member in cluster]
        present = [place for place in places if place is not None]
        if own is None or len(present) < len(places):
            return 0 if own is None and not present else self.suppressed
        mean = (2 * sum(present) + len(present)) // (2 * len(present))
        return min(abs(own - mean), self.suppressed)


@dataclass(frozen=True)
class Category:
    """Any other column: each row's value, what a cell costs that covers the values of some rows, and one suppressed."""

    value: Sequence[int]
    price: Price
    suppressed: int

    def distance(self, row: int, cluster: Sequence[int]) -> int:
        """From a row to the lowest common ancestor of a cluster."""
        return self.price([*cluster, row])


@dataclass(frozen=True)
class Oka:
    """Figures 1 and 2, with all that is random handed in."""

    price: Price
    shortfall: Shortfall
    k: int
    distance: str  # centroid or increase
    has_size_factor: bool
    columns: Sequence[Line | Category]
    passes: int

    def cluster(self, seeds: Sequence[int], order: Sequence[int]) -> list[Cluster]:
        """Figure 1, and again for each further pass."""
        clusters = [[seed] for seed in seeds]
        for row in order:
            if row not in seeds:
                clusters[self._closest(clusters, row, len(order))].append(row)
        for row in [row for _ in range(1, self.passes) for row in order]:
            own = next(cluster for cluster in clusters if row in cluster)
            if len(own) > 1:
                own.remove(row)
                clusters[self._closest(clusters, row, len(order))].append(row)
        return clusters

    def adjust(self, clusters: list[Cluster], mix: Callable[[Sequence[int]], Sequence[int]]) -> int:
        """Figure 2; the number of rows that were moved."""
        removed = Cluster()
        for cluster in clusters:
            if len(cluster) > self.k:
                removed += self._remove_furthest(cluster)
        for row in mix(sorted(removed)):
            clusters[self._closest(clusters, row, self.k - 1)].append(row)
        return len(removed)

    def _remove_furthest(self, cluster: Cluster) -> Cluster:
        """Lines 3 to 7."""
        removed = Cluster()
        distance = {row: self._to_center(row, cluster) for row in cluster}
        for row in sorted(cluster, key=lambda row: (-distance[row], row)):
            if len(cluster) == self.k:
                break
            rest = [other for other in cluster if other != row]
            if self.shortfall(rest, len(rest)) <= self.shortfall(cluster, len(cluster)):
                cluster.remove(row)
                removed.append(row)
        return removed

    def _to_center(self, row: int, cluster: Sequence[int]) -> int:
        """From a row to the centroid of a cluster, or to all that the cluster covers."""
        if self.distance == "increase":
            return self.price([*cluster, row])
        return sum(column.distance(row, cluster) for column in self.columns)

    def _closest(self, clusters: Sequence[Cluster], row: int, largest: int) -> int:
        eligible = [number for number, cluster in enumerate(clusters) if len(cluster) <= largest]

        def rank(number: int) -> tuple[bool, int, int]:
            cluster = clusters[number]
            size = max(len(cluster) + 1, self.k)
            worse = self.shortfall([*cluster, row], size) > self.shortfall(cluster, size)
            if self.distance == "increase":
                return worse, loss(self.price, [*cluster, row]) - loss(self.price, cluster), number
            return worse, self._to_center(row, cluster) * (len(cluster) if self.has_size_factor else 1), number

        return min(eligible or range(len(clusters)), key=rank)
