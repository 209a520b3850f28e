"""Which released rows could be whose: what those know who have the original at hand."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]

Ground = Literal["classes", "neighbours", "matches"]  # the rows that could be a person's, to somebody who looks there


@dataclass(frozen=True)
class Links:
    """Which released rows could be whose, told with the original at hand. Rows that are alike are one.

    A neighbour of an original row is a released row that covers it. It is a match if all released rows can be given to
    different original rows that they cover, and this one to that row.
    """

    neighbours: Any  # sparse [point, box], 1 where the box covers the point
    matches: Any  # sparse [point, box]
    box_of: IntArray  # [released row]
    seekers: IntArray  # [point] original rows
    point_of: IntArray | None = None  # [released row] its original, where that is known: then others were left out
    unit_of: IntArray | None = None  # [released row] whose it is; None: each is somebody else's

    @cached_property
    def box_rows(self) -> IntArray:
        """[box] released rows."""
        return np.bincount(self.box_of).astype(np.int64)

    @cached_property
    def released(self) -> IntArray:
        """[point] original rows that are in the release; all, where that is not known."""
        if self.point_of is None:
            return self.seekers
        return np.bincount(self.point_of, minlength=len(self.seekers)).astype(np.int64)

    @cached_property
    def persons_by_box(self) -> IntArray:
        """[box] people of the release whose rows it covers; original rows, where people are not known."""
        if self.unit_of is None or self.point_of is None:
            counts: IntArray = self.neighbours.T @ self.released
            return counts
        return self._people(self.neighbours.T, self.point_of, len(self.seekers))

    @cached_property
    def neighbours_by_point(self) -> IntArray:
        """[point] people, or rows, of the release that cover it."""
        return self._among(self.neighbours)

    @cached_property
    def matches_by_point(self) -> IntArray:
        """[point] people, or rows, of the release that may be its own."""
        return self._among(self.matches)

    def _among(self, graph: Any) -> IntArray:
        if self.unit_of is not None:
            return self._people(graph, self.box_of, len(self.box_rows))
        counts: IntArray = graph @ self.box_rows
        return counts

    def _people(self, graph: Any, place_of: IntArray, places: int) -> IntArray:
        """[line of the graph] different people whose rows are at one of its places."""
        from scipy.sparse import csr_array

        if self.unit_of is None:
            raise ValueError("nobody knows whose the rows are")
        shape = (places, int(self.unit_of.max()) + 1)
        whose = csr_array((np.ones(len(place_of), dtype=np.int64), (place_of, self.unit_of)), shape=shape)
        people: IntArray = np.diff((graph @ whose).tocsr().indptr).astype(np.int64)
        return people

    def counts(self, ground: Ground) -> IntArray:
        """[point] people, or rows, of the release that could be its own, to somebody who looks there."""
        return self.neighbours_by_point if ground == "neighbours" else self.matches_by_point

    @property
    def is_there(self) -> npt.NDArray[np.bool_]:
        """[point] whether it is one that somebody may look for: only rows that were left out are covered by nothing.

        If more are covered by nothing than can have been left out, one of them is looked for in vain.
        """
        found: npt.NDArray[np.bool_] = self.neighbours_by_point > 0
        if self.point_of is None and self.seekers[~found].sum() > self.seekers.sum() - len(self.box_of):
            return np.ones_like(found)
        return found

    @property
    def is_sought(self) -> npt.NDArray[np.bool_]:
        """[point] whether somebody may know that it is in the release."""
        found: npt.NDArray[np.bool_] = self.is_there & (self.released > 0)
        return found
