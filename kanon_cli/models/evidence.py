"""What a reader can see in a table: its classes, and the sensitive values in each."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from kanon_cli.models.blocks import Block, IntArray, Tally, block_of, unseen
from kanon_cli.models.links import Ground, Links
from kanon_cli.models.told import Told
from kanon_cli.tables.taxonomy import Taxonomy

JOINT = " + "  # between the names of columns that are taken together
BLOCK = 1 << 16  # counts of classes by value that are worked on at a time


@dataclass(frozen=True)
class Secret:
    """A sensitive column: the code of each row's value; -1 is missing.

    Codes are ranks where the column is ordered, and ranks of leaves where it has a tree.
    """

    code_of: IntArray  # [row]
    values: int  # codes are 0 .. values - 1
    is_ordered: bool = False
    tree: Taxonomy | None = None
    is_open: bool = False  # a missing value may also be one that no row is known to have


@dataclass(frozen=True)
class Evidence:
    """The classes of a table as a stranger finds them; with units, whose row each is."""

    class_of: IntArray  # [row] 0 .. classes - 1
    secrets: dict[str, Secret] = field(default_factory=dict)  # by column name
    unit_of: IntArray | None = None  # [row] 0, 1, ...; None: each row is somebody else's
    joint: bool = False  # the secrets are also looked at together
    links: Links | None = None  # where the original is known, and the cells say what they cover

    @property
    def rows(self) -> int:
        """How many rows the table has."""
        return len(self.class_of)

    @cached_property
    def sizes(self) -> IntArray:
        """[class] how many rows it has."""
        return np.bincount(self.class_of).astype(np.int64)

    @cached_property
    def people(self) -> IntArray:
        """[class] how many different people it has; without units, rows."""
        if self.unit_of is None:
            return self.sizes
        pairs = np.unique(self.class_of * (int(self.unit_of.max()) + 1) + self.unit_of)
        return np.bincount(pairs // (int(self.unit_of.max()) + 1), minlength=len(self.sizes)).astype(np.int64)

    @cached_property
    def whole(self) -> Evidence:
        """The table as one class."""
        return Evidence(np.zeros_like(self.class_of), self.secrets, self.unit_of, self.joint)

    def crowds(self, ground: Ground) -> tuple[IntArray, IntArray]:
        """[crowd] among how many somebody is hidden who is looked for there, and how many rows are looked for in it.

        A crowd is a class, or where the original is known, what could be one of its rows.
        """
        links = self.links
        if ground == "classes" or links is None or not links.is_sought.any():
            return self.people, self.sizes
        return links.counts(ground)[links.is_sought], links.released[links.is_sought]

    @property
    def columns(self) -> tuple[str, ...]:
        """What is judged by itself: the sensitive columns, and if they are joint, their combination."""
        names = tuple(self.secrets)
        return (*names, JOINT.join(names)) if self.joint and len(names) > 1 else names

    @cached_property
    def _combined(self) -> Secret:
        """All secrets as one; a combination with a missing part is missing, and may be one that nobody else has."""
        codes = np.zeros(self.rows, dtype=np.int64)
        absent = np.zeros(self.rows, dtype=np.bool_)
        for secret in self.secrets.values():
            codes = np.unique(codes * (secret.values + 1) + secret.code_of + 1, return_inverse=True)[1]
            absent |= secret.code_of < 0
        found, codes = np.unique(np.where(absent, -1, codes), return_inverse=True)
        first = int(len(found) > 0 and found[0] < 0)
        possible = math.prod(secret.values for secret in self.secrets.values())
        return Secret(codes.astype(np.int64) - first, len(found) - first, is_open=first > 0 and len(found) <= possible)

    def secret(self, column: str) -> Secret:
        """A sensitive column, or all of them together under their joined names."""
        known = self.secrets.get(column)
        return self._combined if known is None else known

    def counts(self, column: str) -> tuple[IntArray, IntArray, IntArray]:
        """The (class, code, people) of every sensitive value that occurs in a class; the code of missing is -1."""
        return self.tally(column)[:3]

    @cached_property
    def _tallies(self) -> dict[str, Tally]:
        """What has been counted, by column: every model asks for it."""
        return {}

    def tally(self, column: str) -> Tally:
        """The counts, and how many of those people have a missing value in the same class besides."""
        if column not in self._tallies:
            self._tallies[column] = self._count(column)
        return self._tallies[column]

    def _count(self, column: str) -> Tally:
        if self.unit_of is not None:
            return self._told(column).tally()
        secret = self.secret(column)
        width = secret.values + 1
        pairs, rows = np.unique(self.class_of * width + secret.code_of + 1, return_counts=True)
        return pairs // width, pairs % width - 1, rows.astype(np.int64), np.zeros(len(pairs), dtype=np.int64)

    def doubts(self, column: str) -> IntArray:
        """[class] how many values more or less people may have in it than are counted, as some of theirs are missing.

        Who has no value in several rows may have as many different ones, or only one that they have in another row.
        """
        if self.unit_of is None:
            return np.zeros_like(self.sizes)
        return self._told(column).doubts(len(self.sizes))

    def lacking(self, column: str) -> IntArray:
        """[class] how many of its rows, not people, have no value."""
        of_class, code, rows, _ = self.tally(column) if self.unit_of is None else self._told(column).rows_told()
        return np.bincount(of_class[code < 0], rows[code < 0], len(self.sizes)).astype(np.int64)

    def _told(self, column: str) -> Told:
        """What people have in each class; only where it is known whose each row is."""
        secret, unit_of = self.secret(column), self.unit_of
        if unit_of is None:
            raise ValueError("nobody says whose the rows are")
        width = secret.values + 1
        cells, cell_of = np.unique(self.class_of * width + secret.code_of + 1, return_inverse=True)
        units = int(unit_of.max()) + 1
        pairs, rows = np.unique(cell_of * units + unit_of, return_counts=True)
        return Told(cells[pairs // units], pairs % units, rows.astype(np.int64), width)

    def blocks(self, column: str, width: int = 1) -> Iterator[Block]:
        """The classes in their order, some at a time; fewer where `width` numbers are to be worked out for each."""
        of_class, code, people, unsure = self.tally(column)
        settled = self._settled(column)
        first = np.searchsorted(of_class, np.arange(len(self.sizes) + 1))
        values = max(self.secret(column).values, 1)
        start = 0
        while start < len(self.sizes):

            def cells(end: int, start: int = start) -> int:
                return (end - start) * max(min(int(first[end] - first[start]), values), width)

            end = max(bisect_right(range(len(first)), BLOCK, lo=start + 1, key=cells) - 1, start + 1)
            part = slice(first[start], first[end])
            whose = self.people[start:end], settled[start:end]
            yield block_of(of_class[part] - start, code[part], people[part], unsure[part], *whose)
            start = end

    def _settled(self, column: str) -> IntArray:
        """[class] how many of its people lack a value there, and have one in all their rows elsewhere."""
        of_class, code, people, _ = self.tally(column)
        if self.unit_of is None:
            return np.bincount(of_class[code < 0], people[code < 0], len(self.sizes)).astype(np.int64)
        lacking = self.unit_of[self.secret(column).code_of < 0]
        return self._told(column).settled(len(self.sizes), np.bincount(lacking, minlength=int(self.unit_of.max()) + 1))

    def table(self, column: str) -> Block:
        """The whole table as a block of one class; a value that nobody is known to have stands for all such."""
        found = next(self.whole.blocks(column))
        if not self.secret(column).is_open:
            return found
        nobody = np.zeros((1, 1), dtype=np.int64)
        return replace(
            found,
            codes=np.append(found.codes, self.secret(column).values),
            counts=np.append(found.counts, nobody, axis=1),
            unsure=np.append(found.unsure, nobody, axis=1),
        )

    def worst(self, column: str, judge: Callable[[Block], npt.NDArray[Any]]) -> npt.NDArray[Any]:
        """[class] the largest that `judge` finds in a class, be it by what values it has or by what its missing may be.

        What a class doesn't have, only its missing ones can be; so for these values it is enough to judge each number
        of missing ones and of people once. Values that the class does have are then judged milder than by themselves.
        """
        blocks = list(self.blocks(column))
        found = np.concatenate([judge(block) for block in blocks])
        missing = np.concatenate([block.missing for block in blocks])
        unsure = np.flatnonzero(missing)
        if len(unsure):
            seen = np.stack([missing, self.people, np.concatenate([block.settled for block in blocks])])
            kinds, kind_of = np.unique(seen[:, unsure], axis=1, return_inverse=True)
            table = self.table(column)
            step = max(BLOCK // max(len(table.codes), 1), 1)
            parts = [kinds[:, start : start + step] for start in range(0, kinds.shape[1], step)]
            lacked = np.concatenate([judge(unseen(table.codes, *part)) for part in parts])
            found[unsure] = np.maximum(found[unsure], lacked[kind_of.ravel()])
        return found
