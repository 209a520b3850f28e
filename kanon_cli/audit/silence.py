"""Cells that say nothing, seen in three ways: as a value of their own, as a wildcard, and with their rows left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from kanon_cli.audit.cells import only_stars
from kanon_cli.audit.crossing import Axis, count
from kanon_cli.audit.gather import first_rows, group, pick
from kanon_cli.models.evidence import Evidence
from kanon_cli.tables.columns import TextColumn

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
Silent = Literal["missing", "suppressed"]  # which cells say nothing


@dataclass(frozen=True)
class Wildcard:
    """What is found where silent cells match every cell: classes overlap, and each row is hidden among its matches."""

    matches: IntArray  # [class] rows whose cells it matches in every column, its own among them
    sizes: IntArray  # [class]

    @property
    def k(self) -> int:
        """The fewest matches."""
        return int(self.matches.min())

    @property
    def mean_risk(self) -> float:
        """The mean over all rows of 1 / matches."""
        return float((self.sizes / self.matches).sum() / self.sizes.sum())


@dataclass(frozen=True)
class Views:
    """One table in three ways. Silent cells as a value of their own are the table as it is, and the strictest way."""

    rows: int  # that have a silent cell
    wildcard: Wildcard | None  # None: too many pairs to try, or people are counted
    left_out: Evidence | None  # None: no row is left


def views(released: Mapping[str, TextColumn], qi: Sequence[str], evidence: Evidence, silent: Silent) -> Views:
    """See the cells of one sort in all ways.

    In none of the other two is a row hidden among fewer than in its own class: a wildcard only adds matches, and a row
    that is left out takes its whole class with it. So k never gets smaller.
    """
    is_open = np.logical_or.reduce([silent_rows(column, silent) for column in pick(released, qi).values()])
    left_out = None if is_open.all() else _only(evidence, np.flatnonzero(~is_open))
    return Views(int(is_open.sum()), wildcard(released, qi, evidence, silent), left_out)


def silent_rows(column: TextColumn, silent: Silent) -> BoolArray:
    """[row] whether its cell says nothing."""
    return column.code_of < 0 if silent == "missing" else only_stars(column)


def wildcard(
    released: Mapping[str, TextColumn], qi: Sequence[str], evidence: Evidence, silent: Silent
) -> Wildcard | None:
    """Count for each class the rows that it matches; None if there are too many pairs to try.

    A silent cell matches every cell, also of another row. No class has fewer matches than rows. Where people
    with several rows are counted, rows would say too much: None, too.
    """
    if evidence.unit_of is not None and len(np.unique(evidence.unit_of)) < evidence.rows:
        return None
    columns = [(column.code_of, silent_rows(column, silent)) for column in pick(released, qi).values()]
    first_row = first_rows(evidence.class_of)
    sizes = np.bincount(evidence.class_of).astype(np.int64)
    is_open = np.logical_or.reduce([silence for _, silence in columns])
    opened, closed = np.flatnonzero(is_open[first_row]), np.flatnonzero(~is_open[first_row])
    matches = np.where(is_open[first_row], 0, sizes)  # a closed class matches itself and no other closed one
    for classes, targets in ((closed, np.flatnonzero(is_open)), (opened, np.arange(len(is_open)))):
        if len(classes) and len(targets):
            axes = [_axis(code_of, silence, first_row[classes], targets) for code_of, silence in columns]
            found = count(axes, len(targets))
            if found is None:
                return None
            matches[classes] += found
    return Wildcard(matches, sizes)


def _axis(code_of: npt.NDArray[Any], silence: BoolArray, queries: IntArray, targets: IntArray) -> Axis:
    """Hold the cells of some rows against those of others."""
    codes, cell_of = np.unique(code_of[queries], return_inverse=True)
    query_of_cell = np.zeros(len(codes), dtype=np.int64)
    query_of_cell[cell_of] = queries
    is_silent = silence[query_of_cell]
    target_code, target_silent = code_of[targets], silence[targets]

    def meets(part: slice) -> BoolArray:
        found: BoolArray = is_silent[:, None] | target_silent[None, part]
        place = np.searchsorted(codes, target_code[part]).clip(max=len(codes) - 1)
        known = np.flatnonzero(codes[place] == target_code[part])
        found[place[known], known] = True
        return found

    return Axis(cell_of.astype(np.int64), len(codes), meets)


def _only(evidence: Evidence, rows: IntArray) -> Evidence:
    """The classes of some rows; what the values of secrets are stays the same."""
    class_of = group([evidence.class_of[rows]], len(rows))
    secrets = {name: replace(secret, code_of=secret.code_of[rows]) for name, secret in evidence.secrets.items()}
    unit_of = None if evidence.unit_of is None else evidence.unit_of[rows]
    return replace(evidence, class_of=class_of, secrets=secrets, unit_of=unit_of, links=None)
