"""A table to evidence: its classes, found anew from its cells."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from kanon_cli.audit.secrets import secret_of
from kanon_cli.errors import DataError, Mistake
from kanon_cli.models.evidence import Evidence
from kanon_cli.tables.columns import TextColumn
from kanon_cli.tables.kinds import Meaning

IntArray = npt.NDArray[np.int64]


def gather(
    released: Mapping[str, TextColumn],
    qi: Sequence[str],
    sensitive: Sequence[str],
    meanings: Mapping[str, Meaning] = MappingProxyType({}),
) -> Evidence:
    """Find the classes: rows whose cells are equal in every quasi-identifier, missing being a cell like any other.

    `meanings` says what the values of sensitive columns are; where it says nothing, they are names.
    """
    columns = pick(released, [*qi, *sensitive])
    if row_count(released) == 0:
        raise DataError(Mistake("the table has no rows, so there is nothing to judge"))
    class_of = group([columns[name].code_of for name in qi], row_count(released))
    secrets = {name: secret_of(name, columns[name], meanings.get(name, Meaning())) for name in dict.fromkeys(sensitive)}
    return Evidence(class_of, secrets)


def pick(table: Mapping[str, TextColumn], names: Iterable[str]) -> dict[str, TextColumn]:
    """Pick the columns of these names; those that the table doesn't have are an error, all at once."""
    wanted = list(dict.fromkeys(names))
    absent = [name for name in wanted if name not in table]
    if absent:
        expected = "one of " + ", ".join(table)
        raise DataError(*(Mistake("the table has no such column", path=name, expected=expected) for name in absent))
    return {name: table[name] for name in wanted}


def row_count(table: Mapping[str, TextColumn]) -> int:
    """How many rows a table has."""
    return next((column.rows for column in table.values()), 0)


def group(columns: Sequence[npt.NDArray[Any]], rows: int) -> IntArray:
    """Give each combination of codes (-1 and up) a number, in the order in which they are met: [row] -> number."""
    key = np.zeros(rows, dtype=np.int64)
    width = 1
    for code_of in columns:
        choices = int(code_of.max(initial=-1)) + 2
        if width * choices >= 2**62:
            key = _renumber(key)
            width = int(key.max(initial=0)) + 1
        key *= choices
        key += code_of
        key += 1
        width *= choices
    return _renumber(key)


def first_rows(number_of: IntArray) -> IntArray:
    """The first row of each number that there is, in the order of the numbers, which count from 0.

    Of the rows that are written to one place the last one stays there. To sort them all takes six times as long.
    """
    first = np.full(int(number_of.max(initial=-1)) + 1, -1, dtype=np.int64)
    first[number_of[::-1]] = np.arange(len(number_of) - 1, -1, -1)
    return first[first >= 0]


def _renumber(key: IntArray) -> IntArray:
    numbers, _ = pd.factorize(key)
    return numbers.astype(np.int64, copy=False)
