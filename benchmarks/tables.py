"""The tables that are measured on, as columns of specs and as files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute
import pyarrow.csv
import pyarrow.parquet

from benchmarks.setting import SHARED, Unavailable

ADULT_ROWS = 45_222
ARX_ROWS = 30_162
TREES = ("workclass", "marital-status", "occupation", "race", "sex", "native-country")
# Every cell has this chance to come from another row. Rows that are only drawn again and again are equal to others, and
# with enough of them no algorithm loses anything.
NOISE = 0.2


def adult_path() -> Path:
    """Where Adult is."""
    path = SHARED / "data" / "adult.csv"
    if not path.exists():
        raise Unavailable(f"There is no file {path}: KANON_SHARED names the folder with the papers' data.")
    return path


def adult(rows: int = ADULT_ROWS) -> Any:
    """The first rows of Adult as text."""
    path = adult_path()
    names = path.open(encoding="utf-8").readline().strip().split(",")
    options = pyarrow.csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False)
    return pyarrow.csv.read_csv(path, convert_options=options).slice(0, rows)


def adult_columns() -> dict[str, Any]:
    """The eight quasi-identifiers of Byun et al. 2007, with ARX's taxonomies."""
    return {
        "age": "numeric",
        "education-num": "numeric",
        **{name: {"taxonomy": str(SHARED / "data" / "hierarchies" / f"adult_{name}.csv")} for name in TREES},
    }


def public_columns() -> dict[str, Any]:
    """The fourteen public attributes of Goldberger and Tassa 2010, each kept or suppressed."""
    return {name: "categorical" for name in adult().column_names if name != "income"}


def noisy_adult(rows: int) -> Any:
    """A table of any size that looks like Adult: rows drawn at random, some cells of each from other rows."""
    table = adult()
    rng = np.random.default_rng(0)
    drawn = table.take(rng.integers(0, len(table), rows))
    return pa.table({name: with_noise(drawn.column(name), rng) for name in drawn.column_names})


def with_noise(column: Any, rng: np.random.Generator) -> Any:
    """A column in which some cells have changed rows."""
    at = np.arange(len(column))
    moved = rng.random(len(column)) < NOISE
    at[moved] = rng.integers(0, len(column), int(moved.sum()))
    return column.take(at).combine_chunks()


def write(table: Any, path: Path) -> Path:
    """Write a table as CSV or Parquet, by the ending of the path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".parquet":
        pyarrow.parquet.write_table(table, path)
    else:
        pyarrow.csv.write_csv(table, path)
    return path
