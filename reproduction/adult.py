"""The papers' settings on Adult as problems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from benchmarks import tables
from benchmarks.inside import prepare
from benchmarks.setting import Setting
from kanon_cli.problem import Problem

KS = (100, 75, 50, 40, 30, 20, 10)  # of Goldberger and Tassa, the quickest first


def suppressed(
    setting: Setting,
    k: int,
    *,
    rows: int = tables.ADULT_ROWS,
    columns: Sequence[str] = (),
    measure: str | Mapping[str, Any] = "lm",
    about: str = "",
    level: float = 1.0,
) -> Problem:
    """Adult's public attributes, or some, each kept or suppressed; `about` is the sensitive column, `level` its l."""
    public = {name: "categorical" for name in columns or tables.public_columns() if name != about}
    every = tables.adult(setting.rows(rows))
    promises: Mapping[str, Any] = {"l": level} if level > 1.0 else MappingProxyType({})
    table = tables.write(every.select([*public, *([about] if about else [])]), setting.folder / "adult.csv")
    return prepare(setting.folder, table, public, k, measure, [about] if about else [], promises).problem


def in_trees(setting: Setting, k: int, *, rows: int = tables.ADULT_ROWS) -> Problem:
    """The eight quasi-identifiers of Byun et al. with ARX's taxonomies; income is the class label."""
    table = tables.write(tables.adult(setting.rows(rows)), setting.folder / "adult.csv")
    return prepare(setting.folder, table, tables.adult_columns(), k, "il", ["income"]).problem
