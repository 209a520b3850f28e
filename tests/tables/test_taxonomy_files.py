"""Taxonomy files: both formats, and what is wrong with one."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kanon_cli.errors import SpecError
from kanon_cli.tables.taxonomy import Taxonomy
from kanon_cli.tables.taxonomy_files import load

HIERARCHIES = sorted((Path(__file__).parents[2] / "hierarchies").iterdir())


def ways(taxonomy: Taxonomy) -> list[list[str]]:
    """The labels from each leaf, in their order, up to the root."""
    result = []
    for leaf in taxonomy.leaf.tolist():
        way, node = [], leaf
        while node >= 0:
            way.append(taxonomy.label[node])
            node = int(taxonomy.parent[node])
        result.append(way)
    return result


def read(folder: Path, name: str, text: str) -> Taxonomy:
    file = folder / name
    file.write_text(text, encoding="utf-8", newline="")
    return load(file)


def test_yaml_keys_are_inner_nodes_and_items_and_empty_keys_are_leaves(tmp_path: Path) -> None:
    text = "Any:\n  A: [a1, {A2: [a2, a3]}]\n  b:\n  C:\n    c1:\n    c2: ~\n  007: [no]\n"
    assert ways(read(tmp_path, "t.yaml", text)) == [
        ["a1", "A", "Any"],
        ["a2", "A2", "A", "Any"],
        ["a3", "A2", "A", "Any"],
        ["b", "Any"],
        ["c1", "C", "Any"],
        ["c2", "C", "Any"],
        ["no", "007", "Any"],
    ]


@pytest.mark.parametrize(
    "text",
    [
        "a;A;*\nb;A;*\nc;*\n",
        "a,A,*\nb,A,*\nc,*\n",
        "a\tA\t*\nb\tA\t*\nc\t*\n",
        "a;A;*\r\nb;A;*\r\nc;*",
        "\ufeffa;A;*\nb;A;*\nc;*\n",
        '"a";"A";"*"\n"b";A;*\n"c";*\n',
        "\na;A;*\n\nb;A;*\n  \nc;*\n\n",
        "a;A;*\nb;A;*\nc;c;*\n",
        "a;a;A;*;*\nb;b;A;A;*\nc;*;*;*\n",
        "a;A;*\nb;A;*\nc;*\na;A;*\n",
    ],
)
def test_csv_lines_go_from_leaf_to_root(text: str, tmp_path: Path) -> None:
    assert ways(read(tmp_path, "t.csv", text)) == [["a", "A", "*"], ["b", "A", "*"], ["c", "*"]]


def test_csv_cells_may_hold_delimiters_quotes_and_tabs(tmp_path: Path) -> None:
    text = '"a;b, ""c""",A,*\n"t\tab",A,*\n'
    assert ways(read(tmp_path, "t.csv", text)) == [['a;b, "c"', "A", "*"], ["t\tab", "A", "*"]]


def test_labels_keep_their_spaces(tmp_path: Path) -> None:
    assert ways(read(tmp_path, "t.csv", " a;A ;*\nb;A ;*\n")) == [[" a", "A ", "*"], ["b", "A ", "*"]]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("t.csv", "a;A;*\na;B;*\n", [("2", "'a' has two parents, 'A' and 'B'")]),
        ("t.csv", "a;A;X;*\nb;A;Y;*\nc;A;Y;*\n", [("2", "'A' has two parents, 'X' and 'Y'")]),
        ("t.csv", "a;*\nb;World\n", [("2", "has 2 roots: '*', 'World'")]),
        ("t.csv", "a;A;*\nA;*\n", [("2", "'A' is both a leaf and an inner node")]),
        ("t.csv", "a;Other;*\nOther;Other;*\n", [("2", "'Other' is both a leaf and an inner node")]),
        ("t.csv", "a;*\n;*\nb;;*\n", [("2", "an empty label"), ("3", "an empty label")]),
        ("t.csv", "*\n", [("", "has no leaves")]),
        ("t.csv", "*;*\n", [("", "has no leaves")]),
        ("t.csv", "", [("", "has no leaves")]),
        ("t.csv", "\n\n", [("", "has no leaves")]),
        ("t.csv", "a;b;c;b\n", [("", "stands above itself")]),
        ("t.csv", "x;*\na;b;c;b\n", [("", "stands above itself")]),
        ("t.csv", 'a;*\n"b;*\n', [("2", "not valid CSV")]),
        ("t.csv", 'a;*\n"b"c;*\n', [("2", "not valid CSV")]),
        (
            "t.csv",
            "a;A;*\na;B;*\n;*\nb;World\n",
            [("2", "'a' has two parents"), ("3", "an empty label"), ("4", "has 2 roots")],
        ),
        ("t.yaml", "Any:\n  A: [a]\n  B: [b, a]\n", [("3:10", "'a' has two parents, 'A' and 'B'")]),
        ("t.yaml", "Any:\n  A: [B]\n  B: [b]\n", [("3:7", "'B' has two parents"), ("2:7", "'B' is both a leaf")]),
        ("t.yaml", "Any:\n  A: {B: {A: [x]}}\n", [("2:15", "'A' has two parents"), ("", "'A' stands above itself")]),
        ("t.yaml", "A: [a]\nB: [b]\n", [("1:1", "one key at the top")]),
        ("t.yaml", "- a\n- b\n", [("1:1", "one key at the top")]),
        ("t.yaml", "Any:\n", [("", "has no leaves")]),
        ("t.yaml", "Any: []\n", [("1:6", "a list or a mapping below it")]),
        ("t.yaml", "Any:\n  A: {}\n  B: b\n", [("2:6", "below it"), ("3:6", "below it")]),
        ("t.yaml", "Any: [a, ~, [b]]\n", [("1:10", "a label is a text"), ("1:13", "a label is a text")]),
        ("t.yaml", 'Any: ["", a]\n', [("1:7", "an empty label")]),
        ("t.yaml", "Any:\n  A: [a]\n  A: [b]\n", [("3:3", "duplicate key")]),
        ("t.yaml", "Any: [a\n", [("2:1", "not valid YAML")]),
        ("t.csv", "a;*\nb\0;*\n", [("2", r"'b\x00' holds a control character")]),
        ("t.csv", "a;*\nb\x1b;B\x07;*\nc;B\x07;*\n", [("2", r"'b\x1b' holds"), ("2", r"'B\x07' holds")]),
        ("t.csv", 'a;*\n"line\nbreak";*\n', [("2", r"'line\nbreak' holds a control character")]),
        ("t.yaml", 'Any:\n  "A\\a":\n    - b\n    - "c\\0"\n', [("2:3", r"'A\x07'"), ("4:7", r"'c\x00'")]),
        ("t.txt", "a;*\n", [("", "is not a taxonomy file")]),
    ],
)
def test_everything_that_is_wrong_is_said_with_its_line(
    name: str, text: str, expected: list[tuple[str, str]], tmp_path: Path
) -> None:
    with pytest.raises(SpecError) as caught:
        read(tmp_path, name, text)
    mistakes = caught.value.mistakes
    assert len(mistakes) == len(expected)
    for mistake, (place, said) in zip(mistakes, expected, strict=True):
        assert mistake.where == f"{tmp_path}/{name}" + (f":{place}" if place else "")
        assert said in mistake.what


@pytest.mark.parametrize("name", ["none.csv", "none.yaml", "folder.csv"])
def test_a_file_that_is_not_there_is_a_mistake(name: str, tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(SpecError, match=name):
        load(tmp_path / name)


def test_a_file_that_is_not_utf8_is_a_mistake(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(b"a;*\nb\xe9;*\n")
    with pytest.raises(SpecError, match=r"t\.csv:2:2: is not UTF-8"):
        load(tmp_path / "t.csv")


@pytest.mark.parametrize("file", HIERARCHIES, ids=lambda path: path.name)
def test_the_taxonomies_that_come_with_kanon_can_be_read(file: Path) -> None:
    assert load(file).size > 2


@st.composite
def trees(draw: st.DrawFn) -> list[list[str]]:
    """The ways from the leaves to the root of a random tree, depth-first; every label is used once."""
    label = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufeff\u2028\u2029"), max_size=6)
    labels = draw(st.lists(label.filter(bool), min_size=2, max_size=14, unique=True))
    parents = [draw(st.integers(0, at)) for at in range(len(labels) - 1)]  # of the labels but the first, the root
    below: dict[int, list[int]] = {}
    for node, parent in enumerate(parents, start=1):
        below.setdefault(parent, []).append(node)

    def walk(node: int, above: list[str]) -> list[list[str]]:
        way = [labels[node], *above]
        return [leaf for child in below[node] for leaf in walk(child, way)] if node in below else [way]

    return walk(0, [])


def as_yaml(leaves: list[list[str]]) -> str:
    tree: dict[str, Any] = {}
    for way in leaves:
        inside = tree
        for label in reversed(way[1:]):
            inside = inside.setdefault(label, {})
        inside[way[0]] = None
    return yaml.safe_dump(tree, allow_unicode=True, sort_keys=False, width=10_000)


def as_csv(leaves: list[list[str]], delimiter: str) -> str:
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, quoting=csv.QUOTE_ALL).writerows(leaves)
    return out.getvalue()


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(leaves=trees(), delimiter=st.sampled_from(";,\t"))
def test_any_tree_survives_both_formats(leaves: list[list[str]], delimiter: str, tmp_path: Path) -> None:
    assert ways(read(tmp_path, "t.yaml", as_yaml(leaves))) == leaves
    assert ways(read(tmp_path, "t.csv", as_csv(leaves, delimiter))) == leaves
