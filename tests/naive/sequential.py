"""Sequential clustering, algorithm 1 of Goldberger and Tassa, line by line."""

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
            saved = self.cost(groups[own]) - (self.cost(left) if left else 0)
            added = [
                (self.cost([*rows, row]) - self.cost(rows), number) for number, rows in groups.items() if number != own
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

    def _split_if_large(self, groups: dict[int, list[int]], number: int, order: Sequence[int]) -> None:
        """Two random halves of a group that is too large."""
        if len(groups[number]) > self.omega * self.k:
            rows = sorted(groups[number], key=list(order).index)
            groups[number], groups[max(groups) + 1] = rows[::2], rows[1::2]

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
