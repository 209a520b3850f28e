"""YAML documents: plain texts, their places, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_cli import documents
from kanon_cli.errors import SpecError, suggest

BOMB = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{here}: &{here} [{', '.join([f'*{before}'] * 10)}]\n" for before, here in zip("abcd", "bcde", strict=True)
)


def refusal(text: str) -> SpecError:
    with pytest.raises(SpecError) as caught:
        documents.read_text(text, "t.yaml")
    return caught.value


@pytest.mark.parametrize(
    "text", ["007", "no", "1e3", "2020-01-01", "0x10", "1_000", ".inf", "True", "NULL", "12:30:45"]
)
def test_a_scalar_stays_the_text_that_was_written(text: str) -> None:
    assert documents.read_text(f"a: {text}\nb: [{text}]", "t").value == {"a": text, "b": [text]}


def test_only_a_plain_empty_scalar_is_none() -> None:
    document = documents.read_text('a:\nb: null\nc: ~\nd: ""\ne: \'null\'\nf: "~"', "t")
    assert document.value == {"a": None, "b": None, "c": None, "d": "", "e": "null", "f": "~"}


def test_keys_are_texts_too() -> None:
    assert documents.read_text("null: 1\n2020: 2\nyes: 3\n'<<': 4", "t").value == {
        "null": "1",
        "2020": "2",
        "yes": "3",
        "<<": "4",
    }


def test_places_of_values_and_keys() -> None:
    document = documents.read_text("a: 1\nb:\n  c: [x,\n      {d: y}]\n", "t.yaml")
    assert document.where(("a",)) == "t.yaml:1:4"
    assert document.where(("b",)) == "t.yaml:3:3"
    assert document.where(("b", "c", 1, "d")) == "t.yaml:4:11"
    assert document.where_key(("b", "c", 1, "d")) == "t.yaml:4:8"
    assert document.where_key(("b", "c")) == "t.yaml:3:3"


def test_an_unknown_path_has_the_place_of_what_is_around_it() -> None:
    document = documents.read_text("a: 1\nb:\n  c: 2\n", "t.yaml")
    assert document.where(("b", "nothing", "at", "all")) == "t.yaml:3:3"
    assert document.where_key(("b", "nothing")) == "t.yaml:3:3"
    assert document.where_key(()) == "t.yaml:1:1"
    assert document.where(("a", 0)) == "t.yaml:1:4"


def test_columns_count_characters_not_bytes() -> None:
    assert documents.read_text("ключ: [да, x]", "t").where(("ключ", 1)) == "t:1:12"


def test_an_alias_has_its_own_place_and_what_is_in_it_the_place_where_it_is_written() -> None:
    document = documents.read_text("a: &x {k: 1}\nb: *x\n", "t")
    assert document.value == {"a": {"k": "1"}, "b": {"k": "1"}}
    assert document.where(("b",)) == "t:2:4"
    assert document.where(("b", "k")) == "t:1:11"


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ("a: [1, 2\nb: 3", "t.yaml:2:2", "not valid YAML"),
        ("a:\n\tb: 1", "t.yaml:2:1", "indent with spaces"),
        ("a: *", "t.yaml:1:5", "put the text in quotes"),
        ("a: *b", "t.yaml:1:4", "an alias of nothing"),
        ("a: @b", "t.yaml:1:4", "put the text in quotes"),
        ("a: !!python/object:os.system x", "t.yaml:1:4", "tags are not read"),
        ("a: !mine {b: 1}", "t.yaml:1:4", "tags are not read"),
        ("a: !!str 1", "t.yaml:1:4", "tags are not read"),
        ("b: &b {c: 1}\na:\n  <<: *b", "t.yaml:3:3", "merge keys are not read"),
        ("a: 1\nb: 2\na: 3", "t.yaml:3:1", "duplicate key; the first is on line 1"),
        ("? [a, b]\n: 1", "t.yaml:1:3", "a key must be a text"),
        ("? {a: b}\n: 1", "t.yaml:1:3", "a key must be a text"),
        ("a: &a [1]\n*a : 2", "t.yaml:2:1", "a key must be a text"),
        ("a: 1\n---\nb: 2", "t.yaml:2:1", "a second document begins here"),
        ("a: &a [1, *a]", "t.yaml:1:11", "an alias inside of what it stands for"),
        ("", "t.yaml:1:1", "is empty"),
        ("# nothing\n", "t.yaml:1:1", "is empty"),
        ("---\n...\n", "t.yaml:1:1", "is empty"),
        ("~", "t.yaml:1:1", "is empty"),
        ("a: 1\nb: \x00", "t.yaml:2:4", "a character that YAML does not allow"),
        ("[" * 51 + "]" * 51, "t.yaml:1:51", "is nested more than 50 levels deep"),
        ("[" * 100_000, "t.yaml:1:51", "is nested more than 50 levels deep"),
        (BOMB, "t.yaml:4:36", "the aliases stand for more than 10,000 nodes"),
    ],
)
def test_what_a_document_must_not_be(text: str, place: str, said: str) -> None:
    (mistake,) = refusal(text).mistakes
    assert mistake.where == place
    assert said in str(mistake)


def test_mistakes_after_which_reading_can_go_on_are_said_together() -> None:
    assert [mistake.where for mistake in refusal("a: !x 1\na: 2\nb: !y 3").mistakes] == [
        "t.yaml:1:4",
        "t.yaml:2:1",
        "t.yaml:3:4",
    ]


def test_fifty_levels_and_many_aliases_are_allowed() -> None:
    assert documents.read_text("[" * 50 + "]" * 50, "t").value
    assert documents.read_text("a: &a [x]\nb: [" + ", ".join(["*a"] * 4_000) + "]", "t").value


def test_a_file_may_have_a_byte_order_mark(tmp_path: Path) -> None:
    file = tmp_path / "s.yaml"
    file.write_bytes(b"\xef\xbb\xbfa: 1\n")
    assert documents.read_file(file).where(("a",)) == f"{file}:1:4"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "there is no such file"),
        (b"a: 1\nb: \xff\n", "2:4: is not UTF-8 text"),
        ("a: 1".encode("utf-16"), "is not UTF-8 text"),
        (b"#" * (documents.LARGEST_FILE + 1), "is too large"),
    ],
)
def test_a_file_that_cannot_be_read_as_text_is_a_mistake(tmp_path: Path, content: bytes | None, said: str) -> None:
    file = tmp_path / "s.yaml"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(SpecError, match=said) as caught:
        documents.read_file(file)
    assert str(caught.value.mistakes[0].where).startswith(str(file))


def test_a_folder_is_not_a_file(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="is a folder"):
        documents.read_file(tmp_path)


@pytest.mark.parametrize("name", ["a\0b.yaml", "x" * 5_000])
def test_an_impossible_path_is_a_mistake(name: str) -> None:
    with pytest.raises(SpecError, match="cannot be read"):
        documents.read_file(Path(name))


def test_a_file_without_the_right_to_read_it_is_a_mistake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(SpecError, match="no right to read"):
        documents.read_file(tmp_path / "s.yaml")


def test_suggest_finds_the_nearest_name_and_nothing_if_none_is_near() -> None:
    assert suggest("Sensitve", ["sensitive", "privacy"]) == "sensitive"
    assert suggest("zzz", ["sensitive", "privacy"]) is None


@settings(deadline=None)
@given(st.text(max_size=80) | st.text(alphabet="ab:-[]{}&*!<>|'\"#?,~ \n\t", max_size=60))
def test_any_text_is_a_document_or_a_spec_error_with_a_place(text: str) -> None:
    try:
        document = documents.read_text(text, "t.yaml")
    except SpecError as error:
        assert all(str(mistake.where).startswith("t.yaml") for mistake in error.mistakes)
    else:
        assert document.value is not None
