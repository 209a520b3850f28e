"""The risks of prosecutor, journalist and marketer, against counting people by hand."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_cli.audit import crossing
from kanon_cli.audit.gather import gather
from kanon_cli.audit.risks import THRESHOLD, Population, people_behind, risks
from kanon_cli.cli.audit import audit
from kanon_cli.errors import DataError
from kanon_cli.models.evidence import Evidence
from kanon_cli.tables.kinds import Kind
from tests.audit.tables import rows, table

AGES = ["*", "[20-30]", "[25-40]", "28", None]
SKILLS = ["a", "{a|c}", "*"]
KINDS = {"age": Kind(type="numeric"), "skill": Kind(as_set=True)}


def covers(cell: str | None, value: str | None) -> bool:
    """What the cells above cover."""
    if cell == "*" or cell is None or value is None:
        return cell == "*" or (cell is None and value is None)
    if cell.startswith("["):
        low, high = cell.strip("[]").split("-")
        return int(low) <= int(value) <= int(high)
    return value in cell.strip("{}").split("|")


@given(
    st.lists(st.tuples(st.sampled_from(AGES), st.sampled_from(SKILLS)), min_size=1, max_size=12),
    st.lists(
        st.tuples(st.sampled_from(["19", "20", "28", "30", "40", None]), st.sampled_from("abc")),
        min_size=1,
        max_size=30,
    ),
)
@settings(deadline=None)
def test_people_are_counted_as_by_hand(
    released: list[tuple[str | None, str]], people: list[tuple[str | None, str]]
) -> None:
    """Each row is hidden among the people whom its cells cover, and among its class at least."""
    table_of, people_of = rows(list(KINDS), released), rows(list(KINDS), [*people, ("28", "a"), ("28", "c")])
    evidence = gather(table_of, list(KINDS), [])
    population = people_behind(table_of, people_of, KINDS, "interval", evidence)
    everybody = [*people, ("28", "a"), ("28", "c")]
    for place, row in enumerate(released):
        covered = sum(all(map(covers, row, person)) for person in everybody)
        number = evidence.class_of[place]
        assert population.matches[number] == max(covered, released.count(row))
    assert population.not_understood == {}


def test_the_risks_of_a_sample() -> None:
    """Classes of 2 and 3 rows, 10 and 4 people: formulas of El Emam by hand."""
    evidence = Evidence(np.array([0, 0, 1, 1, 1]))
    found = risks(evidence, 0.3, Population(14, np.array([10, 4]), 0, {}))
    assert found == {
        "threshold": 0.3,
        "prosecutor_max": 1 / 2,
        "prosecutor_mean": 2 / 5,
        "prosecutor_at_risk": 1.0,
        "journalist_max": 1 / 4,
        "journalist_mean": pytest.approx((2 / 10 + 3 / 4) / 5),
        "journalist_at_risk": 0.0,
        "marketer": pytest.approx((2 / 10 + 3 / 4) / 5),
    }
    assert risks(evidence, 0.2, Population(14, np.array([10, 4]), 0, {}))["journalist_at_risk"] == 3 / 5


@given(st.lists(st.integers(0, 5), min_size=1, max_size=30), st.sampled_from([0.0, 0.2, 0.3, 0.5, 1.0]))
def test_the_share_at_risk_agrees_with_counting_rows(classes: list[int], threshold: float) -> None:
    evidence = Evidence(np.unique(classes, return_inverse=True)[1].astype(np.int64))
    one_by_one = [1 / classes.count(number) for number in classes]
    found = risks(evidence, threshold)
    assert found["prosecutor_at_risk"] == sum(one > threshold for one in one_by_one) / len(classes)
    assert found["marketer"] == pytest.approx(sum(one_by_one) / len(classes))


def test_the_risk_is_counted_above_the_threshold_and_not_at_it() -> None:
    evidence = Evidence(np.repeat([0, 1], [4, 5]))
    assert risks(evidence)["prosecutor_at_risk"] == 4 / 9
    assert risks(evidence, 0.25)["prosecutor_at_risk"] == 0.0


def test_the_command_line_has_the_same_threshold() -> None:
    """It says it by itself, so that `kanon --help` loads nothing."""
    assert inspect.signature(audit).parameters["threshold"].default == THRESHOLD


def test_a_population_that_lacks_people_of_the_table_is_told() -> None:
    """Then a class is hidden among its own rows, no more; so it is with cells that nobody understands."""
    released = table({"age": ["[20-30]", "[20-30]", "young", "young"]})
    evidence = gather(released, ["age"], [])
    population = people_behind(released, table({"age": ["21", "50"]}), {"age": None}, "interval", evidence)
    assert population.matches.tolist() == [2, 2]
    assert (population.short, population.not_understood) == (2, {"age": 2})


def test_midpoints_have_no_people_behind_them() -> None:
    released = table({"age": ["25", "25"]})
    with pytest.raises(DataError, match="midpoints"):
        people_behind(released, released, {"age": KINDS["age"]}, "midpoint", gather(released, ["age"], []))


def test_too_large_a_population_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crossing, "MOST_PAIRS", 1)
    released = table({"age": ["25", "25"]})
    with pytest.raises(DataError, match="too many pairs"):
        people_behind(released, released, {"age": KINDS["age"]}, "interval", gather(released, ["age"], []))
