"""Whether the order of a table's rows says something that its cells do not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from kanon_cli.audit.gather import row_count
from kanon_cli.audit.reading import Kinds, Numeric, Reading, Table, read
from kanon_cli.tables.columns import TextColumn

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

Holds = Callable[[int, int], bool]  # whether a released row can be of an original row


def is_sorted(table: Mapping[str, TextColumn]) -> bool:
    """Whether the rows are sorted by their cells, the first column first: then their order says nothing."""
    undecided = np.ones(max(row_count(table) - 1, 0), dtype=np.bool_)
    for column in table.values():
        place = _places(column)
        step = place[1:] - place[:-1]
        if (step[undecided] < 0).any():
            return False
        undecided &= step == 0
    return True


def _places(column: TextColumn) -> IntArray:
    """[row] the place of its text among the texts of the column, a missing one last."""
    texts: list[str] = column.text.to_pylist()
    place = np.empty(len(texts) + 1, dtype=np.int64)
    place[sorted(range(len(texts)), key=texts.__getitem__)] = np.arange(len(texts))
    place[-1] = len(texts)  # the code -1 finds it
    found: IntArray = place[column.code_of]
    return found


def keeps_order(released: Table, original: Table, kinds: Kinds, plain: Sequence[str], numeric: Numeric) -> bool:
    """Whether the released rows fit rows of the original in the same order, some of which may be left out.

    Coarse rows fit in any order, so the other way round they must not fit.
    """
    holds = _fit(released, original, kinds, plain, numeric)
    rows, originals = row_count(released), row_count(original)
    return _embeds(range(rows), originals, holds) and not _embeds(range(rows - 1, -1, -1), originals, holds)


def _embeds(rows: range, originals: int, holds: Holds) -> bool:
    """Whether each row finds an original row after that of the row before; to take the first is never worse."""
    at = 0
    for left, row in zip(range(len(rows), 0, -1), rows, strict=True):
        while at <= originals - left and not holds(row, at):
            at += 1
        if at > originals - left:
            return False
        at += 1
    return True


def _fit(released: Table, original: Table, kinds: Kinds, plain: Sequence[str], numeric: Numeric) -> Holds:
    """Compare by column: the texts of plain columns, and what the cells of quasi-identifiers cover."""
    checks = [_equal(_texts(released[name]), _texts(original[name])) for name in plain]
    for name, reading in read(released, original, kinds, numeric).items():
        if not reading.midpoint:  # it doesn't say what it covers
            rank_of = reading.values.rank_of[original[name].code_of]
            checks.append(_covered(reading, rank_of))
    return lambda row, at: all(check(row, at) for check in checks)


def _texts(column: TextColumn) -> list[str | None]:
    texts = [*column.text.to_pylist(), None]
    return [texts[code] for code in column.code_of.tolist()]


def _equal(released: list[str | None], original: list[str | None]) -> Holds:
    return lambda row, at: released[row] == original[at]


def _covered(reading: Reading, rank_of: IntArray) -> Holds:
    reach = [ranks if isinstance(ranks, range) else frozenset(ranks.tolist()) for ranks in reading.reach]
    cells, ranks = reading.cell_of.tolist(), rank_of.tolist()
    return lambda row, at: ranks[at] in reach[cells[row]]
