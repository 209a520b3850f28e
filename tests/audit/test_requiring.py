"""Requirements: how they are written, what they are held against, and every mistake in them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from kanon_cli.audit.judge import Figure, achieved
from kanon_cli.audit.requiring import require, requirements, sign_of, smaller_is_safer
from kanon_cli.errors import SpecError
from kanon_cli.models.base import SecretModel
from kanon_cli.models.delta import Delta
from kanon_cli.models.evidence import Evidence, Secret
from kanon_cli.models.recursive import Recursive
from kanon_cli.models.t import T

FOUND: dict[str, Figure] = {
    "k": 5,
    "l_frequency": 2.5,
    "l_distinct": {"s": 3, "t": 2},
    "l_entropy": 2.25,
    "t": {"s": 0.3, "t": 0.31},
    "prosecutor_max": 0.2,
}


def test_requirements_are_held_against_what_is_achieved() -> None:
    """`l` is the l by frequency; a figure by column is judged column by column."""
    verdicts = require(requirements([" k=5, l = 2.5,l_distinct>=3,l_entropy >= 2.3, t<=0.3"]), FOUND)
    assert [(verdict.model, verdict.column, verdict.holds) for verdict in verdicts] == [
        ("k", None, True),
        ("l_frequency", None, True),
        ("l_distinct", "s", True),
        ("l_distinct", "t", False),
        ("l_entropy", None, False),
        ("t", "s", True),
        ("t", "t", False),
    ]
    assert [verdict.holds for verdict in require(requirements(["k>=6"]), FOUND)] == [False]


def test_an_equals_sign_means_at_least_as_safe() -> None:
    """`k=5` is 5 or more, `t=0.3` and `prosecutor_max=0.2` are that or less."""
    verdicts = require(requirements(["k=4,prosecutor_max=0.2,prosecutor_max=0.19"]), FOUND)
    assert [verdict.holds for verdict in verdicts] == [True, True, False]
    assert [name for name in (*FOUND, "alpha", "beta_enhanced", "leaks") if smaller_is_safer(name)] == [
        "t",
        "prosecutor_max",
        "alpha",
        "beta_enhanced",
        "leaks",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "k",
        "k=",
        "k=5,",
        "=5",
        "k=0",
        "k=2.5",
        "k=-1",
        "k=five",
        "k=1_0",
        "k=\uff12",
        "k==5",
        "k>5",
        "k<=5",
        "t>=0.3",
        "t<=-0.1",
        "t<=nan",
        "l=0.5",
        "k<5",
        "t<0.3",
        "delta<=1",
        "recursive_c>1",
        "l=nan",
        "l=inf",
        "prosecutor_max>=0.5",
        "k=" + "9" * 5000,
    ],
)
def test_a_wrong_requirement_is_a_spec_error(text: str) -> None:
    """Wrong signs, and numbers that are none or too small, with the option they stand in."""
    with pytest.raises(SpecError) as refusal:
        requirements([text])
    assert {mistake.where for mistake in refusal.value.mistakes} == {"--require"}


def test_all_wrong_requirements_are_told_at_once() -> None:
    with pytest.raises(SpecError) as refusal:
        requirements(["k=x,l=2,foo"])
    assert len(refusal.value.mistakes) == 2
    with pytest.raises(SpecError) as refusal:
        requirements(["m<=5,lfrequency=2"])
    assert [mistake.hint for mistake in refusal.value.mistakes] == [None, "did you mean 'l_frequency'?"]


def test_what_a_table_does_not_have_cannot_be_required_of_it() -> None:
    for text, said in (("l=2", "sensitive"), ("journalist_max<=0.1", "population")):
        with pytest.raises(SpecError, match=said):
            require(requirements([text]), {"k": 5})


def test_models_that_want_less_than_their_bound_are_required_so() -> None:
    """At its bound each of these is broken, whether a spec promises it or a requirement asks it."""
    evidence = Evidence(np.arange(8) // 4, {"s": Secret(np.array([0, 0, 0, 1, 0, 1, 1, 1]), 2)})
    found = achieved(evidence)
    models: dict[str, Callable[[float], SecretModel]] = {
        "recursive_c": lambda at: Recursive(c=at, l=2, columns=("s",)),
        "delta": lambda at: Delta(delta=at, columns=("s",)),
        "t": lambda at: T(t=at, columns=("s",)),
    }
    for name, model in models.items():
        at = found[name]
        assert isinstance(at, float)
        (promised,) = model(at).check(evidence)
        (required,) = require(requirements([f"{name}={at!r}"]), found)
        assert promised.holds == required.holds == (name == "t")
        assert (sign_of(name) == "<") == (not promised.holds)
