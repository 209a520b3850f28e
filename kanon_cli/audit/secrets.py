"""The values of a sensitive column, as what its owner says they are."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

import numpy as np

from kanon_cli.audit.cells import only_stars
from kanon_cli.audit.values import values_of
from kanon_cli.models.blocks import IntArray
from kanon_cli.models.evidence import Secret
from kanon_cli.tables.columns import TextColumn, stack
from kanon_cli.tables.kinds import Meaning


def secret_of(name: str, column: TextColumn, meaning: Meaning) -> Secret:
    """Give equal values one code: names as they are written, numbers by rank or bin, leaves by rank in their tree."""
    kind = meaning.kind
    if kind.type != "numeric" and kind.taxonomy is None:
        codes = np.where(only_stars(column), -1, column.code_of) if meaning.hides else column.code_of
        return Secret(codes.astype(np.int64), len(column.text))
    values = values_of(name, column, kind)
    if kind.taxonomy is not None:
        code_of_rank = np.array(values.keys, dtype=np.int64)
        count = kind.taxonomy.size
    else:
        bins = [bisect_right(meaning.bins, key) if meaning.bins else at for at, key in enumerate(values.keys)]
        found, code_of_rank = np.unique(np.array(bins, dtype=np.int64), return_inverse=True)
        count = len(found)
    codes = np.append(code_of_rank, -1)[values.rank_of[column.code_of]]  # the rank after the last is missing
    is_open = kind.taxonomy is not None and column.missing > 0 and count > max(len(code_of_rank), 1)
    return Secret(codes.astype(np.int64), count, is_ordered=kind.taxonomy is None, tree=kind.taxonomy, is_open=is_open)


def counts_of(name: str, columns: Sequence[TextColumn], meaning: Meaning) -> list[IntArray]:
    """[column][value] how many rows have it, missing ones at last: of columns that speak of the same values."""
    rows = np.cumsum([column.rows for column in columns])
    secret = secret_of(name, stack(columns), meaning)
    codes = np.where(secret.code_of < 0, secret.values, secret.code_of)
    return [np.bincount(part, minlength=secret.values + 1).astype(np.int64) for part in np.split(codes, rows[:-1])]
