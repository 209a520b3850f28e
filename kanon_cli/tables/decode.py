"""From boxes of ranks back to the cells that are released, and the order they are released in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from kanon_cli.tables.columns import TextColumn
from kanon_cli.tables.domains import Domain
from kanon_cli.tables.numbers import INTEGER, is_double, middle, plain

SUPPRESSED = "*"

RankArray = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Boxes:
    """One column's boxes: the ranks that each covers, and the box of each row."""

    lo: RankArray  # [box]
    hi: RankArray  # [box]
    box_of: RankArray  # [row]


@dataclass(frozen=True)
class Cells:
    """A released column: the cell of each row as a code, and the cells; None is missing."""

    code_of: RankArray  # [row]
    text: list[str | None]  # [code], each text once
    arrow_type: Any

    @classmethod
    def merging(cls, code_of: RankArray, texts: Sequence[str | None], arrow_type: Any) -> Cells:
        """The cells of codes of which several may have the same text: different ranks can be released as one node."""
        merged: dict[str | None, int] = {}
        code_of_text = np.array([merged.setdefault(text, len(merged)) for text in texts], dtype=np.int32)
        return cls(code_of_text[code_of], list(merged), arrow_type)

    def as_arrow(self, order: npt.NDArray[np.int64], typed: bool) -> Any:
        """The column in the given order of rows: text by dictionary, or with its own type where that is wanted."""
        indices = pa.array(self.code_of[order], type=pa.int32())
        if typed and not pa.types.is_string(self.arrow_type):
            return pa.array(self.text, type=pa.string()).cast(self.arrow_type).take(indices)
        return pa.DictionaryArray.from_arrays(indices, pa.array(self.text, type=pa.string()))


def release_plain(column: TextColumn) -> Cells:
    """A column that is released as it is."""
    codes = np.where(column.code_of < 0, len(column.text), column.code_of).astype(np.int32)
    return Cells(codes, [*column.text.to_pylist(), None], column.arrow_type)


def release_cells(name: str, domain: Domain, boxes: Boxes, numeric: str, arrow_type: Any) -> dict[str, Cells]:
    """The released column of a quasi-identifier, or the two that hold its bounds."""
    if domain.kind.as_set:
        return {name: _sets(domain, boxes)}
    pairs, box_cell = np.unique(boxes.lo.astype(np.int64) * domain.ranks + boxes.hi, return_inverse=True)
    spans = [divmod(int(pair), domain.ranks) for pair in pairs]
    code_of = box_cell.astype(np.int32)[boxes.box_of]
    if domain.kind.type == "numeric" and numeric != "interval":
        return _as_numbers(name, domain, spans, code_of, numeric)
    cells = [_cell(domain, lo, hi) for lo, hi in spans]
    exact = all(lo == hi for lo, hi in spans)
    return {name: Cells.merging(code_of, cells, arrow_type if exact else pa.string())}


def sorted_order(columns: Sequence[Cells]) -> npt.NDArray[np.int64]:
    """The order of rows by their released cells, the first column first, so that nothing else decides it."""
    keys = []
    for column in columns:
        texts = [(text is None, text or "") for text in column.text]
        by_text = sorted(range(len(texts)), key=texts.__getitem__)
        place = np.empty(len(by_text), dtype=np.int32)
        place[by_text] = np.arange(len(by_text))
        keys.append(place[column.code_of])
    order: npt.NDArray[np.int64] = np.lexsort(keys[::-1])
    return order


def _cell(domain: Domain, lo: int, hi: int) -> str | None:
    """What a cell that covers the ranks lo to hi says."""
    missing = domain.ranks - 1 if domain.has_missing else -1
    if lo == hi:
        return None if lo == missing else domain.text[lo]
    if domain.tree is not None:
        node = int(domain.tree.joint[lo:hi].min())
        return domain.tree.label[node] if node else SUPPRESSED
    if hi == missing:
        return SUPPRESSED
    separator = "/" if domain.kind.type == "date" else "-"
    return f"[{domain.text[lo].strip()}{separator}{domain.text[hi].strip()}]"


def _sets(domain: Domain, boxes: Boxes) -> Cells:
    """The set of the values that really occur in each box."""
    found = np.unique(boxes.box_of.astype(np.int64) * domain.ranks + domain.rank_of)
    cells: list[str | None] = []  # [box]
    starts = np.searchsorted(found, np.arange(len(boxes.lo) + 1) * domain.ranks)
    for box in range(len(boxes.lo)):
        ranks = (found[starts[box] : starts[box + 1]] % domain.ranks).tolist()
        cell = _cell(domain, ranks[0], ranks[0])
        if len(ranks) > 1:
            holds_missing = domain.has_missing and ranks[-1] == domain.ranks - 1
            cell = SUPPRESSED if holds_missing else "{" + "|".join(domain.text[rank] for rank in ranks) + "}"
        cells.append(cell)
    return Cells.merging(boxes.box_of, cells, pa.string())


def _as_numbers(
    name: str, domain: Domain, spans: Sequence[tuple[int, int]], code_of: RankArray, numeric: str
) -> dict[str, Cells]:
    """A numeric column as two columns of bounds, or as one of midpoints; a suppressed cell is missing."""
    bounds = [_bounds(domain, lo, hi) for lo, hi in spans]

    def column(pick: Callable[[tuple[Decimal, Decimal]], Decimal]) -> Cells:
        cells = [None if pair is None else plain(pick(pair)) for pair in bounds]
        return Cells.merging(code_of, cells, _number_type([cell for cell in cells if cell is not None]))

    if numeric == "midpoint":
        return {name: column(lambda pair: middle(*pair))}
    return {f"{name}_min": column(lambda pair: pair[0]), f"{name}_max": column(lambda pair: pair[1])}


def _number_type(cells: Sequence[str]) -> Any:
    """The narrowest type that holds these numbers exactly; text if none does."""
    if all(INTEGER.fullmatch(cell) and abs(int(cell)) < 2**63 for cell in cells):
        return pa.int64()
    return pa.float64() if all(map(is_double, cells)) else pa.string()


def _bounds(domain: Domain, lo: int, hi: int) -> tuple[Decimal, Decimal] | None:
    """The least and the largest number that a cell covers; None if it covers the missing value."""
    if domain.has_missing and hi == domain.ranks - 1:
        return None
    if lo == hi or domain.tree is None:
        return Decimal(domain.text[lo].strip()), Decimal(domain.text[hi].strip())
    node = int(domain.tree.joint[lo:hi].min())
    if node == 0:
        return None
    low, high = domain.node_bounds[domain.tree.label[node]]
    return Decimal(repr(low)), Decimal(repr(high))


def column_names(name: str, kind_type: str, numeric: str) -> tuple[str, ...]:
    """The names under which a quasi-identifier is released."""
    return (f"{name}_min", f"{name}_max") if kind_type == "numeric" and numeric == "bounds" else (name,)


def arrow_columns(columns: Mapping[str, Cells], order: npt.NDArray[np.int64], typed: bool) -> dict[str, Any]:
    """All released columns, ready to be written."""
    return {name: cells.as_arrow(order, typed) for name, cells in columns.items()}
