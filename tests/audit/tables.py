"""Small tables for the auditor's tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa

from kanon_cli.tables.columns import TextColumn


def column(cells: Sequence[str | None]) -> TextColumn:
    """Make a column of these texts; None is missing."""
    texts = sorted({cell for cell in cells if cell is not None})
    code_of = {text: code for code, text in enumerate(texts)}
    codes = [-1 if cell is None else code_of[cell] for cell in cells]
    return TextColumn(np.array(codes, dtype=np.int32), pa.array(texts, type=pa.string()), pa.string())


def table(cells: Mapping[str, Sequence[str | None]]) -> dict[str, TextColumn]:
    """Make a table of such columns."""
    return {name: column(texts) for name, texts in cells.items()}


def rows(names: Sequence[str], records: Sequence[Sequence[str | None]]) -> dict[str, TextColumn]:
    """Make a table that is written row by row."""
    return table({name: [record[place] for record in records] for place, name in enumerate(names)})
