"""What a reader can see in a table: its classes, and the sensitive values in each."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Secret:
    """A sensitive column: the code of each row's value; -1 is missing."""

    code_of: IntArray  # [row]
    values: int  # codes are 0 .. values - 1


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

    @cached_property
    def box_rows(self) -> IntArray:
        """[box] released rows."""
        return np.bincount(self.box_of).astype(np.int64)

    @cached_property
    def persons_by_box(self) -> IntArray:
        """[box] original rows that it covers."""
        counts: IntArray = self.neighbours.T @ self.seekers
        return counts

    @cached_property
    def neighbours_by_point(self) -> IntArray:
        """[point] released rows that cover it."""
        counts: IntArray = self.neighbours @ self.box_rows
        return counts

    @cached_property
    def matches_by_point(self) -> IntArray:
        """[point] released rows that may be its own."""
        counts: IntArray = self.matches @ self.box_rows
        return counts

    @property
    def is_there(self) -> npt.NDArray[np.bool_]:
        """[point] whether it can be in the release at all."""
        found: npt.NDArray[np.bool_] = self.neighbours_by_point > 0
        return found


@dataclass(frozen=True)
class Evidence:
    """The classes of a table as a stranger finds them."""

    class_of: IntArray  # [row] 0 .. classes - 1
    secrets: dict[str, Secret] = field(default_factory=dict)  # by column name
    links: Links | None = None  # where the original is known, and the cells say what they cover

    @property
    def rows(self) -> int:
        """How many rows the table has."""
        return len(self.class_of)

    @cached_property
    def sizes(self) -> IntArray:
        """[class] how many rows it has."""
        return np.bincount(self.class_of).astype(np.int64)

    @property
    def seekers(self) -> IntArray:
        """[class] how many people find it when they look for themselves."""
        return self.sizes

    def among(self, ground: Ground) -> Evidence:
        """The same table with each original row's neighbours or matches in place of classes, where these are known."""
        if self.links is None or ground == "classes":
            return self
        return Seen(self.class_of, self.secrets, self.links, ground)

    def counts(self, column: str) -> tuple[IntArray, IntArray, IntArray]:
        """The (class, code, rows) of every sensitive value that occurs in a class; the code of missing is -1."""
        secret = self.secrets[column]
        width = secret.values + 1
        pairs, rows = np.unique(self.class_of * width + secret.code_of + 1, return_counts=True)
        return pairs // width, pairs % width - 1, rows.astype(np.int64)


@dataclass(frozen=True)
class Seen(Evidence):
    """What those see who know the original: in place of the classes, the rows that could be each original row's."""

    ground: Ground = "neighbours"

    @property
    def _known(self) -> Links:
        if self.links is None:
            raise ValueError("nobody can be looked for without the original")
        return self.links

    @cached_property
    def sizes(self) -> IntArray:
        """[group] how many rows could be a person's who is in the release."""
        links = self._known
        counts = links.neighbours_by_point if self.ground == "neighbours" else links.matches_by_point
        return counts[links.is_there]

    @property
    def seekers(self) -> IntArray:
        """[group] how many people these are."""
        return self._known.seekers[self._known.is_there]

    def counts(self, column: str) -> tuple[IntArray, IntArray, IntArray]:
        """The (group, code, rows) of every sensitive value that could be a person's; the code of missing is -1."""
        from scipy.sparse import coo_array, csr_array

        links, secret = self._known, self.secrets[column]
        rows = len(links.box_of)
        shape = (len(links.box_rows), secret.values + 1)
        by_box = csr_array((np.ones(rows, dtype=np.int64), (links.box_of, secret.code_of + 1)), shape=shape)
        graph = links.neighbours if self.ground == "neighbours" else links.matches
        found = coo_array(graph[np.flatnonzero(links.is_there)] @ by_box)
        return found.row.astype(np.int64), found.col.astype(np.int64) - 1, found.data.astype(np.int64)
