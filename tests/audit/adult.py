"""The first 30,162 rows of Adult, for the tables of others that are made of them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from kanon_cli.tables.columns import TextColumn
from kanon_cli.tables.read import read
from kanon_cli.tables.sources import layout_for

ADULT = Path(os.environ.get("KANON_SHARED", Path(__file__).parents[3] / "shared")) / "data" / "adult.csv"
ROWS = 30_162

needs_adult = pytest.mark.skipif(not ADULT.exists(), reason="Adult is not here: KANON_SHARED names its folder")


def adult(level_of: Mapping[str, int], ages: Sequence[int] | None = None) -> dict[str, TextColumn]:
    """Columns of Adult, each taken up by so many levels of its taxonomy; ages by the highest one of each group."""
    columns = read([ADULT], layout_for(ADULT), list(level_of))
    table = {}
    for name, column in columns.items():
        texts = column.text.to_pylist()
        if name == "age" and ages is not None:
            labels = [str(place) for place in np.searchsorted(ages, [int(text) for text in texts])]
        else:
            labels = [_label_of(name, level_of[name]).get(text, text if level_of[name] == 0 else "*") for text in texts]
        table[name] = recoded(column, labels)
    return table


def recoded(column: TextColumn, labels: Sequence[str]) -> TextColumn:
    """The first rows of a column, with the label of each of its codes for a text."""
    texts, code_of = np.unique(np.array(labels)[column.code_of[:ROWS]], return_inverse=True)
    return TextColumn(code_of.astype(np.int32), pa.array(texts.tolist(), pa.string()), pa.string())


def _label_of(name: str, level: int) -> dict[str, str]:
    ancestors = ADULT.parent / "hierarchies" / f"adult_{name}.csv"
    lines = ancestors.read_text().splitlines() if ancestors.exists() else []  # there is none for income
    return {line.split(";")[0]: line.split(";")[level] for line in lines}
