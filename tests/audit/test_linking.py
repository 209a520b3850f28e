"""Who could be whose: the paper's own example, and attacks against brute force, with the maker's word and without."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_cli.audit import linking
from kanon_cli.audit.gather import gather
from kanon_cli.audit.inspection import Original, Subject, inspect
from kanon_cli.audit.judge import achieved, attacks, judge
from kanon_cli.audit.linking import find_links
from kanon_cli.measures.lm import Lm
from kanon_cli.models.base import linkage
from kanon_cli.models.evidence import Evidence, Secret
from kanon_cli.models.global_1k import Global1k
from kanon_cli.models.kk import Kk
from kanon_cli.models.l_frequency import LFrequency
from kanon_cli.models.links import Links
from kanon_cli.models.seen import among
from kanon_cli.tables.columns import TextColumn
from kanon_cli.tables.kinds import Kind
from tests import naive
from tests.audit.tables import column, rows, table
from tests.naive import notions
from tests.strategies import Task, kinds_of, tasks

SETS = {"a": Kind(as_set=True), "b": Kind(as_set=True)}
PAPER = [("1", "3"), ("1", "4"), ("2", "4")]  # Gionis, Mazza and Tassa 2008, proposition 4.5
RELEASES = {
    "k": [("{1|2}", "{3|4}")] * 3,
    "(1,k)": [("1", "3"), ("{1|2}", "{3|4}"), ("{1|2}", "4")],
    "(k,1)": [("1", "{3|4}"), ("{1|2}", "4"), ("{1|2}", "4")],
    "(k,k)": [("1", "{3|4}"), ("{1|2}", "{3|4}"), ("{1|2}", "4")],
}


def _links(released: Mapping[str, TextColumn], original: Mapping[str, TextColumn], kinds: Mapping[str, Kind]) -> Links:
    found = find_links(released, original, kinds, "interval")
    assert found is not None
    return found


def _figures(links: Links) -> dict[str, int]:
    return linkage(Evidence(links.box_of, {}, links=links))


@pytest.mark.parametrize("notion", RELEASES)
def test_the_four_generalizations_of_the_paper_are_what_it_says(notion: str) -> None:
    released = rows("ab", RELEASES[notion])
    figures = _figures(_links(released, rows("ab", PAPER), SETS))
    kept = {name: figures[figure] >= 2 for name, figure in (("(1,k)", "1k"), ("(k,1)", "k1"), ("(k,k)", "kk"))}
    assert kept == {name: notion in {"k", "(k,k)", name} for name in kept}
    assert (achieved(gather(released, "ab", []))["k"] == 3) == (notion == "k")


def test_few_rows_that_cover_everything_make_a_weak_notion_look_strong() -> None:
    """The paper's example: all rows but k are released as they are."""
    originals = [str(row) for row in range(9)]
    found = _figures(_links(table({"a": [*originals[:6], "*", "*", "*"]}), table({"a": originals}), {"a": Kind()}))
    assert found == {"k1": 1, "1k": 3, "kk": 1, "global_1k": 1}


def _told(task: Task, draw: st.DataObject) -> list[list[str]]:
    """A true release in which each cell is one of those that can stand for its original."""
    return [
        [draw.draw(st.sampled_from(naive.cells_for(task.table, at, value))) for at, value in enumerate(row)]
        for row in task.table.rows
    ]


def _tables(task: Task, released: Sequence[Sequence[str]]) -> tuple[dict[str, TextColumn], dict[str, TextColumn]]:
    names = [f"q{at}" for at in range(len(task.table.columns))]
    after = [[cell or None for cell in cells] for cells in released]
    original = {name: column(task.table.values(at)) for at, name in enumerate(names)}
    return rows(names, after), original


@given(task=tasks(max_rows=9), draw=st.data(), cells=st.sampled_from([0, linking.MOST_CELLS]))
@settings(max_examples=60, deadline=None)
def test_neighbours_and_matches_are_those_of_brute_force(task: Task, draw: st.DataObject, cells: int) -> None:
    released = _told(task, draw)
    count = len(released)
    order = np.array(draw.draw(st.permutations(range(count))), dtype=np.int64)
    shuffled = [released[row] for row in order]
    after, original = _tables(task, shuffled)
    expected = notions.figures(notions.neighbours(task.table, shuffled))
    with patch.object(linking, "MOST_CELLS", cells), patch.object(linking, "BLOCKS", 3):
        told = find_links(after, original, kinds_of(task.table), "interval", order)
        guessed = find_links(after, original, kinds_of(task.table), "interval")
    assert told is not None
    assert guessed is not None
    assert _figures(told) == _figures(guessed) == expected


@given(task=tasks(max_rows=8), draw=st.data())
@settings(max_examples=40, deadline=None)
def test_promises_about_values_are_judged_where_the_notion_says(task: Task, draw: st.DataObject) -> None:
    released = _told(task, draw)
    after, original = _tables(task, released)
    after["s"] = original["s"] = column(task.table.secrets)
    subject = Subject(after, kinds_of(task.table), ["s"])
    witness = np.arange(len(released))
    graph = notions.neighbours(task.table, released)
    secrets = [secret or "" for secret in task.table.secrets]
    promise = LFrequency(l=float(task.diversity or 1), columns=("s",))
    for notion, seen in ((Kk(k=task.k), graph), (Global1k(k=task.k), notions.matches(graph))):
        models = (notion, promise)
        found = inspect(subject, models, Lm(), Original(original, ["s"], witness))
        verdicts = {verdict.model: verdict.holds for verdict in judge(found.evidence, models)}
        assert verdicts["l_frequency"] == notions.is_diverse(seen, secrets, promise.exact)
        assert verdicts[notion.figures[-1]] == (notions.figures(graph)[notion.figures[-1]] >= task.k)


def test_an_attack_says_what_the_worst_person_is_left_with() -> None:
    links = _links(rows("ab", RELEASES["(k,1)"]), rows("ab", PAPER), SETS)
    found = attacks(Evidence(links.box_of, {}, links=links))
    assert found == {
        "neighbours": {"least": 1, "rows": 1, "risk_max": 1.0, "risk_mean": pytest.approx((1 + 1 / 3 + 1 / 2) / 3)},
        "matches": {"least": 1, "rows": 1, "risk_max": 1.0, "risk_mean": pytest.approx((1 + 1 / 2 + 1 / 2) / 3)},
    }


def test_people_who_were_left_out_may_be_exchanged_with_those_who_were_not() -> None:
    """Of three people one is not in the release: each of the two rows may be two people's."""
    links = _links(table({"a": ["[1-2]", "[2-3]"]}), table({"a": ["1", "2", "3"]}), {"a": Kind("numeric")})
    assert links.matches.sum() == 4
    assert _figures(links) == {"k1": 2, "1k": 1, "kk": 1, "global_1k": 1}


def test_a_release_that_no_assignment_fits_has_no_matches() -> None:
    links = _links(table({"a": ["1", "1"]}), table({"a": ["1", "2"]}), {"a": Kind("numeric")})
    assert links.matches.nnz == 0


def test_what_cells_do_not_tell_is_not_guessed() -> None:
    original = table({"a": ["1", "2"]})
    assert find_links(table({"a": ["1.5", "1.5"]}), original, {"a": Kind("numeric")}, "midpoint") is None
    assert find_links(table({"a": ["?", "1"]}), original, {"a": Kind("numeric")}, "interval") is None
    assert find_links(table({"a": ["*", "*"]}), original, {"a": Kind("numeric")}, "interval", most=1) is None
    assert attacks(Evidence(np.zeros(2, dtype=np.int64))) is None
    with patch.object(linking, "MOST_FLOW", 1):
        assert find_links(table({"a": ["2", "1"]}), original, {"a": Kind("numeric")}, "interval") is None


def test_without_the_original_a_class_tells_what_is_kept_at_least() -> None:
    evidence = gather(table({"a": ["x", "x", "y", "y", "y"]}), ["a"], [])
    assert set(linkage(evidence).values()) == {2}


@given(task=tasks(max_rows=8), draw=st.data())
@settings(max_examples=40, deadline=None)
def test_people_are_counted_and_rows_that_are_left_out_hide_nobody(task: Task, draw: st.DataObject) -> None:
    told = _told(task, draw)
    kept = draw.draw(st.lists(st.sampled_from(range(len(told))), min_size=1, unique=True))
    whose = draw.draw(st.lists(st.integers(0, 3), min_size=len(kept), max_size=len(kept)))
    released = [told[row] for row in kept]
    after, original = _tables(task, released)
    units = np.array(whose, dtype=np.int64)
    found = find_links(after, original, kinds_of(task.table), "interval", np.array(kept), unit_of=units)
    assert found is not None
    graph = notions.neighbours(task.table, released)
    people = [len({whose[at] for at in crowd}) for crowd in graph]
    covered = [len({whose[at] for at, row in enumerate(kept) if box in graph[row]}) for box in range(len(kept))]
    matches = [len({whose[at] for at in crowd}) for crowd in notions.matches([graph[row] for row in kept])]
    one_k = min(filter(None, people))
    assert _figures(found) == {"k1": min(covered), "1k": one_k, "kk": min(*covered, one_k), "global_1k": min(matches)}
    seen = among(Evidence(found.box_of, {"s": Secret(np.arange(len(kept)) % 2, 2)}, units, links=found), "neighbours")
    group, code, count = seen.counts("s")
    crowds = {tuple(sorted((at % 2, whose[at]) for at in crowd)): crowd for crowd in graph if crowd}
    told_by = {tuple(sorted({(at % 2, whose[at]) for at in crowd})) for crowd in crowds.values()}
    counted = {tuple(count[(group == one) & (code == value)].sum() for value in (0, 1)) for one in set(group.tolist())}
    assert counted == {tuple(sum(code == value for code, _ in pairs) for value in (0, 1)) for pairs in told_by}
