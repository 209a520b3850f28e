"""Sequential clustering, algorithms 1 to 3 of Goldberger and Tassa, line by line."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

GroupCost = Callable[[Sequence[int]], int]  # what some rows cost as one group


@dataclass(frozen=True)
class Sequential:
    """Algorithm 1, with all that is random handed in as orders of the rows."""

    cost: GroupCost
    k: int
    omega: float
    is_split_at_once: bool
    passes: int

    def run(self, start: Sequence[Sequence[int]], orders: Iterator[Sequence[int]]) -> list[list[int]]:
        """The groups that come of random ones; each pass takes one of the orders."""
        groups = dict(enumerate(map(list, start)))
        costs: list[int] = []
        calm = 0
        for order in itertools.islice(orders, self.passes):
            moves = self._visit_all(groups, order)
            costs.append(sum(map(self.cost, groups.values())))
            calm = 0 if len(costs) == 1 or 1000 * costs[-1] < 999 * min(costs[:-1]) else calm + 1
            if not self.is_split_at_once:  # line 9
                for number in sorted(groups):
                    self._split_if_large(groups, number, order)
            groups = dict(enumerate(groups[number] for number in sorted(groups)))
            if moves == 0 or calm == 3:
                break
        self._unify(groups)
        return [sorted(groups[number]) for number in sorted(groups)]

    def _visit_all(self, groups: dict[int, list[int]], order: Sequence[int]) -> int:
        """Lines 2 to 8; the number of moves."""
        moves = 0
        for row in range(len(order)):
            own = next(number for number, rows in groups.items() if row in rows)
            left = [other for other in groups[own] if other != row]
            if not self._may(left):  # line 6 of algorithm 2
                continue
            saved = self.cost(groups[own]) - (self.cost(left) if left else 0)
            added = [
                (self.cost([*rows, row]) - self.cost(rows), number)
                for number, rows in groups.items()
                if number != own and self._may([*rows, row])
            ]
            least, target = min(added, default=(0, own))
            if target == own or (left and least >= saved):
                continue
            moves += 1
            groups[own].remove(row)
            groups[target].append(row)
            if not left:
                del groups[own]
            if self.is_split_at_once:
                self._split_if_large(groups, target, order)
        return moves

    def _may(self, rows: Sequence[int]) -> bool:  # noqa: ARG002  a promise asks for them
        """Whether some rows may be a cluster: without a promise any may."""
        return True

    def _halves(self, rows: Sequence[int], order: Sequence[int]) -> tuple[list[int], list[int]]:
        """Two random halves, the rows being taken as they stand in the random order."""
        shuffled = sorted(rows, key=list(order).index)
        return shuffled[::2], shuffled[1::2]

    def _split_if_large(self, groups: dict[int, list[int]], number: int, order: Sequence[int]) -> None:
        """Replace a group that is too large by two halves of it, if both may be."""
        if len(groups[number]) > self.omega * self.k:
            halves = self._halves(groups[number], order)
            if all(half and self._may(half) for half in halves):
                groups[number], groups[max(groups) + 1] = halves

    def _unify(self, groups: dict[int, list[int]]) -> None:
        """Lines 11 to 14."""

        def distance(a: int, b: int) -> int:
            return self.cost(groups[a] + groups[b]) - self.cost(groups[a]) - self.cost(groups[b])

        while len(small := [number for number in sorted(groups) if len(groups[number]) < self.k]) > 1:
            _, a, b = min((distance(a, b), a, b) for a, b in itertools.combinations(small, 2))
            groups[a] += groups.pop(b)
        for number in small:
            _, nearest = min((distance(number, other), other) for other in groups if other != number)
            groups[number] += groups.pop(nearest)


@dataclass(frozen=True)
class Diverse(Sequential):
    """Algorithm 2: the same while no cluster gets a diversity below l."""

    is_diverse: Callable[[Sequence[int]], bool]
    value: Sequence[int]  # of a row: its sensitive value
    side: Callable[[int], bool]  # where the first row of a value goes in a split, by this row

    def begin(self, order: Sequence[int], count: int, mix: Callable[[int], Sequence[int]]) -> list[list[int]]:
        """Algorithm 3 with all rows: each value is dealt to the clusters in an order of its own."""
        clusters: list[list[int]] = [[] for _ in range(count)]
        for value in sorted(set(self.value)):
            places = mix(count)
            for at, row in enumerate(row for row in order if self.value[row] == value):
                clusters[places[at % count]].append(row)
        return [cluster for cluster in clusters if cluster]

    def run(self, start: Sequence[Sequence[int]], orders: Iterator[Sequence[int]]) -> list[list[int]]:
        """Step 3, and then as ever."""
        if not all(map(self.is_diverse, start)):
            return [sorted(row for cluster in start for row in cluster)]
        return super().run(start, orders)

    def _may(self, rows: Sequence[int]) -> bool:
        return not rows or self.is_diverse(rows)

    def _halves(self, rows: Sequence[int], order: Sequence[int]) -> tuple[list[int], list[int]]:
        """Algorithm 3 with two clusters."""
        halves: tuple[list[int], list[int]] = ([], [])
        for value in sorted({self.value[row] for row in rows}):
            alike = sorted((row for row in rows if self.value[row] == value), key=list(order).index)
            first = self.side(alike[0])
            halves[first].extend(alike[::2])
            halves[not first].extend(alike[1::2])
        return halves
