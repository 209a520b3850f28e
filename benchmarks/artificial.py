"""The artificial table of Gionis, Mazza and Tassa 2008: six independent attributes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

ROWS = 5_000
PROBABILITIES = (
    (0.7, 0.3),
    (0.3, 0.3, 0.2, 0.2),
    (0.25, 0.25, 0.4, 0.1),
    (0.07,) * 6 + (0.04,) * 10 + (0.02,) * 9,
    (0.1,) * 10,
    (0.05, 0.05, 0.5, 0.3, 0.1),
)
# The permissible subsets as first and last value, but for single values and the whole attribute.
SUBSETS = (
    (),
    ((1, 2), (3, 4)),
    ((1, 2), (3, 4)),
    ((1, 6), (7, 12), (13, 18), (19, 25), (1, 12), (13, 25)),
    ((1, 2), (3, 4), (6, 7), (8, 9), (1, 5), (6, 10)),
    ((1, 2), (4, 5), (3, 5)),
)


def generate(rows: int) -> Any:
    """Draw a table; it is the same each time."""
    rng = np.random.default_rng(0)
    columns = {}
    for at, probability in enumerate(PROBABILITIES):
        drawn = rng.choice(len(probability), size=rows, p=probability)
        columns[f"A{at + 1}"] = pa.array([f"a{value + 1}" for value in drawn])
    return pa.table(columns)


def columns(folder: Path) -> dict[str, Any]:
    """The quasi-identifiers of a spec, their taxonomies written into the folder."""
    found: dict[str, Any] = {"A1": "categorical"}
    for at in range(1, len(SUBSETS)):
        path = folder / f"A{at + 1}.yaml"
        tree = {f"A{at + 1}": _below(1, len(PROBABILITIES[at]), SUBSETS[at])}
        path.write_text(json.dumps(tree), encoding="utf-8")
        found[f"A{at + 1}"] = {"taxonomy": str(path)}
    return found


def _below(first: int, last: int, subsets: tuple[tuple[int, int], ...]) -> dict[str, Any]:
    """What is below a node that covers these values: its largest subsets, and the values that are in none of them."""
    inside = [pair for pair in subsets if first <= pair[0] and pair[1] <= last and pair != (first, last)]
    children: dict[str, Any] = {}
    value = first
    while value <= last:
        widest = max((pair[1] for pair in inside if pair[0] == value), default=value)
        children[f"a{value}" if widest == value else f"a{value}..a{widest}"] = (
            None if widest == value else _below(value, widest, subsets)
        )
        value = widest + 1
    return children
