"""Bisecting clustering as figures 4 and 5 of He et al. 2012 have it, on plain lists."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Attribute:
    """A column: the place of each row's value, and what a cell costs that covers two places and all between."""

    places: Sequence[int]
    price: Callable[[int, int], int]
    is_category: bool
    missing: int | None  # the place of a missing value

    def cost(self, rows: Sequence[int]) -> int:
        """What a cell costs that covers these rows."""
        places = [self.places[row] for row in rows]
        return self.price(min(places), max(places))

    def far(self, row: int, members: Sequence[int]) -> int:
        """What a row costs together with the mean of some members."""
        own = self.places[row]
        if self.is_category:
            others = [self.places[member] for member in members]
            return sum(self.price(min(own, other), max(own, other)) for other in others) // len(members)
        there = [self.places[member] for member in members if self.places[member] != self.missing]
        if 2 * len(there) >= len(members):
            centre = (2 * sum(there) + len(there)) // (2 * len(there))  # rounded, halves up
        else:
            assert self.missing is not None
            centre = self.missing
        return self.price(min(own, centre), max(own, centre))


@dataclass(frozen=True)
class Bisecting:
    """The algorithm, with its table, and all that is random drawn by `draw`, a number below a limit."""

    attributes: Sequence[Attribute]
    secrets: Sequence[int]
    keeps: Callable[[Sequence[int]], bool]  # whether rows keep k and the promise about sensitive values
    k: int
    rounds: int
    draw: Callable[[int], int]

    def run(self) -> list[list[int]]:
        """Figure 4; the groups, those on the left side of a halving first."""
        waiting, finished = [list(range(len(self.secrets)))], []
        while waiting:
            group = waiting.pop()
            halves = self._halve(group) if len(group) >= 2 * self.k else None
            if halves is None:
                finished += self._deal(group)
            else:
                waiting += reversed(halves)
        return finished

    def _cost(self, rows: Sequence[int]) -> int:
        return len(rows) * sum(attribute.cost(rows) for attribute in self.attributes)

    def _far(self, row: int, members: Sequence[int]) -> int:
        return sum(attribute.far(row, members) for attribute in self.attributes)

    def _halve(self, group: Sequence[int]) -> list[list[int]] | None:
        """Lines 3 to 9: the best of all rounds whose parts both keep the promise."""
        best: list[list[int]] | None = None
        visit = list(group)
        centres: list[list[int]] = []
        for turn in range(self.rounds):
            for last in range(len(visit) - 1, 0, -1):
                other = self.draw(last + 1)
                visit[last], visit[other] = visit[other], visit[last]
            if turn == 0:
                centres = [[visit[0]], [visit[1]]]
            parts: list[list[int]] = [[], []]
            for row in visit:
                first, second = (self._far(row, centre) for centre in centres)
                smaller = 0 if len(parts[0]) <= len(parts[1]) else 1
                parts[smaller if first == second else int(second < first)].append(row)
            for own, members in enumerate(parts):
                while len(members) < self.k:
                    others = parts[1 - own]
                    moved = min(others, key=lambda row: (self._dearer(row, centres[own], centres[1 - own]), row))
                    others.remove(moved)
                    members.append(moved)
            centres = [sorted(members) for members in parts]
            kept = all(self.keeps(members) for members in centres)
            if kept and (best is None or sum(map(self._cost, centres)) < sum(map(self._cost, best))):
                best = centres
        return best

    def _dearer(self, row: int, to: Sequence[int], away: Sequence[int]) -> int:
        return self._far(row, to) - self._far(row, away)

    def _deal(self, group: Sequence[int]) -> list[list[int]]:
        """Figure 5, with an eighth fewer groups for as long as one of them breaks the promise."""
        by_secret = sorted(group, key=lambda row: (self.secrets[row], row))
        count = len(group) // self.k
        while count > 1 and not all(self.keeps(by_secret[at::count]) for at in range(count)):
            count -= max(count // 8, 1)
        return [sorted(by_secret[at :: max(count, 1)]) for at in range(max(count, 1))]
