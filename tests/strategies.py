"""Random tables, trees and problems for hypothesis."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa
from hypothesis import settings
from hypothesis import strategies as st

from kanon_cli import encoding
from kanon_cli.encoding import encode
from kanon_cli.kernels import layers
from kanon_cli.measures.base import CellMeasure
from kanon_cli.models.base import Model
from kanon_cli.models.k import K
from kanon_cli.models.l_frequency import LFrequency
from kanon_cli.problem import Problem
from kanon_cli.spec.build import build_models
from kanon_cli.spec.privacy import Privacy
from kanon_cli.tables.columns import TextColumn
from kanon_cli.tables.domains import Domain, build
from kanon_cli.tables.kinds import Kind
from kanon_cli.tables.taxonomy import Taxonomy, grow
from tests import naive
from tests.naive import models

LEAVES = tuple("abcdefgh")
FURTHER: tuple[Mapping[str, Any], ...] = (  # promises beside k and frequency l
    {"alpha": 0.6},
    {"diversity": {"distinct": 2}},
    {"diversity": {"distinct": 3}},
    {"diversity": {"entropy": 1.5}},
    {"diversity": {"entropy": 2.0}},
    {"diversity": {"recursive": {"c": 2.0, "l": 2}}},
    {"diversity": {"recursive": {"c": 0.7, "l": 1}}},
    {"t": 0.0},
    {"t": 0.2},
    {"t": 0.35, "alpha": 0.8},
    {"beta": {"basic": 0.8}},
    {"beta": {"enhanced": 1.5}},
    {"delta": {"strict": 1.0}},
    {"delta": {"present": 0.5}},
)


def examples(most: int) -> settings:
    """So many random examples of a law; where they are the same every time, as in CI, half of them do."""
    return settings(max_examples=-(-most // 2) if settings().derandomize else most, deadline=None)


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
    """A table and promises that some grouping of it keeps."""

    table: naive.Table
    k: int
    diversity: Fraction | None
    further: Mapping[str, Any] = field(default_factory=dict)  # as keys of a spec's `privacy`

    @property
    def privacy(self) -> dict[str, Any]:
        """All promises, as a spec has them."""
        return {"k": self.k, **({"l": float(self.diversity)} if self.diversity else {}), **self.further}

    @property
    def models(self) -> tuple[Model, ...]:
        """k, and what is promised of the column `s`."""
        return build_models(Privacy.model_validate(self.privacy), ("s",))

    def keeps(self, members: Sequence[int]) -> bool:
        """Whether a group keeps the promises."""
        known = naive.keeps(self.table, members, self.k, self.diversity)
        return known and models.keeps(self.further, self.table.secrets, members)

    def optimum(self, measure: str) -> float:
        """The least loss of any grouping that keeps the promises."""
        return min(
            naive.loss(self.table, groups, measure)
            for groups in naive.partitions(range(len(self.table.rows)))
            if all(self.keeps(members) for members in groups)
        )


@st.composite
def tasks(draw: st.DrawFn, max_rows: int = 40, max_k: int = 5, of_papers: bool = False) -> Task:
    """A table and a promise that it can keep; of papers: k, or k and frequency l."""
    table = draw(tables(max_rows))
    rows = range(len(table.rows))
    wanted = (None, Fraction(1), Fraction(13, 10), Fraction(2), Fraction(3))
    possible = [diversity for diversity in wanted if naive.keeps(table, rows, 1, diversity)]
    k = draw(st.integers(2, min(max_k, len(rows))))
    if of_papers or draw(st.booleans()):
        return Task(table, k, draw(st.sampled_from(possible)))
    further = [privacy for privacy in FURTHER if models.keeps(privacy, table.secrets, rows)]
    return Task(table, k, None, draw(st.sampled_from(further)))


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


@contextmanager
def priced_as(form: str) -> Iterator[None]:
    """Prices and labels as tables too large for the usual forms have them; "as ever" changes nothing."""
    with (
        patch.object(encoding, "TABLE_RANKS", 0 if "formula" in form else encoding.TABLE_RANKS),
        patch.object(layers, "NARROW_LABELS", 2 if form == "wide labels" else layers.NARROW_LABELS),
        patch.object(layers, "DEEPEST", 0 if "spans" in form else layers.DEEPEST),
    ):
        yield


def problem_of(table: naive.Table, promises: Sequence[Model], measure: CellMeasure, kept: bool = False) -> Problem:
    """The problem that kanon makes of a table; with `kept`, kept cells may have prices, too."""
    domains: dict[str, Domain] = {}
    for at, (name, kind) in enumerate(kinds_of(table).items()):
        domain = build(name, text_column(table.values(at)), kind)
        if not isinstance(domain, Domain):
            raise AssertionError(domain)
        domains[name] = domain
    return encode(domains, {"s": text_column(table.secrets)}, measure, promises, kept=kept)
