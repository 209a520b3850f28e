"""What those see who know the original: in place of the classes, each original row's neighbours or matches."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from kanon_cli.models.blocks import IntArray, Tally
from kanon_cli.models.evidence import Evidence
from kanon_cli.models.links import Ground, Links
from kanon_cli.models.told import Told


def among(evidence: Evidence, ground: Ground) -> Evidence:
    """The same table with each original row's neighbours or matches in place of classes, where these are known."""
    links = evidence.links
    if ground == "classes" or links is None or not links.counts(ground).any():
        return evidence
    return Seen(evidence.class_of, evidence.secrets, evidence.unit_of, evidence.joint, links, ground)


@dataclass(frozen=True)
class Seen(Evidence):
    """What those see who know the original: in place of the classes, the rows that could be each original row's.

    Rows of the original that nothing could be are left out: a notion says how many. With units people are counted.
    """

    ground: Ground = "neighbours"

    @property
    def _known(self) -> Links:
        if self.links is None:
            raise ValueError("nobody can be looked for without the original")
        return self.links

    @cached_property
    def sizes(self) -> IntArray:
        """[group] how many rows could be somebody's."""
        counts: IntArray = self._graph @ self._known.box_rows
        return counts

    @cached_property
    def people(self) -> IntArray:
        """[group] whose rows could be somebody's."""
        counts = self._known.counts(self.ground)
        return counts[counts > 0]

    @cached_property
    def _graph(self) -> Any:
        """Sparse [group, box]."""
        links = self._known
        graph = links.neighbours if self.ground == "neighbours" else links.matches
        return graph[np.flatnonzero(links.counts(self.ground))]

    def _count(self, column: str) -> Tally:
        """Count by group, not by class: whose rows could be somebody's."""
        links, secret = self._known, self.secret(column)
        if links.unit_of is not None:
            return self._told(column).tally()
        group, told, rows = self._tell(secret.code_of + 1)
        return group, told - 1, rows, np.zeros(len(group), dtype=np.int64)

    def _settled(self, column: str) -> IntArray:
        links, code_of = self._known, self.secret(column).code_of
        if links.unit_of is None:
            return super()._settled(column)
        rows_of = np.bincount(links.unit_of[code_of < 0], minlength=int(links.unit_of.max()) + 1)
        return self._told(column).settled(len(self.sizes), rows_of)

    def _told(self, column: str) -> Told:
        links, secret = self._known, self.secret(column)
        if links.unit_of is None:
            raise ValueError("nobody says whose the rows are")
        width = secret.values + 1
        whose, told = np.unique(links.unit_of * width + secret.code_of + 1, return_inverse=True)
        group, entry, rows = self._tell(told)
        return Told(group * width + whose[entry] % width, whose[entry] // width, rows, width)

    def _tell(self, told: IntArray) -> tuple[IntArray, IntArray, IntArray]:
        """Count, for each group and what a row tells, the rows that could be somebody's: (group, told, rows)."""
        from scipy.sparse import coo_array, csr_array

        links = self._known
        ones = np.ones(len(links.box_of), dtype=np.int64)
        shape = (len(links.box_rows), int(told.max()) + 1)
        cells = coo_array(self._graph @ csr_array((ones, (links.box_of, told)), shape=shape))
        group, found = cells.row.astype(np.int64), cells.col.astype(np.int64)
        order = np.lexsort((found, group))
        return group[order], found[order], cells.data[order].astype(np.int64)
