"""Adult and CMC as Gionis, Mazza and Tassa 2008 use them: their attributes, with subsets that are ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow.csv

from benchmarks import tables
from benchmarks.setting import SHARED, Unavailable

ADULT_ROWS = 5_000
CMC_ROWS = 1_473  # all
ADULT_TREES = ("age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country")
# The widths of the bands in which values of CMC are put together; an attribute without any is kept or suppressed.
CMC_BANDS: Mapping[str, tuple[int, ...]] = {
    "wife_age": (5, 10, 20),
    "wife_education": (2,),
    "husband_education": (2,),
    "children": (2, 4, 8),
    "wife_religion": (),
    "wife_working": (),
    "husband_occupation": (2,),
    "living_standard": (2,),
    "media_exposure": (),
}


def adult_columns() -> dict[str, Any]:
    """Nine attributes with ARX's taxonomies; there is none for the family relationship, which is kept or suppressed."""
    trees = {name: {"taxonomy": str(SHARED / "data" / "hierarchies" / f"adult_{name}.csv")} for name in ADULT_TREES}
    return {**trees, "relationship": "categorical"}


def cmc() -> Any:
    """The table of the National Indonesia Contraceptive Prevalence Survey, as numbers."""
    path = SHARED / "data" / "cmc.csv"
    if not path.exists():
        raise Unavailable(f"There is no file {path}: KANON_SHARED names the folder with the papers' data.")
    return pyarrow.csv.read_csv(path)


def cmc_columns(folder: Path, table: Any) -> dict[str, Any]:
    """The public attributes of CMC, their taxonomies written into the folder."""
    found: dict[str, Any] = {}
    for name, widths in CMC_BANDS.items():
        found[name] = "categorical"
        if widths:
            path = folder / f"{name}.csv"
            path.write_text(banded(sorted(set(table.column(name).to_pylist())), widths), encoding="utf-8")
            found[name] = {"taxonomy": str(path)}
    return found


def banded(values: Sequence[int], widths: Sequence[int]) -> str:
    """A taxonomy of bands, each of the first width that holds a value; bands begin at the least value."""
    lines = []
    for value in values:
        starts = [(values[0] + (value - values[0]) // width * width, width) for width in widths]
        lines.append(";".join([str(value), *(f"{start}..{start + width - 1}" for start, width in starts), "*"]))
    return "\n".join(lines) + "\n"


def write_adult(folder: Path, rows: int) -> tuple[Path, dict[str, Any]]:
    """The first rows of Adult as a file, and its columns."""
    return tables.write(tables.adult(rows), folder / "adt.csv"), adult_columns()


def write_cmc(folder: Path, rows: int) -> tuple[Path, dict[str, Any]]:
    """The first rows of CMC as a file, and its columns."""
    table = cmc()
    return tables.write(table.slice(0, rows), folder / "cmc.csv"), cmc_columns(folder, table)
