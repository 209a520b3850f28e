"""Whether the order of a table's rows says something that its cells do not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from kanon_cli.audit.gather import row_count
from kanon_cli.audit.reading import Kinds, Numeric, Reading, Table, classes_of, read
from kanon_cli.tables.columns import TextColumn

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

ENOUGH_CLASSES = 5  # by chance the rows of so few classes seldom all stand in one order
MOST_CLASSES = 20

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
    """Whether the released rows fit rows of the original in the same order, or the other way round; some may be gone.

    Coarse rows fit in both orders, which says nothing. So do all rows where a table was sorted by its classes only, but
    then those of each class may stand as they stood.
    """
    fit = _Fit(released, original, kinds, plain, numeric)
    everybody = range(row_count(original))
    forth, back = fit.ways(range(row_count(released)), everybody)
    return forth != back or _classes_keep_order(fit, classes_of(released, kinds, numeric))


def _classes_keep_order(fit: _Fit, class_of: IntArray) -> bool:
    """Whether the rows inside of classes stand in one order; a few of the classes whose rows differ are looked at."""
    order = np.argsort(class_of, kind="stable")
    ways: list[tuple[bool, bool]] = []
    for rows in np.split(order, np.flatnonzero(np.diff(class_of[order])) + 1):
        if len(ways) < MOST_CLASSES and fit.differ(rows):
            ways.append(fit.ways(rows.tolist(), fit.origins(int(rows[0])).tolist()))
    told = {way for way in ways if way != (True, True)}
    return len(told) == 1 and (False, False) not in told and len(ways) - ways.count((True, True)) >= ENOUGH_CLASSES


class _Fit:
    """Which row of the original a released row may be: by the texts of plain columns, and by what its cells cover.

    Midpoints don't say what they cover, nor do cells that are not understood: these fit everything.
    """

    def __init__(self, released: Table, original: Table, kinds: Kinds, plain: Sequence[str], numeric: Numeric) -> None:
        self.plain = [(_texts(released[name]), _texts(original[name])) for name in plain]
        self.originals = row_count(original)
        readings = {name: it for name, it in read(released, original, kinds, numeric).items() if not it.midpoint}
        self.covered = [(it, it.values.rank_of[original[name].code_of]) for name, it in readings.items()]
        self.checks = [_equal(*texts) for texts in self.plain] + [_covers(*pair) for pair in self.covered]

    def ways(self, rows: Sequence[int], originals: Sequence[int]) -> tuple[bool, bool]:
        """Whether rows fit some of the original's, in this order and the other way round."""
        return self._embeds(rows, originals), self._embeds(rows[::-1], originals)

    def differ(self, rows: IntArray) -> bool:
        """Whether the plain columns of these rows tell them apart."""
        return any(len({released[row] for row in rows.tolist()}) > 1 for released, _ in self.plain)

    def origins(self, row: int) -> IntArray:
        """All original rows that the cells of a row cover."""
        inside = np.ones(self.originals, dtype=np.bool_)
        for reading, rank_of in self.covered:
            cell = int(reading.cell_of[row])
            if reading.covers[cell] is not None:
                inside &= reading.cells_hold(np.full(self.originals, cell), rank_of)
        return np.flatnonzero(inside)

    def _embeds(self, rows: Sequence[int], originals: Sequence[int]) -> bool:
        """Whether each row finds an original row after that of the row before; to take the first is never worse."""
        at = 0
        for left, row in zip(range(len(rows), 0, -1), rows, strict=True):
            last = len(originals) - left
            while at <= last and not all(check(row, originals[at]) for check in self.checks):
                at += 1
            if at > last:
                return False
            at += 1
        return True


def _texts(column: TextColumn) -> list[str | None]:
    texts = [*column.text.to_pylist(), None]
    return [texts[code] for code in column.code_of.tolist()]


def _equal(released: list[str | None], original: list[str | None]) -> Holds:
    return lambda row, at: released[row] == original[at]


def _covers(reading: Reading, rank_of: IntArray) -> Holds:
    known = [cover is not None for cover in reading.covers]
    reach = [ranks if isinstance(ranks, range) else frozenset(ranks.tolist()) for ranks in reading.reach]
    cells, ranks = reading.cell_of.tolist(), rank_of.tolist()
    return lambda row, at: not known[cells[row]] or ranks[at] in reach[cells[row]]
