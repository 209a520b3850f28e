"""Mondrian on plain lists: as LeFevre et al. 2006 have it, and with kanon's own choice of cuts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Attribute:
    """A column: each row's rank, how large a group's range is, and the tree above the ranks, if there is one."""

    ranks: Sequence[int]
    size: Callable[[int, int], float]  # of the range from one rank to another: cost or width
    joint: Callable[[int, int], int] | None  # the tree's node over two leaves
    missing: int | None  # the rank of a missing value


@dataclass(frozen=True)
class Mondrian:
    """The algorithm with its table."""

    attributes: Sequence[Attribute]
    rows: int
    k: int
    keeps: Callable[[Sequence[int]], bool]  # whether rows keep k and the promise about sensitive values
    has_secrets: bool
    strict: bool
    cut: str

    def run(self) -> list[list[int]]:
        """Cut until nothing can be cut; the groups of the first part of a cut come first."""
        waiting, finished = [list(range(self.rows))], []
        while waiting:
            group = waiting.pop()
            parts = self._cut(group) if len(group) >= 2 * self.k else None
            if parts is None:
                finished.append(sorted(group))
            else:
                waiting += reversed(parts)
        return finished

    def _cut(self, group: Sequence[int]) -> list[list[int]] | None:
        """The parts by the first column that can be cut, the largest range first; None if none can."""
        ranges = []
        for attribute in self.attributes:
            ranks = [attribute.ranks[row] for row in group]
            ranges.append((min(ranks), max(ranks)))
        sizes = [attribute.size(*bounds) for attribute, bounds in zip(self.attributes, ranges, strict=True)]
        by_size = sorted(range(len(sizes)), key=lambda column: -sizes[column])
        for anywhere in (False, True):
            if anywhere and not (self.has_secrets and self.cut == "costliest"):
                break
            for column in by_size:
                low, high = ranges[column]
                if low < high:
                    line = sorted(group, key=lambda row: (self.attributes[column].ranks[row], row))
                    parts = self._cut_column(self.attributes[column], line, anywhere)
                    if parts is not None:
                        return parts
        return None

    def _cut_column(self, attribute: Attribute, line: list[int], anywhere: bool) -> list[list[int]] | None:
        ranks = [attribute.ranks[row] for row in line]
        between = range(1, len(line))
        if attribute.joint is not None:
            top = attribute.joint(ranks[0], ranks[-1])
            steps = [at for at in between if ranks[at - 1] < ranks[at]]
            own = [at for at in steps if attribute.joint(ranks[at - 1], ranks[at]) == top]
            if self.cut == "children":
                parts = [line[low:high] for low, high in zip([0, *own], [*own, len(line)], strict=True)]
                return parts if all(map(self.keeps, parts)) else None
            return self._nearest(line, own, self.k, many=True)
        least = max(self.k, len(line) // 10) if anywhere else self.k
        if attribute.missing is not None and ranks[-1] == attribute.missing:
            parts_by_missing = self._nearest(line, [ranks.index(attribute.missing)], least, many=anywhere)
            if parts_by_missing is not None:
                return parts_by_missing
        if self.cut == "costliest":
            own = [at for at in between if ranks[at - 1] < ranks[at] or not self.strict]
            return self._nearest(line, own, least, many=anywhere)
        median = sorted(ranks)[(len(line) - 1) // 2]
        middle = sum(rank <= median for rank in ranks) if self.strict else len(line) // 2
        return self._nearest(line, [middle], self.k, many=False)

    def _nearest(self, line: list[int], places: Sequence[int], least: int, many: bool) -> list[list[int]] | None:
        """The cut nearest to the middle with both sides large enough, if it may be; with `many` the next that may."""
        middle = len(line) // 2
        large = [at for at in places if min(at, len(line) - at) >= least]
        large.sort(key=lambda at: (abs(at - middle), at))
        for at in large if many else large[:1]:
            parts = [line[:at], line[at:]]
            if all(map(self.keeps, parts)):
                return parts
        return None
