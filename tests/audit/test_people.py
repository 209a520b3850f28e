"""An audit counts people where it is told whose the rows are: by a column, or by an original in the same order."""

from __future__ import annotations

import random
from collections import defaultdict
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
import yaml

from kanon_cli import auditing
from kanon_cli.errors import DataError, SpecError
from kanon_cli.events import Silence
from kanon_cli.spec.parse import parse
from tests.naive import models


def audit(folder: Path, table: list[str], **question: Any) -> dict[str, Any]:
    """What is found in a table of age, illness and who it is about, or the first columns of these."""
    header = ",".join(("age", "ill", "who")[: table[0].count(",") + 1])
    (folder / "t.csv").write_text("\n".join([header, *table]) + "\n", encoding="utf-8")
    columns: dict[str, Any] = {} if "spec" in question else {"quasi_identifiers": ("age",), "sensitive": ("ill",)}
    return auditing.audit(auditing.Question(folder / "t.csv", **columns, **question), Silence()).block


def spec_of(folder: Path) -> Any:
    """A spec that wants two people in a class."""
    written = {
        "input": "original.csv",
        "quasi_identifiers": {"age": "numeric"},
        "sensitive": "ill",
        "privacy": {"k": 2, "unit": "who"},
    }
    (folder / "spec.yaml").write_text(yaml.safe_dump(written), encoding="utf-8")
    return parse(folder / "spec.yaml", need_output=False)


@pytest.mark.parametrize("seed", range(20))
def test_people_are_counted_by_the_definitions(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)  # noqa: S311  a table, no secret
    rows = [(rng.choice(("1", "2", "*", "")), rng.choice("xyz"), f"p{rng.randrange(9)}") for _ in range(30)]
    found = audit(tmp_path, [",".join(row) for row in rows], unit="who")
    classes: dict[str, list[int]] = defaultdict(list)
    for at, (age, _, _) in enumerate(rows):
        classes[age].append(at)
    values, units = [ill for _, ill, _ in rows], [who for _, _, who in rows]
    achieved, views = found["privacy"]["achieved"], found["views"]
    assert found["table"]["people"] == len(set(units))
    assert achieved["k"] == min(len({units[row] for row in members}) for members in classes.values())
    shares = [models.worst_share(values, members, units) for members in classes.values()]
    assert achieved["alpha"] == pytest.approx(float(max(shares)))
    left = [members for age, members in classes.items() if age]
    least = min(len({units[row] for row in members}) for members in left)
    assert views["missing"]["left_out"]["k"] == least
    assert views["missing"]["wildcard"] is None or found["table"]["people"] == len(rows)


def test_ten_rows_of_one_person_hide_nobody(tmp_path: Path) -> None:
    """The column that tells people apart is no part of the release: it is no leak, and no identifier of it."""
    rows = [f"30,x,{who}" for who in "aaaaaaaaaa"]
    assert audit(tmp_path, rows)["privacy"]["achieved"]["k"] == 10
    found = audit(tmp_path, [f"30,x,{who}" for who in "abcdefghij"], unit="who")
    assert found["privacy"]["achieved"]["k"] == 10
    assert not [leak for leak in found["leaks"] if leak["column"] == "who"]
    (tmp_path / "original.csv").write_text("age,ill,who\n" + "30,x,a\n" * 10, encoding="utf-8")
    found = audit(tmp_path, rows, spec=spec_of(tmp_path), unit="who")
    assert [(one["model"], one["holds"]) for one in found["requirements"]] == [
        ("k", False),
        ("absence of identifiers", True),
    ]
    assert found["privacy"]["risk"]["prosecutor_max"] == 1.0


def test_an_original_in_the_same_order_tells_whose_the_rows_are(tmp_path: Path) -> None:
    (tmp_path / "original.csv").write_text("age,ill,who\n1,x,a\n2,x,a\n3,y,b\n4,y,c\n", encoding="utf-8")
    released, original = ["[1-2],x", "[1-2],x", "[3-4],y", "[3-4],y"], tmp_path / "original.csv"
    found = audit(tmp_path, released, spec=spec_of(tmp_path), original=original)
    assert (found["table"]["people"], found["privacy"]["achieved"]["k"]) == (3, 1)


def test_rows_are_not_counted_where_people_are_promised(tmp_path: Path) -> None:
    """Neither without an original, nor beside one whose rows fit several classes, or that has more rows."""
    (tmp_path / "original.csv").write_text("age,ill,who\n1,x,a\n2,x,a\n3,x,b\n4,y,c\n", encoding="utf-8")
    released, original = ["[2-4],y", "[2-4],x", "[1-3],x", "[1-3],x"], tmp_path / "original.csv"
    with pytest.raises(SpecError, match=r"the spec counts people; say --unit COLUMN .*output\.order: input"):
        audit(tmp_path, released, spec=spec_of(tmp_path))
    for rows in (released, released[2:]):
        with pytest.raises(SpecError, match="fit one class only, so it can't be told whose they are; say --unit"):
            audit(tmp_path, rows, spec=spec_of(tmp_path), original=original)
    named = [f"{row},{who}" for row, who in zip(released, "cbaa", strict=True)]
    assert audit(tmp_path, named, spec=spec_of(tmp_path), unit="who")["privacy"]["achieved"]["k"] == 1


def test_rows_in_any_order_that_fit_one_class_only_tell_whose_they_are(tmp_path: Path) -> None:
    """Where there is one assignment; age 2 fits both classes, but ages 3 and 4 leave no room for it in theirs."""
    (tmp_path / "original.csv").write_text("age,ill,who\n1,x,a\n3,y,b\n2,x,a\n4,y,c\n", encoding="utf-8")
    asked: dict[str, Any] = {"spec": spec_of(tmp_path), "original": tmp_path / "original.csv"}
    for wider in ("[3-4]", "[2-4]", "*"):
        found = audit(tmp_path, [f"{wider},y", "[1-2],x", f"{wider},y", "[1-2],x"], **asked)
        assert (found["table"]["people"], found["privacy"]["achieved"]["k"]) == (3, 1)


def test_whose_rows_are_is_only_told_where_every_assignment_says_the_same(tmp_path: Path) -> None:
    """All ways to give six rows to six originals are tried, in releases some of whose boxes overlap."""
    rng, told = random.Random(0), 0  # noqa: S311  a table, no secret
    for _ in range(60):
        rows = [(rng.randrange(6), rng.choice("xxy"), f"p{rng.randrange(4)}") for _ in range(6)]
        lows = [rng.choice((age - age % 2, age - age % 2, 0)) for age, _, _ in rows]
        released = [(low, max(low + 1, age), ill) for low, (age, ill, _) in zip(lows, rows, strict=True)]
        rng.shuffle(released)
        orders = [order for order in permutations(rows) if all(map(_is_true, released, order))]
        if tuple(rows) in orders:  # then the order is believed
            continue
        by_class = {_people_of(released, order) for order in orders}
        original = "\n".join(["age,ill,who", *(f"{age},{ill},{who}" for age, ill, who in rows)])
        (tmp_path / "original.csv").write_text(original + "\n", encoding="utf-8")
        asked: dict[str, Any] = {"spec": spec_of(tmp_path), "original": tmp_path / "original.csv"}
        try:
            found = audit(tmp_path, [f"[{low}-{high}],{ill}" for low, high, ill in released], **asked)
        except SpecError:
            continue
        told += 1
        assert len(by_class) == 1
        people = [{who for who, _ in members} for _, members in by_class.pop()]
        assert found["privacy"]["achieved"]["k"] == min(map(len, people))
    assert told > 10


def _is_true(released: tuple[int, int, str], row: tuple[int, str, str]) -> bool:
    low, high, value = released
    age, ill, _ = row
    return low <= age <= high and value == ill


def _people_of(released: list[tuple[int, int, str]], order: tuple[tuple[int, str, str], ...]) -> tuple[Any, ...]:
    """Each class with whose rows it has, and of which illness."""
    members: dict[tuple[int, int], list[tuple[str, str]]] = defaultdict(list)
    for (low, high, _), (_, ill, who) in zip(released, order, strict=True):
        members[low, high].append((who, ill))
    return tuple(sorted((box, tuple(sorted(rows))) for box, rows in members.items()))


def test_one_row_of_nobody_is_told_by_its_number(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="row 2 doesn't say whose it is"):
        audit(tmp_path, ["1,x,a", "1,x,"], unit="who")
    with pytest.raises(DataError, match="2 rows don't say whose they are, the first is row 1"):
        audit(tmp_path, ["1,x,", "1,x,"], unit="who")


def test_who_is_covered_by_no_row_is_the_worst_person(tmp_path: Path) -> None:
    """Age 5 has no neighbour, though no row was left out; with one left out, it may be that one."""
    (tmp_path / "original.csv").write_text("age,ill\n1,x\n2,x\n5,x\n", encoding="utf-8")
    asked = {"original": tmp_path / "original.csv", "require": ("1k=1, kk=1",)}
    found = audit(tmp_path, ["[1-2],x"] * 3, **asked)
    assert {name: (one["least"], one["rows"]) for name, one in found["attacks"].items()} == {
        "neighbours": (0, 1),
        "matches": (0, 3),
    }
    assert found["attacks"]["neighbours"]["risk_max"] == 1.0
    assert [one["holds"] for one in found["requirements"] if one["model"] in {"1k", "kk"}] == [False, False]
    fewer = audit(tmp_path, ["[1-2],x"] * 2, **asked)
    assert fewer["attacks"]["neighbours"]["least"] == fewer["attacks"]["matches"]["least"] == 2
    none = audit(tmp_path, ["7,x"] * 3, original=tmp_path / "original.csv")
    assert none["attacks"]["neighbours"]["least"] == 0


@pytest.mark.parametrize(
    ("rows", "unit", "error"),
    [(["1,x,a", "1,x,"], "who", DataError), (["1,x,a"], "whom", DataError), (["1,x,a"], "age", SpecError)],
    ids=["a row of nobody", "no such column", "a column with another role"],
)
def test_a_column_that_does_not_tell_people_apart_is_refused(
    tmp_path: Path, rows: list[str], unit: str, error: type[Exception]
) -> None:
    with pytest.raises(error):
        audit(tmp_path, rows, unit=unit)


def test_a_class_is_hidden_among_the_people_of_a_population(tmp_path: Path) -> None:
    """Two rows of one person are not two people whom the population lacks."""
    (tmp_path / "people.csv").write_text("age\n1\n2\n2\n", encoding="utf-8")
    found = audit(tmp_path, ["1,x,a", "1,y,a", "2,x,b"], unit="who", population=tmp_path / "people.csv")
    assert found["population"]["short"] == 0
    assert found["privacy"]["risk"]["journalist_max"] == 1.0


def test_notions_can_be_required_beside_an_original(tmp_path: Path) -> None:
    """Rows 1 and 2 overlap with 2 and 3: each age has two neighbours, but only its own match where cells are few."""
    (tmp_path / "original.csv").write_text("age,ill\n1,x\n2,x\n3,x\n", encoding="utf-8")
    released = ["[1-2],x", "[1-3],x", "[2-3],x"]
    asked = {"original": tmp_path / "original.csv", "require": ("k1=2, 1k=2, kk=2, global-1k=2, kk>=3",)}
    found = audit(tmp_path, released, **asked)
    figures = {name: found["privacy"]["achieved"][name] for name in ("k", "k1", "1k", "kk", "global_1k")}
    assert figures == {"k": 1, "k1": 2, "1k": 2, "kk": 2, "global_1k": 2}
    assert [one["holds"] for one in found["requirements"] if one["model"] != "truthfulness"] == [True] * 4 + [False]
    with pytest.raises(SpecError, match="--original"):
        audit(tmp_path, released, require=("kk=2",))
