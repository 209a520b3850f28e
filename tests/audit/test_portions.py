"""Every measure of a release agrees with its naive twin, for columns of every kind."""

from __future__ import annotations

import math
import re
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_cli.audit.inspection import Original, Subject, inspect
from kanon_cli.audit.utility import Utility
from kanon_cli.measures.gcp import Gcp
from kanon_cli.measures.lm import Lm
from kanon_cli.measures.pmi import Pmi
from kanon_cli.tables.kinds import Kind
from kanon_cli.tables.taxonomy import grow
from tests.audit.releases import CHOICES, DEGREE_OF, KINDS, Cell, Columns, release
from tests.audit.tables import table
from tests.naive import measures as naive

STEEP = {"BA": "Higher", "MA": "Higher", "PhD": "Higher", "8th": "School", "9th": "School"}
TOP = {**STEEP, "Higher": "Learned", "Learned": "Any", "School": "Any"}  # leaves two and three levels deep
SKEW = Kind(taxonomy=grow(list(DEGREE_OF), TOP), weight=2.0)


def _covers(name: str, cell: Cell, value: Cell) -> bool:  # noqa: PLR0911  a case for each kind
    """Whether a cell can stand for a value, told from both texts."""
    if cell == "*" or value is None or cell is None:
        return cell in ("*", value)
    kind = KINDS[name]
    if match := re.fullmatch(r"\[(-?[\d.E+]+)-(-?[\d.E+]+)\]", cell):
        return Decimal(match[1]) <= Decimal(value) <= Decimal(match[2])
    if match := re.fullmatch(r"\[(.{10})/(.{10})\]", cell):
        return match[1] <= value <= match[2]
    if kind.type == "numeric":
        return Decimal(cell) == Decimal(value)
    if kind.calendar and cell != value:
        year, _, quarter = cell.partition("-Q")
        return (
            value.startswith(f"{year}-") and (int(value[5:7]) - 1) // 3 == int(quarter) - 1
            if quarter
            else (value.startswith(f"{cell}-"))
        )
    if kind.mask is not None:
        return len(value) == len(cell) and value.startswith(cell.rstrip("*"))
    if kind.as_set and cell.startswith("{"):
        return value in cell[1:-1].split("|")
    return value == cell or DEGREE_OF.get(value) == cell


def _leaves(name: str, values: list[Cell], cell: Cell) -> int:
    """How many values of the domain a cell covers: of a taxonomy all that it lists."""
    listed: set[Cell] = set(DEGREE_OF) if name == "degree" else {_plain(name, value) for value in values} - {None}
    missing = {None} & set(values)
    return sum(_covers(name, cell, value) for value in listed | missing)


def _plain(name: str, value: Cell) -> Cell:
    """A number as it is written most shortly."""
    return str(Decimal(value).normalize()) if value is not None and KINDS[name].type == "numeric" else value


def _climbed(name: str, values: list[Cell], cell: Cell, value: Cell) -> float:
    """The share of its way up that a value was taken; in a domain with distances the width."""
    kind = KINDS[name]
    if kind.metric:
        return math.nan
    if cell == "*":
        return 1.0
    if name == "degree":
        way = [value, DEGREE_OF.get(value or "")]
        return 0.0 if cell == value else way.index(cell) / (3 if cell == "Higher" else 2)
    if kind.mask is not None:
        return 0.0 if cell == value else (cell or "").count("*") / 3
    return (_leaves(name, values, cell) - 1) / (len(set(values)) - 1) if cell != value else 0.0


NAMES = ("degree", "zip", "skill", "sex", "age", "income", "born", "seen")
PLAIN = ("degree", "zip", "skill", "sex")


def _columns(original: Columns, released: dict[str, list[Cell]], names: tuple[str, ...]) -> list[naive.Column]:
    def column(name: str) -> naive.Column:
        values = [_plain(name, value) for value in original[name]]
        return naive.Column(
            values,
            released[name],
            lambda cell, value: _covers(name, cell, value),
            lambda cell: _leaves(name, values, cell),
            lambda cell, value: _climbed(name, values, cell, value),
            KINDS[name].weight,
        )

    return [column(name) for name in names]


def _utility(original: Columns, groups: list[int], names: tuple[str, ...], witness: bool) -> Utility:
    kinds = {name: SKEW if name == "degree" else KINDS[name] for name in names}
    columns = release(original, groups, "interval")
    subject = Subject(columns, kinds, ("illness",))
    rows = np.arange(len(groups)) if witness else None
    finding = inspect(subject, (), Lm(), Original(table(original), ("illness",), rows))
    assert finding.utility is not None
    return finding.utility


def _cells(original: Columns, groups: list[int]) -> dict[str, list[Cell]]:
    columns = release(original, groups, "interval")
    texts = {name: [*column.text.to_pylist(), None] for name, column in columns.items()}
    return {name: [texts[name][code] for code in column.code_of.tolist()] for name, column in columns.items()}


@st.composite
def drawn(draw: st.DrawFn) -> tuple[Columns, list[int]]:
    """A random table, and groups of its rows."""
    rows = draw(st.integers(2, 12))
    original = {
        name: draw(st.lists(st.sampled_from(cells), min_size=rows, max_size=rows)) for name, cells in CHOICES.items()
    }
    return original, draw(st.lists(st.integers(0, 3), min_size=rows, max_size=rows))


@given(drawn(), st.booleans())
@settings(max_examples=60, deadline=None)
def test_all_measures_agree_with_their_twins(given_: tuple[Columns, list[int]], witness: bool) -> None:
    original, groups = given_
    found = _utility(original, groups, NAMES, witness)
    columns = _columns(original, _cells(original, groups), NAMES)
    secrets = original["illness"]
    assert found.losses["mi"] == pytest.approx(naive.mi(columns), abs=1e-9)
    assert found.details["mi"]["utility"] == pytest.approx(naive.utility(columns), abs=1e-9)
    assert found.losses["pmi"] == pytest.approx(naive.pmi(columns, secrets), abs=1e-9)
    told = [naive.told(column, secrets) for column in columns]
    norms = {"l1": sum(told) / 8, "l2": math.hypot(*told) / 8, "linf": max(told)}
    assert found.details["pmi"] == pytest.approx(norms, abs=1e-9)
    both = naive.mi(columns) + naive.pmi(columns, secrets)
    assert found.losses["wmi"] == pytest.approx(both / 2, abs=1e-9)
    assert found.losses["am"] == pytest.approx(naive.am(columns))
    assert found.details["am"]["log10"] == pytest.approx(math.log10(naive.am(columns)))
    assert found.losses["cm"] == pytest.approx(naive.cm(columns, secrets))
    assert found.losses["kl"] == pytest.approx(naive.kl(columns), abs=1e-9)


@given(drawn())
@settings(max_examples=30, deadline=None)
def test_an_ordered_gcp_counts_the_values_of_a_cell(given_: tuple[Columns, list[int]]) -> None:
    original, groups = given_
    columns = _columns(original, _cells(original, groups), NAMES)
    subject = Subject(release(original, groups, "interval"), {name: KINDS[name] for name in NAMES}, ())
    found = inspect(subject, (), Gcp(ordered=True), Original(table(original), ()))
    assert found.utility is not None

    def lost(column: naive.Column, row: int) -> float:
        return (column.leaves(column.cells[row]) - 1) / max(column.leaves("*") - 1, 1)

    assert found.utility.losses["gcp"] == pytest.approx(naive.mean(columns, lost), abs=1e-9)


@given(drawn())
@settings(max_examples=60, deadline=None)
def test_the_tree_measure_takes_each_rows_own_way(given_: tuple[Columns, list[int]]) -> None:
    original, groups = given_
    found = _utility(original, groups, PLAIN, True)
    columns = _columns(original, _cells(original, groups), PLAIN)
    assert found.losses["tree"] == pytest.approx(naive.tree(columns), abs=1e-9)
    blind = _utility(original, groups, PLAIN, False).losses["tree"]
    assert blind is None or blind == pytest.approx(found.losses["tree"], abs=1e-9)


def _pmi(cells: str) -> tuple[float, dict[str, float]]:
    """The worked example of Goldberger and Tassa 2010, section 5.1."""
    original = table({"q": list("aaaabbbbc"), "s": list("000101111")})
    released = table({"q": list(cells), "s": list("000101111")})
    subject = Subject(released, {"q": Kind()}, ("s",))
    finding = inspect(subject, (), Pmi(), Original(original, ("s",), np.arange(9)))
    assert finding.utility is not None
    loss = finding.utility.losses["pmi"]
    assert loss is not None
    assert finding.utility.by_column == {"q": loss}
    return loss, finding.utility.details["pmi"]


def test_the_worked_example_of_the_paper_is_right() -> None:
    assert _pmi("aaa**bbb*")[0] == pytest.approx(-0.126, abs=5e-4)
    assert _pmi("aa*a*bbb*")[0] == pytest.approx(0.086, abs=5e-4)
    unchanged, told = _pmi("aaaabbbbc")
    assert unchanged == pytest.approx(0, abs=1e-12)
    assert told["l1"] == pytest.approx(told["linf"])


def test_without_a_sensitive_column_what_is_about_it_is_unknown() -> None:
    original = table({"q": list("aab")})
    finding = inspect(Subject(table({"q": list("***")}), {"q": Kind()}, ()), (), Lm(), Original(original, ()))
    assert finding.utility is not None
    assert [name for name, loss in finding.utility.losses.items() if loss is None] == ["pmi", "wmi", "cm"]


def test_rows_that_were_left_out_count_as_suppressed_ones() -> None:
    original = table({"q": list("aabb"), "s": list("xyxy")})
    released = table({"q": list("aa"), "s": list("xy")})
    subject = Subject(released, {"q": Kind()}, ("s",))
    finding = inspect(subject, (), Lm(), Original(original, ("s",)))
    assert finding.utility is not None
    assert finding.utility.losses["mi"] == 0.5  # half of the rows lose a bit
    assert finding.utility.losses["pmi"] == 0  # q tells nothing of s
    assert finding.utility.losses["cm"] == (1 + 2) / 4
    assert finding.utility.losses["dm"] == 4 + 2 * 4
