"""What every privacy model keeps, whatever it is."""

from __future__ import annotations

from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_cli import aiming, models
from kanon_cli.audit.judge import AT_MOST, OF_SECRETS
from kanon_cli.models.alpha import Alpha, largest_share
from kanon_cli.models.base import Model
from kanon_cli.models.beta import Beta
from kanon_cli.models.delta import Delta
from kanon_cli.models.entropy import Entropy
from kanon_cli.models.evidence import Evidence, Secret
from kanon_cli.models.k import K
from kanon_cli.models.l_frequency import LFrequency, l_frequency
from kanon_cli.models.recursive import Recursive
from kanon_cli.models.t import T, distances
from kanon_cli.parts import load
from kanon_cli.tables.columns import TextColumn
from kanon_cli.tables.kinds import Kind, Meaning
from kanon_cli.tables.taxonomy import flat
from tests import naive
from tests.naive import models as twins
from tests.strategies import taxonomy, text_column

REALS = {
    "l": [1.0, 1.3, 2.0, 3.0],
    "alpha": [0.3, 0.5, 1.0],
    "c": [0.5, 1.0, 2.5],
    "t": [0.0, 0.2, 0.45, 1.0],
    "beta": [0.3, 1.0, 4.0],
    "delta": [0.2, 0.7, 2.0],
}
TREE = naive.Tree({"a": "N", "b": "N", "c": "M", "d": "M", "M": "L", "e": "L", "N": "*", "L": "*"})
LABELS = sorted(TREE.leaves)
KINDS: dict[str, tuple[twins.Meaning, Meaning]] = {
    "names": (None, Meaning()),
    "numbers": ("numeric", Meaning(Kind("numeric"))),
    "leaves": (TREE, Meaning(Kind(taxonomy=taxonomy(TREE.parent_of)))),
}
EVERY = [pytest.param(load(models.TABLE, name, Model), id=name) for name in models.TABLE]


@st.composite
def classes(draw: st.DrawFn) -> tuple[str, list[str | None], list[int]]:
    """What a sensitive column's values are, the values themselves, and up to four classes."""
    kind = draw(st.sampled_from(list(KINDS)))
    values: list[str] = LABELS if kind != "numbers" else ["1", "2", "5", "10", "20"]
    rows = draw(st.integers(1, 24))
    missing = [None] if draw(st.booleans()) else []
    secrets = draw(st.lists(st.sampled_from([*values, *missing]), min_size=rows, max_size=rows))
    class_of = draw(st.lists(st.integers(0, 3), min_size=rows, max_size=rows))
    return kind, secrets, np.unique(class_of, return_inverse=True)[1].tolist()


def _evidence(kind: str, secrets: list[str | None], class_of: list[int]) -> Evidence:
    texts = sorted({text for text in secrets if text is not None}, key=float if kind == "numbers" else str)
    codes = np.array([texts.index(text) if text is not None else -1 for text in secrets], dtype=np.int64)
    if kind == "leaves":
        tree = taxonomy(TREE.parent_of)
        ranks = [tree.label[node] for node in tree.leaf.tolist()]
        codes = np.array([ranks.index(text) if text is not None else -1 for text in secrets], dtype=np.int64)
        return Evidence(np.array(class_of), {"s": Secret(codes, tree.size, tree=tree)})
    return Evidence(np.array(class_of), {"s": Secret(codes, len(texts), kind == "numbers")})


def _build(model: type[Model], data: st.DataObject) -> Model:
    options: dict[str, object] = {}
    for name, field in model.model_fields.items():
        if name == "columns":
            options[name] = ("s",)
        elif field.annotation is float:
            options[name] = data.draw(st.sampled_from(REALS[name]))
        else:
            options[name] = data.draw(st.booleans() if field.annotation is bool else st.integers(1, 3))
    return model.model_validate(options)


def _privacy(model: Model) -> dict[str, object]:
    """The same promise as a spec has it."""
    options = model.model_dump(exclude={"columns"})
    if model.name in ("distinct", "entropy"):
        return {"diversity": {model.name: options["l"]}}
    if model.name == "recursive":
        return {"diversity": {"recursive": options}}
    if model.name in ("beta", "delta"):
        kinds = {"beta": ("basic", "enhanced"), "delta": ("strict", "present")}[model.name]
        return {model.name: {kinds[options[kinds[1]]]: options[model.name]}}
    return options


@pytest.mark.parametrize("model", EVERY)
@given(found=classes(), data=st.data())
@settings(max_examples=60, deadline=None)
def test_a_verdict_says_what_was_asked_and_what_was_found(
    model: type[Model], found: tuple[str, list[str | None], list[int]], data: st.DataObject
) -> None:
    built, evidence = _build(model, data), _evidence(*found)
    for verdict in built.check(evidence):
        assert verdict.required in built.required.values()
        assert verdict.holds == bool(built.kept(evidence).all())
        sign = -1 if verdict.at_most else 1
        if abs(verdict.achieved - verdict.required) > 1e-9:
            assert verdict.holds == (sign * verdict.achieved >= sign * verdict.required)


@pytest.mark.parametrize("model", EVERY)
@given(found=classes(), data=st.data())
@settings(max_examples=60, deadline=None)
def test_one_class_of_all_rows_keeps_what_the_classes_keep(
    model: type[Model], found: tuple[str, list[str | None], list[int]], data: st.DataObject
) -> None:
    built, evidence = _build(model, data), _evidence(*found)
    if built.survives_union and built.kept(evidence).all():
        assert built.kept(evidence.whole).all()


@pytest.mark.parametrize("model", EVERY)
@given(found=classes(), data=st.data())
@settings(max_examples=80, deadline=None)
def test_a_class_that_is_kept_is_kept_by_the_definition_whatever_missing_values_are(
    model: type[Model], found: tuple[str, list[str | None], list[int]], data: st.DataObject
) -> None:
    built, evidence = _build(model, data), _evidence(*found)
    kind, secrets, class_of = found
    for number, kept in enumerate(built.kept(evidence).tolist()):
        rows = [row for row, of in enumerate(class_of) if of == number]
        true = twins.keeps(_privacy(built), secrets, rows, KINDS[kind][0]) and len(rows) >= built.minimum_size
        assert true or not kept, "protection is never overstated"
        if None not in secrets:
            assert kept == true


@pytest.mark.parametrize("model", EVERY)
@given(found=classes(), data=st.data())
@settings(max_examples=60, deadline=None)
def test_people_who_have_a_value_and_a_missing_one_are_counted_once(
    model: type[Model], found: tuple[str, list[str | None], list[int]], data: st.DataObject
) -> None:
    """All rows in one class are refused only if the definitions say so, and classes are kept only if they do."""
    kind, secrets, class_of = found
    people = st.lists(st.sampled_from("abcdef"), min_size=len(secrets), max_size=len(secrets))
    built, units = _build(model, data), data.draw(people)
    evidence = replace(_evidence(*found), unit_of=np.unique(units, return_inverse=True)[1].astype(np.int64))
    least = built.minimum_size
    for number, kept in enumerate(built.kept(evidence).tolist()):
        rows = [row for row, of in enumerate(class_of) if of == number]
        true = len({units[row] for row in rows}) >= least
        assert not kept or (true and twins.keeps(_privacy(built), secrets, rows, KINDS[kind][0], units))
    everybody = range(len(secrets))
    true = len(set(units)) >= least and twins.keeps(_privacy(built), secrets, everybody, KINDS[kind][0], units)
    assert built.kept(evidence.whole).tolist() == [true]


@pytest.mark.parametrize("model", EVERY)
@given(found=classes(), data=st.data())
@settings(max_examples=60, deadline=None)
def test_what_algorithms_are_asked_to_keep_is_enough_for_the_judge(
    model: type[Model], found: tuple[str, list[str | None], list[int]], data: st.DataObject
) -> None:
    from kanon_cli.kernels.promise import shortfall_of_counts

    built, evidence = _build(model, data), _evidence(*found)
    kind, secrets, class_of = found
    column: TextColumn = text_column(secrets)
    aim = aiming.aim_of([built], {"s": column}, len(secrets), {"s": KINDS[kind][1]})
    for number, kept in enumerate(built.kept(evidence).tolist()):
        rows = np.flatnonzero(np.array(class_of) == number)
        counts = np.zeros((len(aim.values), int(max(aim.values, default=0))), dtype=np.int64)
        for secret in range(len(aim.values)):
            np.add.at(counts[secret], aim.secret_of[secret, rows], 1)
        short = int(shortfall_of_counts(counts, len(rows), aim)) > 0 or len(rows) < aim.k
        assert kept or short, "who keeps what is asked keeps the promise"
        if None not in secrets:
            assert kept == (not short), "and no more is asked, but for roundings"


@pytest.mark.parametrize("model", EVERY)
@given(found=classes(), data=st.data(), in_one_piece=st.booleans())
@settings(max_examples=40)
def test_however_many_classes_are_looked_at_at_a_time_and_however_long_the_numbers_they_keep_the_same(
    model: type[Model], found: tuple[str, list[str | None], list[int]], data: st.DataObject, in_one_piece: bool
) -> None:
    units = data.draw(st.none() | st.lists(st.integers(0, 9), min_size=len(found[1]), max_size=len(found[1])))
    seen = _evidence(*found)
    if units is not None:
        seen = replace(seen, unit_of=np.unique(units, return_inverse=True)[1].astype(np.int64))
    built = _build(model, data)
    block = 1 << 16 if in_one_piece else 3
    with patch("kanon_cli.models.transport.LONGEST", 1), patch("kanon_cli.models.evidence.BLOCK", block):
        kept, verdicts = built.kept(replace(seen)).tolist(), built.check(replace(seen))
    assert (kept, verdicts) == (built.kept(seen).tolist(), built.check(seen))


def _of_classes(kind: str, found: dict[str, list[str]]) -> Evidence:
    """The evidence of classes by name."""
    secrets: list[str | None] = [value for values in found.values() for value in values]
    return _evidence(kind, secrets, [at for at, values in enumerate(found.values()) for _ in values])


def test_distances_of_published_tables_come_out() -> None:
    merit = _of_classes("numbers", {"E": ["1", "4", "2"], "U": ["3"], "G": ["3", "4", "3", "1"], "R": ["4", "3"]})
    above, below = distances(merit, "s")
    assert (above / below).round(6).tolist() == [0.177778, 0.266667, 0.05, 0.233333]
    ill = {
        "1": ["gastric ulcer", "pneumonia", "stomach cancer"],
        "2": ["gastritis", "flu", "bronchitis"],
        "3": ["bronchitis", "gastritis", "stomach cancer"],
    }
    above, below = distances(_of_classes("names", ill), "s")
    assert sorted((above / below).round(6).tolist()) == [0.333333, 0.444444, 0.555556]


def test_a_promise_that_is_just_kept_is_kept() -> None:
    thirds = _of_classes("names", {"1": ["x", "y", "z"] * 3, "2": ["x", "y", "z"]})
    assert Entropy(l=3, columns=("s",)).kept(thirds).all()
    assert not Entropy(l=3.0001, columns=("s",)).kept(thirds).any()
    assert Alpha(alpha=1 / 3 + 1e-12, columns=("s",)).kept(thirds).all()
    assert T(t=0, columns=("s",)).kept(thirds).all()
    uneven = _of_classes("names", {"1": ["x", "x", "y", "y", "z"]})
    assert not Recursive(c=2, l=3, columns=("s",)).kept(uneven).all(), "less than c times, not as often"
    assert Recursive(c=2.01, l=3, columns=("s",)).kept(uneven).all()


def test_people_are_counted_once_a_class_and_value() -> None:
    codes = np.array([0, 0, 0, 1, 1, -1], dtype=np.int64)
    evidence = Evidence(
        np.zeros(6, dtype=np.int64), {"s": Secret(codes, 2)}, unit_of=np.array([0, 0, 1, 1, 2, 3], dtype=np.int64)
    )
    assert evidence.people.tolist() == [4]
    assert [part.tolist() for part in evidence.counts("s")] == [[0, 0, 0], [-1, 0, 1], [1, 2, 2]]
    assert not K(k=5).kept(evidence).any()
    assert LFrequency(l=4 / 3, columns=("s",)).kept(evidence).all(), "two of four have 0, and one may"


def test_no_more_people_may_share_a_value_than_there_are() -> None:
    """Four people, each with one row of a value and one without."""
    codes, unit_of = np.array([0, -1] * 4, dtype=np.int64), np.repeat(np.arange(4), 2)
    evidence = Evidence(np.zeros(8, dtype=np.int64), {"s": Secret(codes, 1)}, unit_of=unit_of)
    assert (l_frequency(evidence, "s"), largest_share(evidence, "s")) == (1.0, 1.0)
    assert LFrequency(l=1, columns=("s",)).kept(evidence).all()
    assert Beta(beta=1, enhanced=True, columns=("s",)).kept(evidence).all(), "the class is the table"
    assert Delta(delta=0.1, columns=("s",)).kept(evidence).all()


def test_the_missing_value_of_somebody_may_be_one_that_they_have_in_another_row() -> None:
    """A person's missing value and their other one are one pair if they are the same: then the others weigh more."""
    person, value, class_of = [0, 1, 0, 0, 2, 3], [-1, 1, 0, 1, 0, 2], [0, 0, 0, 1, 1, 1]
    units = np.array(person, dtype=np.int64)
    evidence = Evidence(np.array(class_of), {"s": Secret(np.array(value, dtype=np.int64), 3)}, unit_of=units)
    above, below = distances(evidence, "s")
    secrets: list[str | None] = [None if code < 0 else "abc"[code] for code in value]
    for number, (over, under) in enumerate(zip(above.tolist(), below.tolist(), strict=True)):
        rows = [row for row, of in enumerate(class_of) if of == number]
        assert over / under >= twins.closeness(secrets, rows, None, [str(unit) for unit in person])
    assert T(t=0, columns=("s",)).kept(evidence.whole).all(), "all rows are the table, whatever is missing"


def test_columns_are_looked_at_together() -> None:
    parts = {"a": Secret(np.array([0, 0, 1, 1, -1]), 2), "b": Secret(np.array([0, 1, 0, 1, 1]), 2)}
    evidence = Evidence(np.zeros(5, dtype=np.int64), parts, joint=True)
    assert evidence.columns == ("a", "b", "a + b")
    _, code, rows = evidence.counts("a + b")
    assert (sorted(code.tolist()), rows.tolist()) == ([-1, 0, 1, 2, 3], [1] * 5)


@pytest.mark.parametrize("name", ["t", "beta", "delta_present"])
def test_a_missing_leaf_may_be_one_that_nobody_is_known_to_have(name: str) -> None:
    """With a tree it is known that there are others."""
    class_of = np.array([0, 0, 1, 1])
    tree = flat("bcf")
    known = Secret(np.array([0, 0, 0, -1]), 3, tree=tree, is_open=True)
    true = Secret(np.array([0, 0, 0, 2]), 3, tree=tree)
    told, least = (OF_SECRETS[name](Evidence(class_of, {"s": secret}), "s") for secret in (known, true))
    assert told >= least > 0


@st.composite
def _silent_tables(draw: st.DrawFn) -> tuple[Evidence, Evidence]:
    """A small table with missing sensitive values, looked at together and of people or not, and the same filled in."""
    rows = draw(st.integers(2, 8))
    class_of = np.unique(draw(st.lists(st.integers(0, 2), min_size=rows, max_size=rows)), return_inverse=True)[1]
    unit_of = draw(st.none() | st.lists(st.integers(0, 3), min_size=rows, max_size=rows).map(np.array))
    known, filled = {}, {}
    for name in ("a", "b"):
        codes = [0, *draw(st.lists(st.integers(-1, 2), min_size=rows - 1, max_size=rows - 1))]
        found = sorted({*codes} - {-1})
        code_of = np.array([found.index(code) if code >= 0 else -1 for code in codes])
        values = len(found) + draw(st.sampled_from([0, 1, 2]))  # of a tree that has more leaves than anybody has
        tree = flat("abcde"[:values]) if values > len(found) else None
        instead = draw(st.lists(st.integers(0, values - 1), min_size=rows, max_size=rows))
        known[name] = Secret(code_of, values, tree=tree, is_open=tree is not None and bool((code_of < 0).any()))
        filled[name] = Secret(np.where(code_of < 0, instead, code_of), values, tree=tree)
    units = None if unit_of is None else np.unique(unit_of, return_inverse=True)[1]
    return Evidence(class_of, known, units, joint=True), Evidence(class_of, filled, units, joint=True)


@pytest.mark.parametrize("figure", [name for name in OF_SECRETS if name != "l_distinct"])
@given(tables=_silent_tables())
@settings(max_examples=150, deadline=None)
def test_no_figure_is_better_than_with_any_values_in_the_place_of_missing_ones(
    figure: str, tables: tuple[Evidence, Evidence]
) -> None:
    silent, filled = tables
    for column in silent.columns:
        told, true = (OF_SECRETS[figure](table, column) for table in (silent, filled))
        assert told >= true - 1e-9 if figure in AT_MOST else told <= true + 1e-9
