"""The domain of a quasi-identifier: its values as ranks, on a line or in a tree."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt

from kanon_cli.errors import Mistake
from kanon_cli.tables import nests
from kanon_cli.tables.columns import TextColumn
from kanon_cli.tables.kinds import Kind
from kanon_cli.tables.numbers import INTEGER, is_date, is_number, positions, rank_numbers
from kanon_cli.tables.taxonomy import Taxonomy, flat

MISSING = "\0missing"  # the label of the missing value in a tree
GENERALIZED = re.compile(r"\*|\[.*[-/].*[\])]|\{.*\}", re.DOTALL)


@dataclass(frozen=True)
class Domain:
    """A column as ranks 0, 1, ...; the missing value, if there is any, has the last rank.

    With a `tree`, ranks are leaves in depth-first order and a cell is a node; without one, ranks lie on a line and a
    cell is an interval of it. `position` says where on the line the present values are (in trees: numbers and dates).
    """

    kind: Kind
    rank_of: npt.NDArray[np.unsignedinteger[Any]]  # [row] of the smallest type that holds all ranks
    rows_of: npt.NDArray[np.int64]  # [rank] how many rows have it
    text: list[str]  # [rank] of the present values
    has_missing: bool
    tree: Taxonomy | None
    position: npt.NDArray[np.float64] | None  # [rank] of the present values
    node_bounds: dict[str, tuple[Decimal, Decimal]]  # by label, of the inner nodes of numeric and date trees

    @property
    def ranks(self) -> int:
        """How many ranks there are."""
        return len(self.rows_of)


def build(name: str, column: TextColumn, kind: Kind) -> Domain | list[Mistake]:
    """Rank a column's values; what doesn't fit the column's kind comes back as mistakes."""
    texts: list[str] = column.text.to_pylist()
    mistakes = _check(name, column, texts, kind)
    if mistakes:
        return mistakes
    if not texts:  # nothing but missing values: one rank, nothing to generalize
        return _domain(column, kind, np.empty(0, dtype=np.int64), [], None, np.empty(0), {})
    if kind.type == "numeric":
        return _numeric(column, texts, kind)
    if kind.type == "date":
        return _dates(column, texts, kind)
    return _categorical(column, texts, kind)


def _numeric(column: TextColumn, texts: list[str], kind: Kind) -> Domain:
    rank_of_code, written, values = rank_numbers(texts)
    if not kind.intervals:
        return _domain(column, kind, rank_of_code, written, None, positions(values), {})
    whole = all(INTEGER.fullmatch(text.strip()) for text in texts) and all(width % 1 == 0 for width in kind.intervals)
    written = [text.strip() for text in written]
    nest = nests.intervals(written, values, kind.intervals, whole)
    return _domain(column, kind, rank_of_code, written, nest.taxonomy, positions(values), nest.bounds)


def _dates(column: TextColumn, texts: list[str], kind: Kind) -> Domain:
    order = np.argsort(np.array(texts, dtype=np.str_), kind="stable")  # ISO dates sort as they are written
    rank_of_code = np.empty(len(texts), dtype=np.int64)
    rank_of_code[order] = np.arange(len(texts))
    written = [texts[code] for code in order]
    line = np.array([datetime.date.fromisoformat(text).toordinal() for text in written], dtype=np.float64)
    if not kind.calendar:
        return _domain(column, kind, rank_of_code, written, None, line, {})
    nest = nests.calendar(written)
    return _domain(column, kind, rank_of_code, written, nest.taxonomy, line, nest.bounds)


def _categorical(column: TextColumn, texts: list[str], kind: Kind) -> Domain:
    if kind.as_set:  # the values in a line, so that sets of neighbours in the alphabet are found
        return _domain(column, kind, np.arange(len(texts)), texts, None, np.arange(len(texts), dtype=np.float64), {})
    tree = kind.taxonomy
    if tree is None:
        tree = nests.mask(texts, kind.mask) if kind.mask else flat(texts)
    leaf_rank = {tree.label[node]: rank for rank, node in enumerate(tree.leaf.tolist())}
    rank_of_code = np.array([leaf_rank[text] for text in texts], dtype=np.int64)
    written = [tree.label[node] for node in tree.leaf.tolist()]
    return _domain(column, kind, rank_of_code, written, tree, None, {})


def _domain(
    column: TextColumn,
    kind: Kind,
    rank_of_code: npt.NDArray[np.int64],
    text: list[str],
    tree: Taxonomy | None,
    position: npt.NDArray[np.float64] | None,
    node_bounds: dict[str, tuple[Decimal, Decimal]],
) -> Domain:
    """Add the missing value and count the rows."""
    has_missing = column.missing > 0
    if tree is not None and has_missing:
        label = MISSING
        while label in tree.node_of:  # a typed file may hold even that text
            label += "\0"
        tree = tree.with_leaf(label)
    ranks = len(text) + has_missing
    by_code = np.append(rank_of_code, len(text)).astype(np.min_scalar_type(len(text)))  # the code -1 finds the last
    rank_of = by_code[column.code_of]
    return Domain(
        kind=kind,
        rank_of=rank_of,
        rows_of=np.bincount(rank_of, minlength=ranks).astype(np.int64),
        text=text,
        has_missing=has_missing,
        tree=tree,
        position=position,
        node_bounds=node_bounds,
    )


def _check(name: str, column: TextColumn, texts: list[str], kind: Kind) -> list[Mistake]:
    """Find the values that are not what the column is said to be."""
    if kind.type == "numeric":
        return _report(
            name,
            column,
            texts,
            lambda text: not is_number(text),
            "not finite numbers",
            "list texts that stand for a missing value in input.null_values, or declare the column categorical",
        )
    if kind.type == "date":
        return _report(
            name,
            column,
            texts,
            lambda text: not is_date(text),
            "not dates",
            "dates are written YYYY-MM-DD; list texts that stand for a missing value in input.null_values",
        )
    inner = (
        set()
        if kind.taxonomy is None
        else {kind.taxonomy.label[node] for node in range(len(kind.taxonomy.label)) if not kind.taxonomy.is_leaf(node)}
    )

    def generalized(text: str) -> bool:
        return (
            GENERALIZED.fullmatch(text) is not None
            or text in inner
            or (kind.as_set and "|" in text)
            or (kind.mask is not None and "*" in text)
        )

    found = _report(
        name,
        column,
        texts,
        generalized,
        "values that read like generalized cells",
        "a reader must tell an original from a generalization: list them in input.null_values or rename them",
    )
    return found or _check_coverage(name, column, texts, kind)


def _check_coverage(name: str, column: TextColumn, texts: list[str], kind: Kind) -> list[Mistake]:
    if kind.taxonomy is not None:
        known = set(kind.taxonomy.label)
        return _report(
            name,
            column,
            texts,
            lambda text: text not in known,
            "not in the taxonomy",
            f"add each as a leaf of {kind.file or 'the taxonomy'}, or list it in input.null_values if it means missing",
        )
    if kind.mask is not None:
        return _report(
            name,
            column,
            texts,
            lambda text: len(text) != kind.mask,
            f"not of {kind.mask} characters",
            "a mask needs values of one length",
        )
    return []


def _report(
    name: str, column: TextColumn, texts: list[str], wrong: Callable[[str], bool], what: str, hint: str
) -> list[Mistake]:
    """Count the wrong values and their rows; never name them."""
    is_wrong = np.array([wrong(text) for text in texts], dtype=np.bool_)
    if not is_wrong.any():
        return []
    rows = np.flatnonzero(np.append(is_wrong, False)[column.code_of])  # the code -1 finds the last entry
    values = int(is_wrong.sum())
    return [
        Mistake(
            f"{what}: {values} {'value' if values == 1 else 'different values'} in {len(rows)} "
            f"{'row' if len(rows) == 1 else 'rows'}, first in row {int(rows[0]) + 1}",
            path=name,
            hint=hint,
        )
    ]
