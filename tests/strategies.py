"""Random tables, trees and problems for hypothesis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

from kanon_cli.encoding import encode
from kanon_cli.measures.base import CellMeasure
from kanon_cli.models.base import Model
from kanon_cli.models.k import K
from kanon_cli.models.l_frequency import LFrequency
from kanon_cli.problem import Problem
from kanon_cli.tables.columns import TextColumn
from kanon_cli.tables.domains import Domain, build
from kanon_cli.tables.kinds import Kind
from kanon_cli.tables.taxonomy import Taxonomy, grow
from tests import naive

LEAVES = tuple("abcdefgh")


def text_column(values: Sequence[str | None]) -> TextColumn:
    """A column as the reader gives it."""
    texts = sorted({value for value in values if value is not None})
    code = {text: at for at, text in enumerate(texts)}
    codes = np.array([-1 if value is None else code[value] for value in values], dtype=np.int32)
    return TextColumn(codes, pa.array(texts, type=pa.string()), pa.string())


@st.composite
def parents(draw: st.DrawFn) -> dict[str, str]:
    """Each label's parent in a random, unbalanced tree."""
    open_labels = list(LEAVES[: draw(st.integers(2, len(LEAVES)))])
    parent_of: dict[str, str] = {}
    inner = 0
    while len(open_labels) > 1:
        size = draw(st.integers(2, len(open_labels)))
        start = draw(st.integers(0, len(open_labels) - size))
        inner += 1
        for label in open_labels[start : start + size]:
            parent_of[label] = f"N{inner}"
        open_labels[start : start + size] = [f"N{inner}"]
    return parent_of


def taxonomy(parent_of: Mapping[str, str]) -> Taxonomy:
    """The same tree as kanon holds it."""
    return grow([label for label in LEAVES if label in parent_of], dict(parent_of))


@st.composite
def tables(draw: st.DrawFn, max_rows: int = 40, min_rows: int = 2) -> naive.Table:
    """A table of one to three columns, numbers and categories, some values missing, with a sensitive value a row."""
    rows = draw(st.integers(min_rows, max_rows))
    columns: list[naive.Column] = []
    cells: list[list[str | None]] = []
    for _ in range(draw(st.integers(1, 3))):
        if draw(st.booleans()):
            columns.append(naive.Numbers())
            values = [str(number) for number in draw(st.lists(st.integers(-20, 20), min_size=1, max_size=8))]
        else:
            tree = naive.Tree(draw(parents()))
            columns.append(tree)
            values = sorted(tree.leaves)
        choices: list[str | None] = [*values, None] if draw(st.booleans()) else [*values]
        cells.append(draw(st.lists(st.sampled_from(choices), min_size=rows, max_size=rows)))
    secrets = draw(st.lists(st.sampled_from([None, "x", "y", "z"]), min_size=rows, max_size=rows))
    weights = draw(st.lists(st.sampled_from([0.5, 1.0, 3.0]), min_size=len(columns), max_size=len(columns)))
    return naive.Table(list(zip(*cells, strict=True)), columns, weights, secrets)


@dataclass(frozen=True)
class Task:
    """A table and a promise that some grouping of it keeps."""

    table: naive.Table
    k: int
    diversity: Fraction | None

    @property
    def models(self) -> tuple[Model, ...]:
        """k, and frequency l on the column `s`."""
        return models_of(self.k, self.diversity)

    def keeps(self, members: Sequence[int]) -> bool:
        """Whether a group keeps the promise."""
        return naive.keeps(self.table, members, self.k, self.diversity)


@st.composite
def tasks(draw: st.DrawFn, max_rows: int = 40, max_k: int = 5) -> Task:
    """A table and a promise that it can keep."""
    table = draw(tables(max_rows))
    rows = range(len(table.rows))
    wanted = (None, Fraction(1), Fraction(13, 10), Fraction(2), Fraction(3))
    possible = [diversity for diversity in wanted if naive.keeps(table, rows, 1, diversity)]
    return Task(table, draw(st.integers(2, min(max_k, len(rows)))), draw(st.sampled_from(possible)))


def kinds_of(table: naive.Table) -> dict[str, Kind]:
    """The kinds of a table's columns, named q0, q1, ..."""
    weights = table.weights or [1.0] * len(table.columns)
    return {
        f"q{at}": Kind("numeric", weight=weight)
        if isinstance(column, naive.Numbers)
        else Kind(taxonomy=taxonomy(column.parent_of), weight=weight)
        for at, (column, weight) in enumerate(zip(table.columns, weights, strict=True))
    }


def models_of(k: int, diversity: Fraction | None) -> tuple[Model, ...]:
    """k, and frequency l on the column `s`."""
    if diversity is None:
        return (K(k=k),)
    return (K(k=k), LFrequency(l=float(diversity), columns=("s",)))


def problem_of(table: naive.Table, models: Sequence[Model], measure: CellMeasure, kept: bool = False) -> Problem:
    """The problem that kanon makes of a table; with `kept`, kept cells may have prices, too."""
    domains: dict[str, Domain] = {}
    for at, (name, kind) in enumerate(kinds_of(table).items()):
        domain = build(name, text_column(table.values(at)), kind)
        if not isinstance(domain, Domain):
            raise AssertionError(domain)
        domains[name] = domain
    return encode(domains, {"s": text_column(table.secrets)}, measure, models, kept)
