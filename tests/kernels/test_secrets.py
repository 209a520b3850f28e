"""Where rows cost by their sensitive values, sequential clustering does what it does line by line."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_cli import encoding, private
from kanon_cli.algorithms.base import Terms
from kanon_cli.algorithms.sequential import Sequential
from kanon_cli.encoding import encode
from kanon_cli.errors import DataError
from kanon_cli.kernels import layers
from kanon_cli.kernels.costs import CURVE
from kanon_cli.measures.base import CellMeasure
from kanon_cli.measures.wmi import Wmi
from kanon_cli.problem import Problem
from kanon_cli.tables.domains import Domain, build
from kanon_cli.tables.kinds import Kind
from tests import naive
from tests.contracts.parts import CELL_MEASURES
from tests.kernels.pricing import price
from tests.naive.sequential import Sequential as LineByLine
from tests.strategies import Task, models_of, problem_of, tables, tasks, text_column


def _bits(table: naive.Table, column: int, members: Sequence[int], row: int, share: float) -> float:
    """What a row costs in a group, counted in the table."""
    everybody, kind = table.values(column), table.columns[column]
    group = {everybody[member] for member in members}
    covered = (
        group if len(group) == 1 else set(everybody) if None in group else naive.covered_by(kind, group, everybody)
    )
    rows = [other for other, value in enumerate(everybody) if value in covered]
    alike = [other for other in rows if table.secrets[other] == table.secrets[row]]
    return math.log2(len(rows)) - share * math.log2(len(alike))


def _cost(table: naive.Table, problem: Problem, members: Sequence[int], w: float) -> int:
    """What a group loses, in whole numbers, each cell rounded; what no row loses is taken off."""
    total = 0
    for column, scale in enumerate(problem.costs.scale.tolist()):
        everybody = table.values(column)
        if len(set(everybody)) > 1:
            for row in members:
                own = math.log2(everybody.count(everybody[row]))
                total += round(scale * _bits(table, column, members, row, 1 - w)) - round(scale * w * own)
    return total


@pytest.mark.parametrize("form", ["as ever", "formulas", "wide labels"])
@given(
    table=tables(max_rows=20),
    k=st.integers(2, 5),
    w=st.sampled_from([0.0, 0.25, 1.0]),
    seed=st.integers(0, 5),
    omega=st.sampled_from([1.25, 1.5]),
    split=st.sampled_from(["at-once", "after-pass"]),
)
@settings(max_examples=60, deadline=None)
def test_the_groups_are_those_of_the_algorithm_done_line_by_line(
    form: str, table: naive.Table, k: int, w: float, seed: int, omega: float, split: str
) -> None:
    k = min(k, len(table.rows))
    with (
        patch.object(encoding, "TABLE_RANKS", 0 if form == "formulas" else encoding.TABLE_RANKS),
        patch.object(layers, "NARROW_LABELS", 2 if form == "wide labels" else layers.NARROW_LABELS),
    ):
        problem = problem_of(table, models_of(k, None), Wmi(w=w), kept=True)
        found = Sequential(omega=omega, split=split).partition(problem, Terms(seed))
    rng = np.random.default_rng(seed)
    count = max(problem.rows // max(int(0.5 * k), 1), 1)
    order = rng.permutation(problem.rows).tolist()
    start = [order[at::count] for at in range(count)]
    slow = LineByLine(lambda members: _cost(table, problem, members, w), k, omega, split == "at-once", 50)
    orders = (rng.permutation(problem.rows).tolist() for _ in itertools.count())
    assert naive.groups_of(found.group_of.tolist()) == slow.run(start, orders)


@given(task=tasks(), seed=st.integers(0, 3), judged=st.sampled_from(["grown", "all"]))
@settings(max_examples=40, deadline=None)
def test_the_promise_is_kept(task: Task, seed: int, judged: str) -> None:
    problem = problem_of(task.table, task.models, Wmi(w=0.25), kept=True)
    found = Sequential(judged=judged).partition(problem, Terms(seed))
    assert all(task.keeps(members) for members in naive.groups_of(found.group_of.tolist()))


@pytest.mark.parametrize("form", ["as ever", "formulas"])
@given(table=tables(max_rows=12), w=st.sampled_from([0.0, 0.5]))
@settings(max_examples=40, deadline=None)
def test_for_searches_a_cell_costs_the_mean_of_the_rows_that_it_covers(form: str, table: naive.Table, w: float) -> None:
    with patch.object(encoding, "TABLE_RANKS", 0 if form == "formulas" else encoding.TABLE_RANKS):
        problem = problem_of(table, models_of(2, None), Wmi(w=w))
    for column, ranks in enumerate(problem.rank_of.tolist()):
        everybody, kind = table.values(column), table.columns[column]
        for row, other in itertools.combinations(range(problem.rows), 2):
            group = {everybody[row], everybody[other]}
            covered = set(everybody) if None in group else naive.covered_by(kind, group, everybody)
            members = [at for at in range(problem.rows) if everybody[at] in (covered if len(group) > 1 else group)]
            lost = [
                _bits(table, column, [row, other], at, 1 - w) - _bits(table, column, [at], at, 1 - w) for at in members
            ]
            cost = int(price(problem.costs, column, *sorted((ranks[row], ranks[other]))))
            if problem.costs.form[column] == CURVE:  # a long line is priced roughly
                assert cost >= 0
            else:
                assert cost == pytest.approx(sum(lost) / len(members) * problem.costs.scale[column], abs=1)


def _mean_entropy(table: naive.Table, groups: Sequence[Sequence[int]]) -> float:
    """The mean over groups of the bits that are unknown about the sensitive value of a row."""
    shares = [[table.secrets[row] for row in members].count("x") / len(members) for members in groups]
    return sum(-p * math.log2(p) - (1 - p) * math.log2(1 - p) for p in shares if 0 < p < 1) / len(groups)


def test_the_less_mi_counts_the_purer_the_groups_are() -> None:
    """The trend of table 3 of Goldberger and Tassa 2010, on a table where two columns of four tell the secret."""
    rng = np.random.default_rng(0)
    telling = rng.choice(3, 400)
    same = (telling + (rng.random(400) < 0.3)) % 3
    cells = np.stack([telling, same, rng.integers(0, 5, 400), rng.integers(0, 5, 400)], axis=1)
    secrets = ["xy"[int(own == 2) ^ int(noise < 0.1)] for own, noise in zip(telling, rng.random(400), strict=True)]
    rows = [tuple("abcde"[value] for value in row) for row in cells.tolist()]
    tree = naive.Tree(dict.fromkeys("abcde", "*"))
    table = naive.Table(rows, [tree] * 4, [1.0] * 4, secrets)
    found = []
    for w in (0.0, 0.5, 1.0):
        problem = problem_of(table, models_of(10, None), Wmi(w=w), kept=True)
        grouping = Sequential().partition(problem, Terms(0))
        found.append(_mean_entropy(table, naive.groups_of(grouping.group_of.tolist())))
    assert found[0] < found[1] < found[2]
    assert 3 * found[0] < found[2]


def test_a_sensitive_column_of_too_many_values_is_refused() -> None:
    rows = [(str(row % 3),) for row in range(private.MOST_VALUES + 1)]
    table = naive.Table(rows, [naive.Numbers()], (), [str(row) for row in range(len(rows))])
    with pytest.raises(DataError, match="too many for a measure"):
        problem_of(table, models_of(2, None), Wmi())


@pytest.mark.parametrize("kept", [False, True])
@pytest.mark.parametrize("measure", CELL_MEASURES, ids=lambda measure: measure.name)
def test_a_column_of_one_value_changes_nothing_wherever_it_stands(measure: type[CellMeasure], kept: bool) -> None:
    rng = np.random.default_rng(2)
    cells = {"n": rng.integers(0, 4, 24).tolist(), "c": rng.integers(0, 4, 24).tolist()}
    kinds = {"n": Kind(type="numeric"), "c": Kind()}
    secrets = {"s": text_column(["xyz"[row % 3] for row in range(24)])}

    def groups(names: Sequence[str]) -> list[list[int]]:
        columns = {name: text_column([str(cell) for cell in cells.get(name, [7] * 24)]) for name in names}
        domains = {name: build(name, column, kinds.get(name[0], Kind())) for name, column in columns.items()}
        known = {name: domain for name, domain in domains.items() if isinstance(domain, Domain)}
        problem = encode(known, secrets, measure(), models_of(3, None), kept=kept)
        return naive.groups_of(Sequential().partition(problem, Terms(0)).group_of.tolist())

    expected = groups(["n", "c"])
    for name, place in itertools.product(("n of one value", "c of one value"), range(3)):
        assert groups([*list(cells)[:place], name, *list(cells)[place:]]) == expected
