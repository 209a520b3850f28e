"""Record-wise notions with people, rows left out and every promise, judged from the file by brute force."""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import yaml

from kanon_cli import pipeline
from kanon_cli.algorithms.base import IMPLIED, Algorithm
from kanon_cli.auditing import Question, audit
from kanon_cli.errors import PromiseError
from kanon_cli.events import Silence
from kanon_cli.spec.parse import parse
from tests import naive
from tests.contracts.parts import RECODERS
from tests.contracts.random_specs import promise as drawn_promise
from tests.naive import models, notions

SEEDS = range(5)  # of each algorithm and option
CHOICES = [["0", "1", "2", "5", "7", ""], ["0", "1", "2", "3"], ["4"], [""], [str(at * at) for at in range(20)]]


@dataclass(frozen=True)
class _Case:
    """A table of numbers with names that say which row is which, and what is promised of it."""

    columns: dict[str, list[str]]
    promise: dict[str, Any]
    privacy: dict[str, Any]
    has_bounds: bool

    @property
    def rows(self) -> int:
        return len(self.columns["id"])

    @property
    def questions(self) -> list[str]:
        return [name for name in self.columns if name.startswith("q")]

    def people(self, rows: Iterable[int]) -> set[str]:
        return {self.columns["person" if "unit" in self.privacy else "id"][row] for row in rows}

    def is_diverse(self, members: Iterable[int], table: list[int]) -> bool:
        """Whether some rows keep what is promised of values, where these rows are the table."""
        values = [self.columns["s"][row] or None for row in table]
        units = [self.columns["person"][row] for row in table] if "unit" in self.privacy else None
        return models.keeps(self.promise, values, [table.index(row) for row in members], None, units)

    def covers(self, record: dict[str, str], row: int) -> bool:
        """Whether a released row could be an original one."""
        return all(self._covers(record, name, self.columns[name][row]) for name in self.questions)

    def _covers(self, record: dict[str, str], name: str, value: str) -> bool:
        if not self.has_bounds:
            return naive.covers(naive.Numbers(), record[name], value or None)
        low, high = record[f"{name}_min"], record[f"{name}_max"]
        return low == "" or (value != "" and float(low) <= float(value) <= float(high))


def _case(rng: random.Random, algorithm: Algorithm) -> _Case:
    rows = rng.randint(2, 12)
    columns = {f"q{at}": [rng.choice(rng.choice(CHOICES)) for _ in range(rows)] for at in range(rng.randint(1, 3))}
    if rng.random() < 0.5:
        columns["q0"][0] = "9999"
    columns["s"] = [rng.choice(["x", "y", "z", ""] if rng.random() < 0.3 else ["x", "y", "z"]) for _ in range(rows)]
    columns["person"] = [f"p{rng.randint(0, max(rows * 2 // 3, 1))}" for _ in range(rows)]
    columns["id"] = [f"i{row}" for row in range(rows)]
    promise = drawn_promise(rng) if rng.random() < 0.9 else {}
    notion = rng.choice([weaker for weaker in IMPLIED[algorithm.keeps] if weaker != "k"])
    unit = {"unit": "person"} if rng.random() < 0.5 else {}
    share = rng.choice([0.0, 0.2, 1.0])
    privacy = {"k": rng.randint(2, min(4, rows)), "notion": notion, "accept_weak": True, "suppression": share}
    return _Case(columns, promise, {**privacy, **promise, **unit}, rng.random() < 0.5)


def _run(case: _Case, algorithm: Algorithm, folder: Path) -> list[dict[str, str]]:
    """Release a case; give the records of the file."""
    with (folder / "table.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(case.columns)
        writer.writerows(zip(*case.columns.values(), strict=True))
    spec = {
        "input": "table.csv",
        "output": {"path": "release.csv", "numeric": "bounds" if case.has_bounds else "interval"},
        "quasi_identifiers": dict.fromkeys(case.questions, "numeric"),
        "sensitive": "s",
        "keep": ["id"],
        "unlisted": "drop",
        "privacy": case.privacy,
        "algorithm": {"name": algorithm.name, **algorithm.model_dump()},
        "effort": 10,
    }
    (folder / "spec.yaml").write_text(yaml.safe_dump(spec))
    pipeline.run(parse(folder / "spec.yaml"), Silence(), force=True)
    with (folder / "release.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def _judge(case: _Case, records: list[dict[str, str]]) -> None:
    """Hold the records against all that was promised, by the definitions."""
    k, notion = case.privacy["k"], case.privacy["notion"]
    kept = [case.columns["id"].index(record["id"]) for record in records]
    assert case.rows - len(kept) <= Fraction(repr(case.privacy["suppression"])) * case.rows
    assert all(case.covers(record, row) for record, row in zip(records, kept, strict=True))
    graph = {row: [at for at, record in enumerate(records) if case.covers(record, row)] for row in range(case.rows)}
    seen = {row: [kept[at] for at in found] for row, found in graph.items() if found}
    if notion != "(1,k)":
        assert all(len(case.people(row for row in kept if case.covers(record, row))) >= k for record in records)
    if notion != "(k,1)":
        assert all(len(case.people(found)) >= k for found in seen.values()), "also rows that are left out"
    if notion == "global-(1,k)":
        matches = notions.matches([graph[row] for row in kept])
        seen = {row: [kept[at] for at in found] for row, found in zip(kept, matches, strict=True)}
        assert all(len(case.people(found)) >= k for found in seen.values())
    assert all(case.is_diverse(found, kept) for found in seen.values())


@pytest.mark.parametrize("algorithm", RECODERS)
def test_a_release_keeps_its_notion_for_people_and_without_the_rows_that_are_left_out(
    algorithm: Algorithm, tmp_path: Path
) -> None:
    released = 0
    for seed in SEEDS:
        case = _case(random.Random(f"{algorithm}{seed}"), algorithm)  # noqa: S311  a table, no secret
        everybody = list(range(case.rows))
        try:
            records = _run(case, algorithm, tmp_path)
        except PromiseError as error:
            is_possible = len(case.people(everybody)) >= case.privacy["k"] and case.is_diverse(everybody, everybody)
            assert not is_possible, error
            continue
        _judge(case, records)
        released += 1
    assert released > 0


def _spec(folder: Path, rows: list[str], more: str) -> Path:
    (folder / "t.csv").write_text("\n".join(["q,ill", *rows]) + "\n")
    text = "input: t.csv\nquasi_identifiers: {q: numeric}\nsensitive: ill\n"
    (folder / "s.yaml").write_text(text + more)
    return folder / "s.yaml"


@pytest.mark.parametrize("notion", ["(k,k)", "global-(1,k)"])
def test_an_outlier_is_left_out_where_that_loses_less(notion: str, tmp_path: Path) -> None:
    rows = [f"{age},{'xyz'[age % 3]}" for age in range(30)] + ["9999,x"]
    loss, left_out = dict[int, float](), dict[int, int]()
    for most in (0, 1, 2, 31):
        privacy = f"privacy: {{k: 3, notion: '{notion}', suppression: {{rows: {most}}}}}\n"
        spec = parse(_spec(tmp_path, rows, f"output: o{most}.csv\n{privacy}"))
        report = pipeline.run(spec, Silence()).report
        found = json.loads(report.text())
        loss[most], left_out[most] = found["utility"]["lm"], found["suppressed_rows"]
        assert ("9999" in (tmp_path / f"o{most}.csv").read_text()) == (most == 0)
        question = Question(tmp_path / f"o{most}.csv", spec, original=tmp_path / "t.csv")
        assert audit(question, Silence()).holds, "also for who does not know which row was left out"
    assert left_out == {0: 0, 1: 1, 2: 1, 31: 1}, "no more than helps"
    assert loss[1] == loss[2] == loss[31] < loss[0]


def test_a_row_that_too_few_released_ones_could_be_is_not_left_out(tmp_path: Path) -> None:
    """Who was left out would find one or two released rows, and take them for their own."""
    rows = ["0,z", "3,z", "3,z", "3,y", "1,z", "1,z", "2,x"]
    privacy = "privacy: {k: 3, notion: 'global-(1,k)', suppression: {rows: 3}, delta: {strict: 1.2}}\nmeasure: mi\n"
    pipeline.run(parse(_spec(tmp_path, rows, f"output: o.csv\n{privacy}")), Silence())
    released = [line.split(",")[0] for line in (tmp_path / "o.csv").read_text().splitlines()[1:]]
    for row in rows:
        found = sum(naive.covers(naive.Numbers(), cell, row.split(",")[0]) for cell in released)
        assert found == 0 or found >= 3


def test_what_matches_keep_is_kept_by_neighbours_too_where_these_are_promised(tmp_path: Path) -> None:
    """`global-1k` lets boxes grow for matches that keep a promise: a weaker notion asks it of all neighbours."""
    (tmp_path / "tree.csv").write_text("a;N;P;R\nb;N;P;R\nc;P;R\nd;Q;R\ne;Q;R\nf;R\n")
    rows = ["f,40", "a,40", "f,10", "f,40", "b,2", "e,2", "a,10", "b,2", "e,40"]
    privacy = "privacy: {k: 2, notion: '(k,k)', diversity: {entropy: 2}}\n"
    path = _spec(tmp_path, rows, f"output: o.csv\n{privacy}algorithm: {{name: global-1k, start: nearest}}\n")
    path.write_text(path.read_text().replace("{q: numeric}", "{q: {taxonomy: tree.csv}}"))
    pipeline.run(parse(path), Silence())
    question = Question(tmp_path / "o.csv", spec=parse(path), original=tmp_path / "t.csv")
    assert audit(question, Silence()).holds


def test_a_missing_cell_of_bounds_could_be_anything(tmp_path: Path) -> None:
    """It is missing whether it was kept or suppressed; boxes that were taken for exact ones broke a promise."""
    rows = [",y", ",y", "1,y", "1,x", "5,z", "5,x", ",z"]
    privacy = "privacy: {k: 2, notion: '(k,k)', alpha: 0.55}\nmeasure: entropy\n"
    spec = parse(_spec(tmp_path, rows, f"output: {{path: o.csv, numeric: bounds}}\n{privacy}"))
    assert pipeline.run(spec, Silence()).report.privacy.verified


@pytest.mark.parametrize("notion", ["(k,k)", "global-(1,k)"])
def test_many_rows_of_one_person_hide_nobody(notion: str, tmp_path: Path) -> None:
    rows = [f"{person * 10 + visit},{'xy'[person % 2]},p{person}" for person in range(6) for visit in range(4)]
    (tmp_path / "t.csv").write_text("\n".join(["q,ill,person", *rows]) + "\n")
    text = "input: t.csv\nquasi_identifiers: {q: numeric}\nsensitive: ill\n"
    text += f"output: {{path: o.csv, order: input}}\nprivacy: {{k: 3, unit: person, l: 1.5, notion: '{notion}'}}\n"
    (tmp_path / "s.yaml").write_text(text)
    report = pipeline.run(parse(tmp_path / "s.yaml"), Silence()).report
    assert report.privacy.verified
    cells = [line.split(",")[0] for line in (tmp_path / "o.csv").read_text().splitlines()[1:]]
    for value in (row.split(",")[0] for row in rows):
        crowd = {at // 4 for at, cell in enumerate(cells) if naive.covers(naive.Numbers(), cell, value)}
        assert len(crowd) >= 3
    for cell in cells:
        covered = {at // 4 for at, row in enumerate(rows) if naive.covers(naive.Numbers(), cell, row.split(",")[0])}
        assert len(covered) >= 3


EDGES = {
    "all equal": ["7"] * 6,
    "all missing": [""] * 6,
    "all different": [str(4**at) for at in range(6)],
    "all missing but one": ["7", *[""] * 5],
    "two far apart": ["1", "2", "3", "4", "5", "1000000"],
}


@pytest.mark.parametrize("name", EDGES)
@pytest.mark.parametrize("algorithm", ["k1-nearest", "kk", "global-1k", "nonhomogeneous"])
def test_odd_tables_are_released(algorithm: str, name: str, tmp_path: Path) -> None:
    rows = [f"{value},{'xyz'[at % 3]}" for at, value in enumerate(EDGES[name])]
    notion = "(k,1)" if algorithm == "k1-nearest" else "(k,k)"
    terms = ((2, 1.0, 1.5, "lm"), (6, 0.0, 3, "entropy"), (3, 0.5, 1.7, "tree"), (2, 0.0, 2, "il"))
    for k, share, l, measure in terms:  # noqa: E741  the spec's own name
        privacy = f"{{k: {k}, notion: '{notion}', accept_weak: true, l: {l}, suppression: {share}}}"
        more = f"output: o.csv\nprivacy: {privacy}\nalgorithm: {algorithm}\nmeasure: {measure}\n"
        assert pipeline.run(parse(_spec(tmp_path, rows, more)), Silence(), force=True).report.privacy.verified


@pytest.mark.parametrize(
    ("rows", "asked", "said"),
    [
        (["1,x"], "k: 2", "1 row"),
        (["1,x", "2,y", "3,x"], "k: 4", "3 rows"),
        (["1,x", "2,y", "3,x"], "k: 2, l: 3", "not even all rows in one class keep l = 3"),
        (["1,x", "2,y", "3,x"], "k: 2, l: 3, suppression: 1.0", "as one class they keep l = 1.5"),
    ],
)
def test_what_no_release_can_keep_is_refused_with_what_could_be(
    rows: list[str], asked: str, said: str, tmp_path: Path
) -> None:
    for notion in ("(k,k)", "global-(1,k)"):
        spec = parse(_spec(tmp_path, rows, f"output: o.csv\nprivacy: {{{asked}, notion: '{notion}'}}\n"))
        with pytest.raises(PromiseError, match=said) as refused:
            pipeline.run(spec, Silence())
        assert refused.value.exit_code == 4
