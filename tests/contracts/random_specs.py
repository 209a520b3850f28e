"""Small random tables with a spec of each, and a judge that reads their releases by the definitions."""

from __future__ import annotations

import csv
import json
import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests import naive
from tests.naive import models

Record = dict[str, str]

TREE = naive.Tree({"a": "N", "b": "N", "c": "M", "d": "M", "N": "*", "M": "*"})
FLAT = naive.Tree(dict.fromkeys("xyz", "*"))
QI: list[tuple[Any, naive.Column, list[str]]] = [  # as a spec says it, as the judge sees it, values
    ("numeric", naive.Numbers(), ["0", "1", "2", "5", "7"]),
    ({"taxonomy": "tree.csv"}, TREE, ["a", "b", "c", "d"]),
    ("categorical", FLAT, ["x", "y", "z"]),
]
SENSITIVE: list[tuple[Any, models.Meaning, list[str]]] = [
    (None, None, ["x", "y", "z"]),
    ({"taxonomy": "tree.csv"}, TREE, ["a", "b", "c", "d"]),
    ("numeric", "numeric", ["1", "2", "2.0", "4", "9"]),
    ({"type": "numeric", "bins": [0, 3, 8]}, "numeric", ["1", "2", "4", "9"]),
]
PROMISES: list[tuple[tuple[str, ...], list[Any]]] = [  # a key of `privacy`, and what may be asked
    (("l",), [1.2, 1.6, 2]),
    (("alpha",), [0.5, 0.65, 0.8]),
    (("t",), [0.1, 0.2, 0.4]),
    (("diversity", "distinct"), [2, 3]),
    (("diversity", "entropy"), [1.5, 2.2]),
    (("diversity", "recursive"), [{"c": 1.2, "l": 2}, {"c": 3, "l": 2}, {"c": 2, "l": 3}, {"c": 0.8, "l": 1}]),
    (("beta", "basic"), [0.4, 0.9, 2]),
    (("beta", "enhanced"), [0.6, 1.2]),
    (("delta", "strict"), [0.7, 1.2, 2]),
    (("delta", "present"), [0.4, 0.8, 1.5]),
]


@dataclass(frozen=True)
class World:
    """A table in a folder, a spec of it without an algorithm, and what the judge knows of its columns."""

    spec: dict[str, Any]
    records: list[Record]
    kinds: Mapping[str, naive.Column]  # by quasi-identifier
    sensitive: Mapping[str, int]  # the place in SENSITIVE of each sensitive column

    def write(self, folder: Path, algorithm: Mapping[str, Any]) -> Path:
        """Write table, taxonomy and the spec with an algorithm; give the spec's file."""
        with (folder / "table.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, list(self.records[0]))
            writer.writeheader()
            writer.writerows(self.records)
        (folder / "tree.csv").write_text("".join(f"{';'.join(TREE.above(leaf))}\n" for leaf in sorted(TREE.leaves)))
        path = folder / "spec.yaml"
        path.write_text(
            json.dumps(self.spec | {"algorithm": dict(algorithm)})
        )  # which is YAML, too, and quickly written
        return path

    def read(self, folder: Path) -> tuple[list[Record], list[Record]]:
        """The released records, and the original of each, which its cells must cover."""
        with (folder / "release.csv").open(newline="") as file:
            released = list(csv.DictReader(file))
        originals = [self.records[int(record["row"])] for record in released]
        assert len({record["row"] for record in released}) == len(released)
        assert set(released[0]) == {*self.kinds, *self.sensitive, "row"}
        for record, original in zip(released, originals, strict=True):
            assert all(record[name] == original[name] for name in self.sensitive)
            assert self.covers(record, original)
        return released, originals

    def covers(self, released: Record, original: Record) -> bool:
        """Whether a released record could be that of an original one, by its quasi-identifiers."""
        return all(naive.covers(kind, released[name], original[name] or None) for name, kind in self.kinds.items())

    def classes(self, released: Sequence[Record]) -> list[list[int]]:
        """The places of the released records that are alike in their quasi-identifiers."""
        found: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for at, record in enumerate(released):
            found[tuple(record[name] for name in self.kinds)].append(at)
        return list(found.values())

    def keeps(self, records: Sequence[Record], crowds: Sequence[Sequence[int]]) -> bool:
        """Whether a table keeps every promise in each of these crowds, by the definitions."""
        return self.hides(records, crowds) and self.is_diverse(records, crowds)

    def hides(self, records: Sequence[Record], crowds: Sequence[Sequence[int]]) -> bool:
        """Whether each of these crowds has k people."""
        name = self.spec["privacy"].get("unit", "row")
        return all(len({records[row][name] for row in members}) >= self.spec["privacy"]["k"] for members in crowds)

    def is_diverse(self, records: Sequence[Record], crowds: Sequence[Sequence[int]]) -> bool:
        """Whether each of these crowds keeps what is promised of sensitive columns."""
        units = [record["person"] for record in records] if "unit" in self.spec["privacy"] else None
        return all(
            models.keeps(self._asked_of(name), values, members, meaning, units)
            for name, (values, meaning) in self._secrets(records).items()
            for members in crowds
        )

    def most_left_out(self) -> int:
        """How many rows may be left out."""
        written = self.spec["privacy"]["suppression"]
        return int(written["rows"] if isinstance(written, Mapping) else written * len(self.records))

    def _asked_of(self, name: str) -> dict[str, Any]:
        """The promises about one sensitive column, or about all together."""
        privacy = self.spec["privacy"]
        asked = {key: value for key, value in privacy.items() if key in {path[0] for path, _ in PROMISES}}
        if set(asked.get("diversity", ())) & set(self.sensitive):
            asked["diversity"] = asked["diversity"].get(name, {})
        return asked

    def _secrets(self, records: Sequence[Record]) -> dict[str, tuple[models.Secrets, models.Meaning]]:
        """Each sensitive column, and where they are joint, their combination."""
        found: dict[str, tuple[models.Secrets, models.Meaning]] = {
            name: ([_value(record[name], SENSITIVE[at][0]) for record in records], SENSITIVE[at][1])
            for name, at in self.sensitive.items()
        }
        if self.spec["privacy"]["joint"] and len(found) > 1:
            parts = zip(*(values for values, _ in found.values()), strict=True)
            found["together"] = ([None if None in row else "|".join(map(str, row)) for row in parts], None)
        return found


def _value(cell: str, written: Any) -> str | None:
    """What a sensitive cell stands for: equal numbers are one value, and numbers of a bin are, too."""
    if cell == "" or written is None or not (written == "numeric" or "bins" in written):
        return cell or None
    return str(float(cell) if written == "numeric" else sum(float(cell) >= least for least in written["bins"]))


def draw(rng: random.Random, first: int | None = None) -> World:
    """Draw a table with 1 to 4 quasi-identifiers, 1 to 3 sensitive columns and missing values, and 1 to 3 promises.

    `first` is the place in PROMISES of one that is among them.
    """
    rows = rng.randint(8, 36)
    columns: dict[str, list[str]] = {}
    quasi = {f"q{at}": rng.choice(QI) for at in range(rng.randint(1, 4))}
    for name, (_, _, values) in quasi.items():
        columns[name] = _cells(rng, values, rows, 0.4)
    sensitive = {f"s{at}": rng.randrange(len(SENSITIVE)) for at in range(rng.choice((1, 1, 2, 2, 3)))}
    for name, place in sensitive.items():
        columns[name] = _cells(rng, SENSITIVE[place][2], rows, 0.3)
    columns["person"] = [f"p{rng.randint(0, rows * 2 // 3)}" for _ in range(rows)]
    columns["row"] = [str(row) for row in range(rows)]
    spec = {
        "input": "table.csv",
        "output": {"path": "release.csv", "order": rng.choice(("input", "sorted"))},
        "quasi_identifiers": {name: written for name, (written, _, _) in quasi.items()},
        "sensitive": {name: SENSITIVE[place][0] for name, place in sensitive.items()},
        "keep": ["row"],
        "privacy": _privacy(rng, list(sensitive), first),
        "effort": 20,
    }
    records = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return World(spec, records, {name: kind for name, (_, kind, _) in quasi.items()}, sensitive)


def _cells(rng: random.Random, values: list[str], rows: int, missing: float) -> list[str]:
    """Cells of which each value has some share, and some are missing in some columns."""
    weights = [rng.choice((1, 1, 3)) for _ in values]
    if rng.random() < missing:
        values, weights = [*values, ""], [*weights, 1]
    return rng.choices(values, weights, k=rows)


def promise(rng: random.Random) -> dict[str, Any]:
    """Draw one promise, as a part of `privacy`."""
    path, choices = rng.choice(PROMISES)
    found = rng.choice(choices)
    for key in reversed(path):
        found = {key: found}
    return {**found}


def _privacy(rng: random.Random, sensitive: list[str], first: int | None) -> dict[str, Any]:
    """Draw promises."""
    places = [rng.randrange(len(PROMISES)) for _ in range(rng.choice((1, 1, 2, 3)))]
    places[0] = places[0] if first is None else first
    privacy: dict[str, Any] = {"k": rng.randint(2, 4), "joint": rng.random() < 0.25}
    for place in places:
        path, choices = PROMISES[place]
        inner = privacy if len(path) == 1 else privacy.setdefault(path[0], {})
        inner[path[-1]] = rng.choice(choices)
    if "diversity" in privacy and rng.random() < 0.3:
        privacy["diversity"] = {rng.choice(sensitive): privacy["diversity"]}
    if rng.random() < 0.25:
        privacy["unit"] = "person"
    privacy["suppression"] = rng.choice((0.0, 0.0, 0.1, {"rows": 2}))
    return privacy
