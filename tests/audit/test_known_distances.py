"""Small tables whose distances from the whole table are known from elsewhere, and were worked out again by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pytest
from pycanon import anonymity

from kanon_cli.audit.gather import gather
from kanon_cli.audit.judge import achieved
from kanon_cli.models.evidence import Evidence
from kanon_cli.models.recursive import recursive_c
from kanon_cli.models.t import distances
from kanon_cli.tables.kinds import Kind, Meaning
from kanon_cli.tables.taxonomy import grow
from tests.audit.tables import rows, table
from tests.audit.test_known_answers import DRUGS, HOSPITAL, SCORES, SCORES_2, SCORES_5, SCORES_7

NUMBERS = Meaning(Kind(type="numeric"))
NAMES = Meaning()
PARENT_OF = {
    "flu": "respiratory infection",
    "pneumonia": "respiratory infection",
    "bronchitis": "respiratory infection",
    "pulmonary edema": "vascular lung disease",
    "pulmonary embolism": "vascular lung disease",
    "gastric ulcer": "stomach disease",
    "stomach cancer": "stomach disease",
    "gastritis": "stomach disease",
    "colitis": "colon disease",
    "colon cancer": "colon disease",
}
GROUP_OF = {
    "respiratory infection": "respiratory",
    "vascular lung disease": "respiratory",
    "stomach disease": "digestive",
    "colon disease": "digestive",
}
DISEASES = Meaning(
    Kind(taxonomy=grow(list(PARENT_OF), {**PARENT_OF, **GROUP_OF, "respiratory": "any", "digestive": "any"}))
)
ULCER, CANCER = "gastric ulcer", "stomach cancer"


def evidence_of(classes: Sequence[Sequence[str]], meaning: Meaning) -> Evidence:
    """A table of these classes, each given by its sensitive values."""
    records = [(str(at), value) for at, values in enumerate(classes) for value in values]
    return gather(rows("qs", records), ["q"], ["s"], {"s": meaning})


def by_class(classes: Sequence[Sequence[str]], meaning: Meaning) -> list[float]:
    """How far each class is from the table."""
    numerators, denominators = distances(evidence_of(classes, meaning), "s")
    return [float(share) for share in numerators / denominators]


@pytest.mark.parametrize(
    ("classes", "meaning", "expected"),
    [
        (["3 4 5", "6 11 8", "7 9 10"], NUMBERS, [0.375, 0.166667, 0.236111]),
        (["3 5 9", "6 11 8", "4 7 10"], NUMBERS, [0.166667, 0.166667, 0.083333]),
        (["1 4 2", "3", "3 4 3 1", "4 3"], NUMBERS, [0.177778, 0.266667, 0.05, 0.233333]),
    ],
)
def test_numbers_are_as_far_apart_as_their_ranks(classes: list[str], meaning: Meaning, expected: list[float]) -> None:
    """The salaries of Li et al. before and after, and marks by department."""
    assert by_class([values.split() for values in classes], meaning) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(
    ("classes", "expected"),
    [
        (
            [(ULCER, "gastritis", CANCER), ("gastritis", "flu", "bronchitis"), ("bronchitis", "pneumonia", CANCER)],
            [0.444444, 0.296296, 0.296296],
        ),
        (
            [(ULCER, CANCER, "pneumonia"), ("gastritis", "flu", "bronchitis"), ("gastritis", "bronchitis", CANCER)],
            [0.259259, 0.296296, 0.185185],
        ),
    ],
)
def test_diseases_are_as_far_apart_as_their_tree_says(classes: list[tuple[str, ...]], expected: list[float]) -> None:
    """The diseases of Li et al. before and after; the tree is three levels high."""
    assert by_class(classes, DISEASES) == pytest.approx(expected, abs=1e-6)


def test_names_are_equally_far_apart() -> None:
    classes = [(ULCER, "pneumonia", CANCER), ("gastritis", "flu", "bronchitis"), ("bronchitis", "gastritis", CANCER)]
    assert by_class(classes, NAMES) == pytest.approx([0.555556, 0.444444, 0.333333], abs=1e-6)


@pytest.mark.parametrize(
    ("classes", "meaning", "expected"),
    [
        (HOSPITAL, NAMES, [1.0, 0.615385, 3.333333, 1.466337]),
        (DRUGS, NAMES, [0.833333, 0.679730, 9.673077, 2.367724]),
        (SCORES, NUMBERS, [1.0, 0.416592, 71.0, 4.276666]),
        (SCORES_2, NUMBERS, [0.5, 0.417229, 70.666667, 4.272026]),
        (SCORES_5, NUMBERS, [0.5, 0.310233, 29.8, 3.427515]),
        (SCORES_7, NUMBERS, [0.285714, 0.197489, 8.142857, 2.212973]),
    ],
    ids=["hospital", "drugs", "scores", "scores of k = 2", "scores of k = 5", "scores of k = 7"],
)
def test_published_releases(classes: Sequence[Sequence[str]], meaning: Meaning, expected: list[float]) -> None:
    """delta over the values that a class has; strictly it is without limit, as no class has them all."""
    figures = achieved(evidence_of(classes, meaning))
    names = ("alpha", "t", "beta", "delta_present")
    assert [figures[name] for name in names] == pytest.approx(expected, abs=1e-6)
    assert figures["delta"] is None


def test_the_recursive_c_of_a_published_release_is_more_than_was_published() -> None:
    """c = 1 was published for l = 4; but one score is three times as frequent as all from the fourth on together."""
    assert recursive_c(evidence_of(SCORES_5, NUMBERS), "s", 4) == 3.0


def test_pycanon_finds_the_same_in_random_tables() -> None:
    """Names are equally far apart there, numbers as far as their ranks."""
    rng = np.random.default_rng(0)
    for _ in range(30):
        count, values = int(rng.integers(2, 40)), int(rng.integers(2, 6))  # one number alone makes them divide by 0
        classes = [str(code) for code in rng.integers(0, 4, count)]
        secrets = [*range(values), *rng.integers(0, values, count).tolist()][:count]
        data = pd.DataFrame({"q": classes, "s": secrets})
        columns = table({"q": classes, "s": [str(value) for value in secrets]})
        for meaning, theirs in ((NUMBERS, data), (NAMES, data.astype({"s": str}))):
            figures = achieved(gather(columns, ["q"], ["s"], {"s": meaning}))
            assert figures["alpha"] == pytest.approx(anonymity.alpha_k_anonymity(theirs, ["q"], ["s"])[0])
            assert figures["t"] == pytest.approx(anonymity.t_closeness(theirs, ["q"], ["s"]))
            assert figures["beta"] == pytest.approx(anonymity.basic_beta_likeness(theirs, ["q"], ["s"]))
            assert figures["delta_present"] == pytest.approx(anonymity.delta_disclosure(theirs, ["q"], ["s"]))


def test_pycanon_finds_a_recursive_c_that_the_least_value_gives() -> None:
    """10 and 1: c has to exceed 10; it sorts upwards and takes the least value for the most frequent one."""
    values = ["x"] * 10 + ["y"]
    assert anonymity.recursive_c_l_diversity(pd.DataFrame({"q": ["a"] * 11, "s": values}), ["q"], ["s"]) == (1, 2)
    assert recursive_c(evidence_of([values], NAMES), "s") == 10


def test_missing_values_do_not_take_a_distance_beyond_its_limit() -> None:
    """pycanon gives 1.333 here; a distance is 1 at most."""
    records = [("a", "1"), ("a", None), ("b", "2"), ("b", None)]
    figures = achieved(gather(rows("qs", records), ["q"], ["s"]))
    assert isinstance(figures["t"], float)
    assert 0 < figures["t"] <= 1
