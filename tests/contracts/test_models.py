"""What every privacy model keeps, whatever it is."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_cli import models
from kanon_cli.models.base import Model
from kanon_cli.models.evidence import Evidence, Secret
from kanon_cli.parts import load

ARGUMENTS = {"k": st.integers(1, 5), "l": st.sampled_from([1.0, 1.3, 2.0, 3.0]), "columns": st.just(("s",))}
EVERY = [pytest.param(load(models.TABLE, name, Model), id=name) for name in models.TABLE]


@st.composite
def evidences(draw: st.DrawFn) -> Evidence:
    """Up to five classes with a sensitive column, some of it missing."""
    rows = draw(st.integers(1, 30))
    class_of = np.unique(draw(st.lists(st.integers(0, 4), min_size=rows, max_size=rows)), return_inverse=True)[1]
    codes = draw(st.lists(st.integers(-1, 3), min_size=rows, max_size=rows))
    return Evidence(class_of.astype(np.int64), {"s": Secret(np.array(codes, dtype=np.int64), 4)})


def _build(model: type[Model], data: st.DataObject) -> Model:
    return model(**{name: data.draw(ARGUMENTS[name]) for name in model.model_fields})


@pytest.mark.parametrize("model", EVERY)
@given(evidence=evidences(), data=st.data())
@settings(max_examples=60, deadline=None)
def test_a_verdict_says_what_was_asked_and_what_was_found(
    model: type[Model], evidence: Evidence, data: st.DataObject
) -> None:
    built = _build(model, data)
    for verdict in built.check(evidence):
        assert verdict.required in built.required.values()
        assert verdict.holds == (verdict.achieved >= verdict.required - 1e-12)


@pytest.mark.parametrize("model", EVERY)
@given(evidence=evidences(), data=st.data())
@settings(max_examples=60, deadline=None)
def test_one_class_of_all_rows_keeps_what_the_classes_keep(
    model: type[Model], evidence: Evidence, data: st.DataObject
) -> None:
    built = _build(model, data)
    if built.survives_union and all(verdict.holds for verdict in built.check(evidence)):
        assert all(
            verdict.holds for verdict in built.check(Evidence(np.zeros_like(evidence.class_of), evidence.secrets))
        )


@pytest.mark.parametrize("model", EVERY)
@given(evidence=evidences(), data=st.data())
@settings(max_examples=60, deadline=None)
def test_what_a_model_asks_of_a_group_is_what_it_judges(
    model: type[Model], evidence: Evidence, data: st.DataObject
) -> None:
    built = _build(model, data)
    sizes = np.bincount(evidence.class_of)
    kept = sizes.min() >= built.minimum_size
    for group, size in enumerate(sizes.tolist()):
        codes = evidence.secrets["s"].code_of[evidence.class_of == group].tolist()
        most = max((codes.count(code) for code in range(4)), default=0) + codes.count(-1)
        share = built.largest_share
        kept = kept and (share is None or Fraction(most, size) <= share)
    assert kept == all(verdict.holds for verdict in built.check(evidence))
