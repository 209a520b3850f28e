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

from kanon_cli.models.links import Ground, Links
from kanon_cli.tables.taxonomy import Taxonomy

IntArray = npt.NDArray[np.int64]
Tally = tuple[IntArray, IntArray, IntArray, IntArray]  # class, code, people, and who of them lacks one besides

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
class Block:
    """Some classes of a table, with the values of a sensitive column that occur in one of them."""

    codes: IntArray  # [place] of these values, rising
    counts: IntArray  # [class, place] people, or rows, with the value
    unsure: IntArray  # [class, place] people among them who have a missing one there, too
    missing: IntArray  # [class] without one
    people: IntArray  # [class]
    settled: IntArray  # [class] without one there, and with a value wherever else they are

    @property
    def possible(self) -> IntArray:
        """[class, place] people who have the value, or may have it, since one of theirs is missing."""
        found: IntArray = self.counts - self.unsure + self.missing[:, None]
        return found

    @property
    def totals(self) -> IntArray:
        """[class] values and missing ones; more than people where someone has several."""
        found: IntArray = self.counts.sum(axis=1) + self.missing
        return found

    def at(self, codes: IntArray) -> Block:
        """The same classes with these values only, all of which occur in them."""
        place = np.searchsorted(self.codes, codes)
        return Block(codes, self.counts[:, place], self.unsure[:, place], self.missing, self.people, self.settled)


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

    def among(self, ground: Ground) -> Evidence:
        """The same table with each original row's neighbours or matches in place of classes, where these are known."""
        if ground == "classes" or self.links is None or not self.links.counts(ground).any():
            return self
        return Seen(self.class_of, self.secrets, self.unit_of, self.joint, self.links, ground)

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

    def _told(self, column: str) -> _Told:
        """What people have in each class; only where it is known whose each row is."""
        secret, unit_of = self.secret(column), self.unit_of
        if unit_of is None:
            raise ValueError("nobody says whose the rows are")
        width = secret.values + 1
        cells, cell_of = np.unique(self.class_of * width + secret.code_of + 1, return_inverse=True)
        units = int(unit_of.max()) + 1
        pairs, rows = np.unique(cell_of * units + unit_of, return_counts=True)
        return _Told(cells[pairs // units], pairs % units, rows.astype(np.int64), width)

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
            yield _block(of_class[part] - start, code[part], people[part], unsure[part], *whose)
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
            unseen = np.concatenate([judge(_unseen(table.codes, *part)) for part in parts])
            found[unsure] = np.maximum(found[unsure], unseen[kind_of.ravel()])
        return found


def _block(
    class_of: IntArray, code: IntArray, people: IntArray, unsure: IntArray, of_class: IntArray, settled: IntArray
) -> Block:
    """Lay out what was counted by class and code; the code of missing is -1."""
    codes, place = np.unique(np.append(code, -1), return_inverse=True)
    counts = np.zeros((2, len(of_class), len(codes)), dtype=np.int64)
    counts[:, class_of, place[:-1]] = people, unsure
    return Block(codes[1:], counts[0, :, 1:], counts[1, :, 1:], counts[0, :, 0], of_class, settled)


def _unseen(codes: IntArray, missing: IntArray, people: IntArray, settled: IntArray) -> Block:
    """Classes that have none of these values, but missing ones."""
    nobody = np.zeros((len(missing), len(codes)), dtype=np.int64)
    return Block(codes, nobody, nobody, missing, people, settled)


def newcomers(table: Block, block: Block) -> IntArray:
    """[class, place] how many people at the least have the value nowhere in the table, but a missing one in the class.

    Both have the same values. Without people that is each row without a value; who has several rows may have the value
    in another class.
    """
    lacking = table.possible - table.counts
    found: IntArray = np.maximum(lacking - (table.missing - block.missing)[:, None], 0)
    return found


@dataclass(frozen=True)
class _Told:
    """What each person has in a class: one entry for a class, a value and a person."""

    cells: IntArray  # [entry] class * width + code + 1
    unit_of: IntArray  # [entry]
    rows: IntArray  # [entry]
    width: int

    @cached_property
    def in_class(self) -> IntArray:
        """[entry] a number for the person and the class."""
        found: IntArray = self.cells // self.width * self.units + self.unit_of
        return found

    @cached_property
    def units(self) -> int:
        """More than any person's number."""
        return int(self.unit_of.max()) + 1

    @cached_property
    def is_missing(self) -> npt.NDArray[np.bool_]:
        """[entry] whether it is a missing value."""
        return np.asarray(self.cells % self.width == 0, dtype=np.bool_)

    def tally(self) -> Tally:
        """Count people once a class and value, and those of them who have a missing one in the class."""
        also_missing = np.isin(self.in_class, self.in_class[self.is_missing]) & ~self.is_missing
        pairs, pair_of, people = np.unique(self.cells, return_inverse=True, return_counts=True)
        unsure = np.bincount(pair_of[also_missing], minlength=len(pairs)).astype(np.int64)
        return pairs // self.width, pairs % self.width - 1, people.astype(np.int64), unsure

    def rows_told(self) -> Tally:
        """The rows of each entry by its class and code, with nobody unsure."""
        return self.cells // self.width, self.cells % self.width - 1, self.rows, np.zeros_like(self.rows)

    def settled(self, classes: int, rows_of: IntArray) -> IntArray:
        """[class] how many lack a value in all of their rows without one, of which each person has so many."""
        gone = self.is_missing & (self.rows >= rows_of[self.unit_of])
        return np.bincount(self.in_class[gone] // self.units, minlength=classes).astype(np.int64)

    def doubts(self, classes: int) -> IntArray:
        """[class] see Evidence."""
        gone = self.in_class[self.is_missing]
        known = np.isin(gone, self.in_class[~self.is_missing])
        doubt = np.maximum(self.rows[self.is_missing] - 1, known)
        return np.bincount(gone // self.units, weights=doubt, minlength=classes).astype(np.int64)


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

    def _told(self, column: str) -> _Told:
        links, secret = self._known, self.secret(column)
        if links.unit_of is None:
            raise ValueError("nobody says whose the rows are")
        width = secret.values + 1
        whose, told = np.unique(links.unit_of * width + secret.code_of + 1, return_inverse=True)
        group, entry, rows = self._tell(told)
        return _Told(group * width + whose[entry] % width, whose[entry] // width, rows, width)

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
