"""Runs one other tool on a table, in an environment that has that tool and pandas, and writes the class of each row."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

NUMBERS = ("age", "education-num")


def anonypy(table: Any, k: int, _hierarchies: Path) -> Any:
    """Mondrian of anonypy."""
    from anonypy.mondrian import Mondrian

    return _numbered(table, Mondrian(_typed(table), list(table.columns)).partition(k))


def anonypyx_mondrian(table: Any, k: int, _hierarchies: Path) -> Any:
    """Mondrian of anonypyx."""
    from anonypyx.models import kAnonymity
    from anonypyx.mondrian import Mondrian

    return _numbered(table, Mondrian(_typed(table), list(table.columns)).partition([kAnonymity(k)]))


def anonypyx_mdav(table: Any, k: int, _hierarchies: Path) -> Any:
    """MDAV-generic of anonypyx."""
    from anonypyx.microaggregation import MDAVGeneric

    frame = _typed(table).astype(dict.fromkeys(NUMBERS, float))
    return _numbered(table, MDAVGeneric(frame, list(table.columns)).partition(k))


def anjana(table: Any, k: int, hierarchies: Path) -> Any:
    """Full-domain generalization of anjana, which may suppress 2 % of the rows."""
    from anjana.anonymity import k_anonymity

    names = list(table.columns)
    levels = {name: _levels(hierarchies / f"adult_{name}.csv", table[name]) for name in names}
    released = k_anonymity(table, [], names, k, 2.0, levels)
    rows = released["index"] if "index" in released else np.arange(len(released))
    class_of = np.full(len(table), -1)
    class_of[rows] = released.groupby(names, sort=False).ngroup()
    return class_of


def crowds(table: Any, k: int, hierarchies: Path) -> Any:
    """Full-domain generalization of crowds, the best by its own measure, which may suppress 2 % of the rows."""
    from crowds.kanonymity.generalizations import GenRule
    from crowds.kanonymity.ola import anonymize

    rules = {}
    for name in table.columns:
        levels = _levels(hierarchies / f"adult_{name}.csv", table[name])
        inner = [levels[level] for level in range(1, len(levels) - 1)]
        rules[name] = GenRule([dict(zip(levels[0], level, strict=True)).__getitem__ for level in inner])
    released, _ = anonymize(table.assign(row=range(len(table))), rules, k=k, max_sup=2)
    class_of = np.full(len(table), -1)
    class_of[released["row"].astype(int)] = released.groupby(list(table.columns), sort=False, dropna=False).ngroup()
    return class_of


TOOLS: dict[str, Callable[[Any, int, Path], Any]] = {
    "anonypy": anonypy,
    "anonypyx-mondrian": anonypyx_mondrian,
    "anonypyx-mdav": anonypyx_mdav,
    "anjana": anjana,
    "crowds": crowds,
}


def _typed(table: Any) -> Any:
    """The table with its numbers as numbers and everything else as categories."""
    types = {name: "int64" if name in NUMBERS else "category" for name in table.columns}
    return table.astype(types)


def _numbered(table: Any, partitions: Sequence[Any]) -> Any:
    """The number of the partition that each row is in."""
    class_of = np.full(len(table), -1)
    for number, rows in enumerate(partitions):
        class_of[rows] = number
    return class_of


def _levels(path: Path, values: Any) -> dict[int, Any]:
    """A hierarchy as anjana has it: level by level, what each leaf becomes; numbers without a file are halved."""
    if path.exists():
        rows = [line.split(";") for line in path.read_text(encoding="utf-8").splitlines()]
        return {level: np.array([row[level] for row in rows]) for level in range(len(rows[0]))}
    leaves = np.unique(values.astype(int))
    widths = {level: np.array([f"{leaf // 2**level}:{level}" for leaf in leaves]) for level in (1, 2, 3)}
    return {0: leaves.astype(str), **widths, 4: np.full(len(leaves), "*")}


def main(tool: str, table: Path, k: int, hierarchies: Path, target: Path) -> None:
    """Let a tool work on a CSV file of quasi-identifiers; write one number a row, -1 for a suppressed one."""
    class_of = TOOLS[tool](pd.read_csv(table, dtype=str, keep_default_na=False), k, hierarchies)
    np.savetxt(target, class_of, fmt="%d")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]), Path(sys.argv[5]))
