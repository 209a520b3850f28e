"""Comparisons: what is kept is not run again, and what is shown is what was found."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from kanon_cli import comparing
from kanon_cli.comparing import Comparison, Entry, Result, compare, rows
from kanon_cli.events import Silence
from kanon_cli.report.comparison import pictures, tell_comparison
from kanon_cli.report.facts import Facts
from kanon_cli.spec.parse import parse
from tests.report.reports import report

SPEC = """\
input: in.csv
quasi_identifiers: {a: numeric}
privacy: {k: 2}
algorithm: {name: sequential, alpha: 0.25}
"""


@pytest.fixture
def plan(tmp_path: Path) -> Comparison:
    (tmp_path / "in.csv").write_text("a\n1\n2\n", encoding="utf-8")
    (tmp_path / "spec.yaml").write_text(SPEC, encoding="utf-8")
    entries = tuple(Entry("mondrian", k, "lm") for k in (2, 3, 4))
    return Comparison(parse(tmp_path / "spec.yaml", need_output=False), (), entries, tmp_path / "out")


def run_with(monkeypatch: pytest.MonkeyPatch, ends: Any) -> list[Entry]:
    """Let runs end as `ends` says, and note which were started."""
    started: list[Entry] = []

    def start(_: Comparison, entry: Entry) -> Any:
        started.append(entry)
        process = SimpleNamespace(poll=lambda: 0, terminate=lambda: None, wait=lambda: 0)
        return SimpleNamespace(entry=entry, process=process, result=lambda: ends(entry))

    monkeypatch.setattr(comparing._Run, "start", start)
    return started


def good(entry: Entry) -> Result:
    return Result(entry, Facts(report()))


def test_a_part_that_the_spec_names_keeps_its_options(plan: Comparison) -> None:
    assert Entry("sequential", 5, "lm").changes(plan.spec) == ["privacy.k=5"]
    assert Entry("lns", 5, "il").changes(plan.spec) == ["privacy.k=5", "algorithm=lns", "measure=il"]


def test_an_interrupted_comparison_goes_on_where_it_was(plan: Comparison, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(entry: Entry) -> Result:
        if entry.k == 3:
            raise KeyboardInterrupt
        return good(entry)

    run_with(monkeypatch, interrupt)
    with pytest.raises(KeyboardInterrupt):
        compare(plan, 1, Silence())
    started = run_with(monkeypatch, good)
    found = compare(plan, 2, Silence())
    assert [entry.k for entry in started] == [3, 4]
    assert [result.entry for result in found] == list(plan.entries)
    assert [result.loss for result in found] == [0.25] * 3


@pytest.mark.parametrize("what", ["in.csv", "spec.yaml"])
def test_another_table_or_spec_needs_other_results(plan: Comparison, what: str) -> None:
    before = plan.file_of(plan.entries[0])
    path = plan.spec.source.parent / what
    path.write_text(path.read_text(encoding="utf-8") + "\n# 3\n", encoding="utf-8")
    again = Comparison(parse(plan.spec.source, need_output=False), (), plan.entries, plan.folder)
    assert again.file_of(plan.entries[0]) != before


@pytest.mark.parametrize("text", ["", "{", "[]", '{"report": 1}'])
def test_a_result_that_cannot_be_read_is_made_again(
    plan: Comparison, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    run_with(monkeypatch, good)
    compare(plan, 1, Silence())
    plan.file_of(plan.entries[1]).write_text(text, encoding="utf-8")
    started = run_with(monkeypatch, good)
    compare(plan, 1, Silence())
    assert [entry.k for entry in started] == [3]


def test_the_best_of_each_k_is_marked_and_failures_are_told(plan: Comparison) -> None:
    results = [good(plan.entries[0]), Result(plan.entries[1], Facts({}), "no release can", 4)]
    other = {**report(), "utility": {"lm": 0.5, "bound": {"lm": 0.1}}}
    results.append(Result(Entry("lns", 2, "lm"), Facts(other)))
    found = rows(results)
    assert {tuple(row) for row in found} == {tuple(found[0])}
    story = tell_comparison("t", found, "1")
    (table,) = (table for table in story.sections[0].tables)
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["mondrian", "0.25", "-"],
        ["lns", "0.5", "-"],
        ["at best", "0.2", "-"],
    ]
    assert [row[1].tone for row in table.rows] == ["good", "plain", "dim"]
    assert story.sections[-1].tables[0].rows[0][1].text == "no release can"


def test_everything_goes_into_the_folder(plan: Comparison, monkeypatch: pytest.MonkeyPatch) -> None:
    run_with(monkeypatch, good)
    found = rows(compare(plan, 1, Silence()))
    story = tell_comparison("t", found, "1")
    comparing.write(plan.folder, found, story)
    files = {path.name for path in plan.folder.iterdir()}
    assert files == {"runs", "results.csv", "results.json", "index.html", "loss-by-k-lm.svg", "loss-by-time-lm.svg"}
    assert json.loads((plan.folder / "results.json").read_text(encoding="utf-8")) == found
    floor = pictures(story)["loss-by-k-lm.svg"].floor
    assert floor is not None
    assert floor.points == ((2.0, 0.2), (3.0, 0.2), (4.0, 0.2))
