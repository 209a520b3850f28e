"""What went wrong in other tools does not go wrong here. What is counted wrong from columns is in `test_judge`."""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from kanon_cli import auditing, pipeline
from kanon_cli.errors import DataError, KanonError, PromiseError, SpecError
from kanon_cli.events import Silence
from kanon_cli.spec.parse import parse
from tests.naive.models import closeness

Row = dict[str, str]
COLUMNS: dict[str, Any] = {"age": "numeric", "zip": {"taxonomy": {"mask": 5}}}
PEOPLE = [
    {"age": age, "zip": code, "ill": ill}
    for age, code, ill in (
        ("21", "10001", "flu"),
        ("22", "10002", "cold"),
        ("23", "10003", "flu"),
        ("", "90210", "gout"),
        ("51", "10031", "cold"),
        ("52", "10032", "flu"),
        ("53", "10033", "cold"),
        ("", "94107", "asthma"),
    )
]


def run(folder: Path, people: list[Row], privacy: dict[str, Any], **spec: Any) -> list[Row]:
    """Run a spec over a table; give the released rows."""
    with (folder / "people.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(people[0]))
        writer.writeheader()
        writer.writerows(people)
    sensitive = {"sensitive": "ill"} if "ill" in people[0] else {}
    keys = {"input": "people.csv", "output": "out/people.csv", "quasi_identifiers": COLUMNS, **sensitive}
    written = {**keys, "privacy": privacy, "algorithm": "mondrian", **spec}
    (folder / "spec.yaml").write_text(json.dumps(written), encoding="utf-8")
    pipeline.run(parse(folder / "spec.yaml"), Silence())
    with (folder / "out" / "people.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def audited(path: Path, text: str, *columns: str) -> dict[str, Any]:
    """What an audit finds in a file."""
    path.write_text(text, encoding="utf-8")
    return auditing.audit(auditing.Question(path, quasi_identifiers=columns), Silence()).block


def test_rows_with_missing_numbers_are_not_released_raw(tmp_path: Path) -> None:
    """Cuts that compare with a median lose such rows; here they are in a class, and no code of theirs is to be seen."""
    released = run(tmp_path, PEOPLE, {"k": 3, "l": 2})
    assert len(released) == len(PEOPLE)
    keys = [(row["age"], row["zip"]) for row in released]
    assert min(map(keys.count, keys)) >= 3
    assert not {"90210", "94107"} & {row["zip"] for row in released}


@pytest.mark.parametrize(("suppression", "rows"), [(0, 9), ({"rows": 1}, 8)])
def test_nothing_is_released_but_the_columns_of_the_spec_and_nothing_is_left_beside_them(
    suppression: Any, rows: int, tmp_path: Path
) -> None:
    """No row number, also after rows were left out, no vault, no key, no raw copy: a release and its report."""
    people = [*PEOPLE[:3], *PEOPLE[4:7], *PEOPLE[:2], {"age": "99", "zip": "77777", "ill": "flu"}]
    released = run(tmp_path, people, {"k": 2, "suppression": suppression})
    assert (list(released[0]), len(released)) == (["age", "zip", "ill"], rows)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["people.csv", "people.report.json"]


def test_missing_and_suppressed_cells_are_told_apart(tmp_path: Path) -> None:
    people = [{"age": age, "zip": "10001"} for age in ("", "", "20", "70")]
    released = run(tmp_path, people, {"k": 2}, quasi_identifiers={"age": "categorical", "zip": "categorical"})
    assert sorted(row["age"] for row in released) == ["", "", "*", "*"]


def test_bins_hold_what_their_labels_say(tmp_path: Path) -> None:
    """Values on a border, below zero and beyond the last border."""
    ages = ("20", "24", "-3", "-1", "105", "109", "0", "4")
    people = [{"age": age} for age in ages]
    bins = {"age": {"type": "numeric", "taxonomy": {"intervals": [5]}}}
    released = run(tmp_path, people, {"k": 2}, quasi_identifiers=bins)
    assert sorted({row["age"] for row in released}) == ["[-5--1]", "[0-4]", "[105-109]", "[20-24]"]


@pytest.mark.parametrize(
    ("people", "privacy"),
    [(PEOPLE[:2], {"k": 5}), ([{**person, "ill": "flu"} for person in PEOPLE], {"k": 2, "l": 2})],
    ids=["fewer rows than k", "a constant secret"],
)
def test_what_cannot_be_kept_is_refused_and_not_an_empty_table(
    tmp_path: Path, people: list[Row], privacy: dict[str, Any]
) -> None:
    """Also where the table as a whole is the only class."""
    with pytest.raises(PromiseError):
        run(tmp_path, people, privacy)
    assert not (tmp_path / "out" / "people.csv").exists()


def test_a_misspelt_key_is_refused_and_does_not_weaken_the_release(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="msk"):
        run(tmp_path, PEOPLE, {"k": 2}, quasi_identifiers={"zip": {"taxonomy": {"msk": 5}}})


def test_codes_of_other_lengths_have_no_common_mask(tmp_path: Path) -> None:
    people = [{"zip": code} for code in ("1234", "12", "1234", "12")]
    with pytest.raises(DataError):
        run(tmp_path, people, {"k": 2}, quasi_identifiers={"zip": {"taxonomy": {"mask": 4}}})


@pytest.mark.parametrize(
    "text",
    [
        '!!python/object/apply:pathlib.Path.touch [!!python/object/apply:pathlib.Path ["touched"]]',
        "lambda: __import__('pathlib').Path('touched').touch()",
        "{\"lambda\": [\"lambda x: __import__('pathlib').Path('touched').touch()\"]}",
    ],
)
def test_a_taxonomy_is_never_run_as_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "zip.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(KanonError):
        run(tmp_path, PEOPLE, {"k": 2}, quasi_identifiers={"zip": {"taxonomy": "zip.yaml"}})
    assert not list(tmp_path.rglob("touched"))


def test_the_country_code_na_is_read_from_a_file_as_a_value(tmp_path: Path) -> None:
    assert audited(tmp_path / "t.csv", "country\nDE\nDE\nDE\nNA\n", "country")["privacy"]["achieved"]["k"] == 1


def test_a_missing_value_is_read_from_a_file_as_a_class(tmp_path: Path) -> None:
    """One quasi-identifier or two: k is 1, and the audit says what it would be in another view."""
    for text, columns in (('a\nx\nx\nx\n""\n', ["a"]), ("a,b\nx,y\nx,y\nx,y\n,y\n", ["a", "b"])):
        found = audited(tmp_path / "t.csv", text, *columns)
        assert found["privacy"]["achieved"]["k"] == 1
        missing = found["views"]["missing"]
        assert (missing["rows"], missing["wildcard"]["k"], missing["left_out"]["k"]) == (1, 4, 3)


def test_another_delimiter_is_an_error_and_not_a_single_column(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="delimiter"):
        audited(tmp_path / "t.csv", "age;sex\n30;F\n30;F\n", "age", "sex")


def test_suppressed_rows_are_counted_as_a_class_and_without(tmp_path: Path) -> None:
    """Both are told, so that a figure does not change when a file is read again."""
    found = audited(tmp_path / "t.csv", "a,b\n" + "x,1\n" * 3 + "y,2\n" * 4 + "*,*\n" * 2, "a", "b")
    suppressed = found["views"]["suppressed"]
    assert (suppressed["own"]["k"], suppressed["left_out"]["k"], suppressed["rows"]) == (2, 3, 2)
    assert suppressed["wildcard"]["k"] == 5


def test_t_is_kept_by_every_class_and_no_row_is_lost(tmp_path: Path) -> None:
    """Elsewhere a threshold was shadowed by another variable, and rows with missing numbers fell out."""
    ages, ills = (
        ["20", "21", "30", "31", "50", "51", "70", "71", "", ""],
        ["flu", "flu", "cold", "cold"] + ["flu", "cold"] * 3,
    )
    people = [{"age": age, "zip": "10001", "ill": ill} for age, ill in zip(ages, ills, strict=True)]
    distances = []
    for privacy in ({"k": 2}, {"k": 2, "t": 0.2}):
        folder = tmp_path / str(len(privacy))
        folder.mkdir()
        released = run(folder, people, privacy)
        assert len(released) == len(people)
        found = [row["ill"] for row in released]
        classes = defaultdict(list)
        for at, row in enumerate(released):
            classes[row["age"], row["zip"]].append(at)
        assert len(classes) >= 3
        distances.append(max(closeness(found, members, None) for members in classes.values()))
    assert distances[0] > Fraction(1, 5) >= distances[1]


def test_an_empty_date_is_a_missing_one(tmp_path: Path) -> None:
    people = [{"born": born} for born in ("", "", "2001-02-03", "2001-02-05")]
    released = run(tmp_path, people, {"k": 2}, quasi_identifiers={"born": "date"})
    assert sorted(row["born"] for row in released) == ["", "", *["[2001-02-03/2001-02-05]"] * 2]


def test_a_table_of_stars_has_losses_and_not_no_number(tmp_path: Path) -> None:
    (tmp_path / "original.csv").write_text("a,b\nx,1\ny,2\n", encoding="utf-8")
    (tmp_path / "t.csv").write_text("a,b\n*,*\n*,*\n", encoding="utf-8")
    question = auditing.Question(
        tmp_path / "t.csv", quasi_identifiers=("a", "b"), original=tmp_path / "original.csv", require=("k=2",)
    )
    answer = auditing.audit(question, Silence())
    assert answer.holds
    assert (answer.block["utility"]["lm"], answer.block["utility"]["dm"]) == (1.0, 4)
