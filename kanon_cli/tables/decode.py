"""From boxes of ranks back to the cells that are released, and the order they are released in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NamedTuple

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
    is_closure: bool = True  # a box is the closure of its rows; else a set has to list all from lo to hi


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
    spans, span_of_box = _spans(domain, boxes)
    code_of = span_of_box[boxes.box_of]
    if domain.kind.type == "numeric" and numeric != "interval":
        return _as_numbers(name, domain, spans, code_of, numeric)
    cells = [_cell(domain, span) for span in spans]
    exact = all(span.lo == span.hi for span in spans)
    return {name: Cells.merging(code_of, cells, arrow_type if exact else pa.string())}


class _Span(NamedTuple):
    """What a cell covers: ranks from lo to hi, in a tree the leaves of a node."""

    lo: int
    hi: int
    node: int


def _spans(domain: Domain, boxes: Boxes) -> tuple[list[_Span], RankArray]:
    """The different spans of the boxes, and the span of each box."""
    pairs, span_of_box = np.unique(boxes.lo.astype(np.int64) * domain.ranks + boxes.hi, return_inverse=True)
    lo, hi = np.divmod(pairs, domain.ranks)
    node = np.zeros_like(lo) if domain.tree is None else domain.tree.cover(lo, hi)
    return [_Span(*span) for span in zip(lo.tolist(), hi.tolist(), node.tolist(), strict=True)], span_of_box


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


def _cell(domain: Domain, span: _Span) -> str | None:
    """What a cell says; the root of every tree is released as a suppressed cell."""
    missing = domain.ranks - 1 if domain.has_missing else -1
    if span.lo == span.hi:
        return None if span.lo == missing else domain.text[span.lo]
    if domain.tree is not None:
        return domain.tree.label[span.node] if span.node else SUPPRESSED
    if span.hi == missing:
        return SUPPRESSED
    separator = "/" if domain.kind.type == "date" else "-"
    return f"[{domain.text[span.lo].strip()}{separator}{domain.text[span.hi].strip()}]"


def _sets(domain: Domain, boxes: Boxes) -> Cells:
    """The set of the values that really occur in each box, or of all that it is to cover."""
    found = np.unique(boxes.box_of.astype(np.int64) * domain.ranks + domain.rank_of)
    cells: list[str | None] = []  # [box]
    starts = np.searchsorted(found, np.arange(len(boxes.lo) + 1) * domain.ranks)
    for box, (lo, hi) in enumerate(zip(boxes.lo.tolist(), boxes.hi.tolist(), strict=True)):
        ranks = list(range(lo, hi + 1))
        if boxes.is_closure:
            ranks = (found[starts[box] : starts[box + 1]] % domain.ranks).tolist()
        cell = _cell(domain, _Span(ranks[0], ranks[0], 0))
        if len(ranks) > 1:
            holds_missing = domain.has_missing and ranks[-1] == domain.ranks - 1
            cell = SUPPRESSED if holds_missing else "{" + "|".join(domain.text[rank] for rank in ranks) + "}"
        cells.append(cell)
    return Cells.merging(boxes.box_of, cells, pa.string())


def _as_numbers(
    name: str, domain: Domain, spans: Sequence[_Span], code_of: RankArray, numeric: str
) -> dict[str, Cells]:
    """A numeric column as two columns of bounds, or as one of midpoints; a suppressed cell is missing."""
    bounds = [_bounds(domain, span) for span in spans]

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


def _bounds(domain: Domain, span: _Span) -> tuple[Decimal, Decimal] | None:
    """The least and the largest number that a cell covers; None if it covers the missing value."""
    if domain.has_missing and span.hi == domain.ranks - 1:
        return None
    if span.lo == span.hi or domain.tree is None:
        return Decimal(domain.text[span.lo].strip()), Decimal(domain.text[span.hi].strip())
    if span.node == 0:
        return None
    return domain.node_bounds[domain.tree.label[span.node]]


def column_names(name: str, kind_type: str, numeric: str) -> tuple[str, ...]:
    """The names under which a quasi-identifier is released."""
    return (f"{name}_min", f"{name}_max") if kind_type == "numeric" and numeric == "bounds" else (name,)
