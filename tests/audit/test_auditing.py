"""An audit of files from end to end, without a spec: what is read, what is understood, what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings

from kanon_cli import auditing
from kanon_cli.errors import DataError, KanonError, SpecError
from kanon_cli.events import Silence

TAXONOMY = "flu;infection;*\ncold;infection;*\nulcer;other;*\n"


def audit(folder: Path, released: str, **question: Any) -> auditing.Answer:
    """Audit a table that is written there, every file in it being named without its folder."""
    (folder / "t.csv").write_text(released, encoding="utf-8")
    files = {name: folder / question.pop(name) for name in ("original", "population") if name in question}
    asked = auditing.Question(folder / "t.csv", quasi_identifiers=("ill",), **question, **files)
    return auditing.audit(asked, Silence())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with an original, a population and a taxonomy."""
    (tmp_path / "ill.csv").write_text(TAXONOMY, encoding="utf-8")
    (tmp_path / "original.csv").write_text("ill\nflu\ncold\nulcer\nflu\n", encoding="utf-8")
    (tmp_path / "people.csv").write_text("name,ill\n" + "a,flu\nb,cold\n" * 4 + "c,ulcer\n" * 3, encoding="utf-8")
    return tmp_path


def test_a_taxonomy_tells_what_labels_mean(folder: Path) -> None:
    """Without it nobody knows what an infection is, and the rows are not shown to be true."""
    released = "ill\ninfection\ninfection\n*\n*\n"
    known = audit(folder, released, original="original.csv", taxonomies={"ill": folder / "ill.csv"})
    assert known.holds
    assert known.block["truth"]["not_understood"] == {}
    guessed = audit(folder, released, original="original.csv")
    assert not guessed.holds
    assert guessed.block["truth"]["not_understood"] == {"ill": 2}


def test_a_taxonomy_finds_the_people_behind_a_label(folder: Path) -> None:
    released = "ill\ninfection\ninfection\n"
    question: dict[str, Any] = {"population": "people.csv", "taxonomies": {"ill": folder / "ill.csv"}}
    assert audit(folder, released, **question).block["privacy"]["risk"]["journalist_max"] == 1 / 8
    guessed = audit(folder, released, population="people.csv")
    assert guessed.block["privacy"]["risk"]["journalist_max"] == 1 / 2
    assert guessed.block["population"] == {"rows": 11, "short": 1, "not_understood": {"ill": 2}}


def test_a_taxonomy_of_another_column_is_refused(folder: Path) -> None:
    with pytest.raises(SpecError, match="no quasi-identifier"):
        audit(folder, "ill\nflu\n", taxonomies={"zip": folder / "ill.csv"})


def test_a_population_must_have_the_columns_and_people(folder: Path) -> None:
    (folder / "nobody.csv").write_text("ill\n", encoding="utf-8")
    (folder / "others.csv").write_text("name\na\n", encoding="utf-8")
    for name, said in (("nobody.csv", "no rows"), ("others.csv", "no column 'ill'")):
        with pytest.raises(DataError, match=said):
            audit(folder, "ill\nflu\n", population=name)


def test_columns_that_nobody_names_are_looked_at_for_leaks(folder: Path) -> None:
    released = "ill,index\n" + "".join(f"flu,{row}\n" for row in range(6))
    answer = audit(folder, released, require=("k=6",))
    assert answer.holds
    assert [leak.rule for leak in answer.leaks] == ["index-like"]
    assert not audit(folder, released, require=("leaks=0",)).holds


class Listener(Silence):
    """Remembers what it was warned of."""

    def __init__(self) -> None:
        self.warnings: list[str] = []

    def warn(self, message: str) -> None:
        """Remember it."""
        self.warnings.append(message)


def test_columns_that_are_no_texts_are_told_and_left_out(tmp_path: Path) -> None:
    """Unless they are needed: quasi-identifiers must be read, and so must all columns beside an original."""
    path, listener = tmp_path / "t.parquet", Listener()
    pq.write_table(pa.table({"lists": [[1], [2]], "ill": ["flu", "flu"], "bytes": [b"x", b"\xff"]}), path)
    answer = auditing.audit(auditing.Question(path, quasi_identifiers=("ill",)), listener)
    assert answer.block["privacy"]["achieved"] == {"k": 2}
    assert [("lists" in said, "bytes" in said) for said in listener.warnings] == [(True, False), (False, True)]
    for question in (
        auditing.Question(path, quasi_identifiers=("lists",)),
        auditing.Question(path, quasi_identifiers=("ill",), original=path),
    ):
        with pytest.raises(DataError):
            auditing.audit(question, Silence())


def test_what_is_required_stands_in_the_answer(folder: Path) -> None:
    """By figure, also where a shorter name was written; the risks and leaks that were required as well."""
    released = "ill,s\nflu,a\nflu,b\n"
    answer = audit(folder, released, sensitive=("s",), require=("k=2, l>=1.5, prosecutor_at_risk<=1, leaks=0",))
    required = {"k": 2, "l_frequency": 1.5, "prosecutor_at_risk": 1.0, "leaks": 0}
    assert answer.block["privacy"]["required"] == required
    assert answer.block["privacy"]["verified"]
    assert [verdict["model"] for verdict in answer.block["requirements"]] == list(required)


def test_what_can_never_be_found_is_refused_before_any_table_is_read(tmp_path: Path) -> None:
    """What is misspelt, and what needs a column or a table that nobody names; all other figures are asked for."""
    nowhere = tmp_path / "nowhere.csv"
    for text in ("kk=2", "l=2", "journalist_max<=1", "foo=1"):
        with pytest.raises(SpecError, match="--require"):
            auditing.audit(auditing.Question(nowhere, quasi_identifiers=("ill",), require=(text,)), Silence())
    with pytest.raises(DataError, match="nowhere"):
        auditing.audit(auditing.Question(nowhere, quasi_identifiers=("ill",), require=("k=2",)), Silence())


def test_whatever_is_found_can_be_required(folder: Path) -> None:
    released = "ill,s\ninfection,a\ninfection,b\n*,a\n*,b\n"
    (folder / "original.csv").write_text("ill,s\nflu,a\ncold,b\nulcer,a\nflu,b\n", encoding="utf-8")
    tables: dict[str, Any] = {
        "original": "original.csv",
        "population": "people.csv",
        "sensitive": ("s",),
        "taxonomies": {"ill": folder / "ill.csv"},
    }
    first = audit(folder, released, require=("kk=1",), **tables)
    found = first.block["privacy"]["achieved"] | first.block["privacy"]["risk"] | {"leaks": 0}
    names = [name for name in found if name != "threshold"]
    assert {"k", "kk", "t", "journalist_mean", "marketer"} <= set(names)
    required = ",".join(f"{'global-1k' if name == 'global_1k' else name}=9" for name in names)
    answer = audit(folder, released, require=(required,), **tables)
    assert {verdict["model"] for verdict in answer.block["requirements"]} >= set(names)


def test_a_file_of_another_tool_is_read_as_it_is_written(tmp_path: Path) -> None:
    """With semicolons, in another encoding, and with a word for missing values, in all its tables."""
    text = "Größe;ill\n[1-2];NULL\n[1-2];x\n".encode("latin-1")
    (tmp_path / "t.csv").write_bytes(text)
    (tmp_path / "original.csv").write_bytes("Größe;ill\n1;NULL\n2;x\n".encode("latin-1"))
    pq.write_table(pa.table({"Größe": pa.array([1, 2, 2])}), tmp_path / "people.parquet")
    question = auditing.Question(
        tmp_path / "t.csv",
        quasi_identifiers=("Größe",),
        sensitive=("ill",),
        original=tmp_path / "original.csv",
        population=tmp_path / "people.parquet",
        delimiter=";",
        encoding="latin-1",
        null_values=("NULL",),
    )
    answer = auditing.audit(question, Silence())
    assert answer.holds
    assert answer.block["privacy"]["achieved"]["l_distinct"] == 1, "what is missing may be any value"
    assert answer.block["privacy"]["risk"]["journalist_max"] == 1 / 3


def test_an_original_must_have_rows(folder: Path) -> None:
    (folder / "nobody.csv").write_text("ill\n", encoding="utf-8")
    with pytest.raises(DataError, match="original has no rows"):
        audit(folder, "ill\nflu\n", original="nobody.csv")


def test_a_column_has_one_role(folder: Path) -> None:
    with pytest.raises(SpecError, match="quasi-identifier, too"):
        audit(folder, "ill\nflu\n", sensitive=("ill",))


ODD = ("", "*", "***", "-", "[", "é", "0" * 40, "x" * 5000, "1e999", "4791", "47**", "{a,b}", "a|b", "[a;b]")
SPANS = ("[1-3]", "[1,3[", "(1, 3]", "1-3", "1 ~ 3", ">=2", "<5", "-5--1", "2001-02", "2001-Q1", "[3-1]", "[nan-1]")
CELLS = st.sampled_from(ODD + SPANS)
ROWS = st.lists(st.tuples(CELLS, CELLS, CELLS), max_size=6)


@given(released=ROWS, original=ROWS, unit=st.booleans())
@settings(max_examples=200, deadline=None)
def test_whatever_the_cells_are_there_is_an_answer_or_a_refusal(
    tmp_path_factory: pytest.TempPathFactory,
    released: list[tuple[str, ...]],
    original: list[tuple[str, ...]],
    unit: bool,
) -> None:
    folder = tmp_path_factory.mktemp("any")
    for name, rows in (("t.csv", released), ("o.csv", original)):
        lines = ["a,b,c", *(",".join(f'"{cell}"' for cell in row) for row in rows)]
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    question = auditing.Question(
        folder / "t.csv",
        quasi_identifiers=("a", "b"),
        sensitive=() if unit else ("c",),
        original=folder / "o.csv",
        population=folder / "o.csv",
        unit="c" if unit else None,
    )
    try:
        answer = auditing.audit(question, Silence())
    except KanonError:
        return
    assert answer.block["table"]["rows"] == len(released)
