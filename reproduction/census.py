"""A table like the census extracts SAL and INCOME of He et al. 2012, which are not public: drawn with a seed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

PROFILES = 40  # kinds of people; attributes depend on each other by way of these
LOOSE = 0.25  # of the cells are drawn from the whole population and not by profile


@dataclass(frozen=True)
class Attribute:
    """A column: how many values it has, how, and how evenly they are spread."""

    values: int
    is_number: bool
    decline: float  # the i-th most frequent value of all has a share like i ** -decline
    spread: float = 0.08  # of a profile's numbers around its own, as a share of the range


# The attributes of the paper's table 3, in its order: the first d are the quasi-identifiers.
TABLES: Mapping[str, Mapping[str, Attribute]] = {
    "SAL": {
        "age": Attribute(78, True, 0.0),
        "gender": Attribute(2, False, 0.0),
        "education": Attribute(17, True, 0.6),
        "marital": Attribute(6, False, 1.2),
        "race": Attribute(9, True, 2.5),
        "work-class": Attribute(10, False, 1.5),
    },
    "INC": {
        "age": Attribute(78, True, 0.0),
        "occupation": Attribute(711, True, 0.6),
        "birthplace": Attribute(983, True, 1.2),
        "gender": Attribute(2, False, 0.0),
        "education": Attribute(17, True, 0.6),
        "race": Attribute(9, False, 2.5),
    },
}


def columns(name: str, count: int) -> dict[str, Any]:
    """The first quasi-identifiers of a spec."""
    attributes = list(TABLES[name].items())[:count]
    return {key: "numeric" if attribute.is_number else "categorical" for key, attribute in attributes}


def generate(name: str, rows: int) -> Any:
    """Draw a table; it is the same each time."""
    rng = np.random.default_rng(0)
    profile = rng.choice(PROFILES, size=rows, p=_shares(PROFILES, 0.7))
    drawn = {}
    for key, attribute in TABLES[name].items():
        everybody = rng.permutation(_shares(attribute.values, attribute.decline))
        typical = rng.choice(attribute.values, size=PROFILES, p=everybody)
        own = typical[profile]
        if attribute.is_number:
            width = attribute.spread * attribute.values
            own = np.clip(np.rint(rng.normal(own, width * (attribute.decline < 1))), 0, attribute.values - 1)
        loose = rng.random(rows) < LOOSE
        own = np.where(loose, rng.choice(attribute.values, size=rows, p=everybody), own)
        drawn[key] = pa.array(own.astype(np.int64))
    return pa.table(drawn)


def _shares(values: int, decline: float) -> Any:
    weight = np.arange(1, values + 1) ** -decline
    return weight / weight.sum()
