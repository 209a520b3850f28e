"""A column as text: what was written, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa


@dataclass(frozen=True)
class TextColumn:
    """The code of each row and the text of each code, exactly as written; a missing value has the code -1.

    Every code occurs in some row and no two codes have the same text. `arrow_type` is the type that the file gave the
    column (a string for CSV).
    """

    code_of: npt.NDArray[np.int32]  # [row]
    text: Any  # [code] pyarrow.StringArray
    arrow_type: Any  # pyarrow.DataType

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self.code_of)

    @property
    def missing(self) -> int:
        """How many rows have no value."""
        return int((self.code_of < 0).sum())

    def taking(self, rows: npt.NDArray[np.int64]) -> TextColumn:
        """Some of the rows, as a column by itself."""
        codes = self.code_of[rows]
        used, code_of = np.unique(codes[codes >= 0], return_inverse=True)
        taken = np.full(len(rows), -1, dtype=np.int32)
        taken[codes >= 0] = code_of
        return TextColumn(taken, self.text.take(used), self.arrow_type)


def stack(columns: Sequence[TextColumn]) -> TextColumn:
    """The rows of several columns, one after the other."""
    texts = [column.text.to_pylist() for column in columns]
    code_of_text = {text: code for code, text in enumerate(dict.fromkeys(chain.from_iterable(texts)))}
    parts = [
        np.array([*(code_of_text[text] for text in known), -1], dtype=np.int32)[column.code_of]
        for column, known in zip(columns, texts, strict=True)
    ]
    return TextColumn(np.concatenate(parts), pa.array(code_of_text, pa.string()), columns[0].arrow_type)
