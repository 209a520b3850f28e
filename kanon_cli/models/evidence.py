"""What a reader can see in a table: its classes, and the sensitive values in each."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Secret:
    """A sensitive column: the code of each row's value; -1 is missing."""

    code_of: IntArray  # [row]
    values: int  # codes are 0 .. values - 1


@dataclass(frozen=True)
class Evidence:
    """The classes of a table as a stranger finds them."""

    class_of: IntArray  # [row] 0 .. classes - 1
    secrets: dict[str, Secret] = field(default_factory=dict)  # by column name

    @property
    def rows(self) -> int:
        """How many rows the table has."""
        return len(self.class_of)

    @cached_property
    def sizes(self) -> IntArray:
        """[class] how many rows it has."""
        return np.bincount(self.class_of).astype(np.int64)

    def counts(self, column: str) -> tuple[IntArray, IntArray, IntArray]:
        """The (class, code, rows) of every sensitive value that occurs in a class; the code of missing is -1."""
        secret = self.secrets[column]
        width = secret.values + 1
        pairs, rows = np.unique(self.class_of * width + secret.code_of + 1, return_counts=True)
        return pairs // width, pairs % width - 1, rows.astype(np.int64)
