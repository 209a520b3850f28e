"""Small tables whose figures are known from elsewhere and were worked out again by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import get_args

import numpy as np
import pandas as pd
import pytest

from kanon_cli import auditing
from kanon_cli.audit.gather import gather
from kanon_cli.audit.judge import achieved
from kanon_cli.audit.risks import people_behind, risks
from kanon_cli.audit.silence import Silent, Wildcard, views
from kanon_cli.events import Silence
from kanon_cli.measures.base import Release
from kanon_cli.measures.class_size import ClassSize
from kanon_cli.measures.dm import Dm
from kanon_cli.models.evidence import Evidence
from kanon_cli.models.l_frequency import kinds
from tests.audit.adult import adult, needs_adult
from tests.audit.tables import rows, table

Cell = str | None


def evidence_of(records: Sequence[Sequence[Cell]], secret: bool = False) -> Evidence:
    """The classes of records, all columns being quasi-identifiers; or all but the last, which is sensitive."""
    names = [f"q{place}" for place in range(len(records[0]))]
    return gather(rows(names, records), names[:-1] if secret else names, names[-1:] if secret else [])


def as_wildcards(records: Sequence[Sequence[Cell]], silent: Silent) -> tuple[list[int], float]:
    """How many rows each row matches, and the mean risk."""
    names = [f"q{place}" for place in range(len(records[0]))]
    released = rows(names, records)
    evidence = gather(released, names, [])
    seen = views(released, names, evidence, silent).wildcard
    assert isinstance(seen, Wildcard)
    return seen.matches[evidence.class_of].tolist(), seen.mean_risk


def class_sizes(records: Sequence[Sequence[Cell]]) -> list[int]:
    """The size of the class of each row."""
    evidence = evidence_of(records)
    return [int(size) for size in evidence.sizes[evidence.class_of]]


def dm(evidence: Evidence, suppressed: int = 0) -> float:
    """The discernability of a table."""
    measure = Dm()
    return measure.loss(measure.tally(Release({}, evidence.sizes, suppressed, 1)))


def aecs(evidence: Evidence, suppressed: int) -> float:
    """The average size of a class, all suppressed rows being one."""
    measure = ClassSize()
    return measure.details(measure.tally(Release({}, evidence.sizes, suppressed, 5)))["aecs"]


# T1: seven people.

SEVEN = ["34 m 81667", "45 f 81675", "66 m 81925", "70 f 81931", "34 f 81931", "70 m 81931", "45 m 81931"]


def test_seven_people_before_and_after() -> None:
    """Before, each is alone; after, classes of 2, 2 and 3."""
    before = risks(evidence_of([person.split() for person in SEVEN]))
    assert (before["prosecutor_max"], before["prosecutor_mean"]) == (1.0, 1.0)
    people = [person.split() for person in SEVEN]
    halves = [("<50" if int(age) < 50 else ">=50", "*", f"{code[:3]}**") for age, _, code in people]
    after = evidence_of(halves)
    assert sorted(after.sizes.tolist()) == [2, 2, 3]
    assert risks(after)["prosecutor_max"] == 0.5
    assert risks(after)["prosecutor_mean"] == pytest.approx(0.428571, abs=1e-6)


# T2: suppressed cells as wildcards.


@pytest.mark.parametrize(
    ("records", "matches", "mean"),
    [
        (
            [("M", "4711")] * 3 + [("*", "4711")] * 2 + [("F", "4712"), ("F", "*"), ("M", "*")],
            [6, 6, 6, 7, 7, 2, 4, 6],
            0.212798,
        ),
        (
            [tuple(row) for row in ("*FN", "AFN", "A*N", "**N", "**N", "**N", "AF*", "A*S", "AFS", "AFS")],
            [7, 7, 7, 7, 7, 7, 10, 4, 4, 4],
            0.170714,
        ),
        (
            [("73", "C18.7")] * 2
            + [("*", "C18.7")] * 2
            + [("*", "C18.2")]
            + [("67", "C18.2")] * 2
            + [("67", "C18.7")] * 3,
            [4, 4, 7, 7, 3, 3, 3, 5, 5, 5],
            0.238571,
        ),
    ],
)
def test_suppressed_cells_as_wildcards(records: list[tuple[str, ...]], matches: list[int], mean: float) -> None:
    """As values of their own they give k = 1: the two views must not be mistaken for each other."""
    found, found_mean = as_wildcards(records, "suppressed")
    assert found == matches
    assert found_mean == pytest.approx(mean, abs=1e-6)
    assert achieved(evidence_of(records)) == {"k": 1}


# T3: frequencies with missing values.

EIGHT = ["231", "333", "231", "232", "331", "331", "141", "231"]


@pytest.mark.parametrize(
    ("missing", "wildcard", "own"),
    [
        ([], [3, 1, 3, 1, 2, 2, 1, 3], [3, 1, 3, 1, 2, 2, 1, 3]),
        ([(2, 2), (6, 2)], [3, 1, 4, 2, 2, 2, 1, 3], [2, 1, 1, 1, 2, 2, 1, 2]),
        (
            [(2, 0), (2, 1), *((row, 2) for row in range(8))],
            [4, 4, 8, 4, 4, 4, 2, 4],
            [3, 3, 1, 3, 3, 3, 1, 3],
        ),
    ],
)
def test_frequencies_with_missing_values(missing: list[tuple[int, int]], wildcard: list[int], own: list[int]) -> None:
    records: list[list[Cell]] = [list(record) for record in EIGHT]
    for row, place in missing:
        records[row][place] = None
    assert as_wildcards(records, "missing")[0] == wildcard
    assert class_sizes(records) == own


def test_frequencies_of_one_column_with_missing_values() -> None:
    records = [(cell,) for cell in ("2", "3", None, "2", "1", None, "1", "2")]
    assert as_wildcards(records, "missing")[0] == [5, 3, 8, 5, 4, 8, 4, 5]
    assert class_sizes(records) == [3, 1, 2, 3, 2, 2, 2, 3]


# T4: l-diversity with a missing quasi-identifier.


def test_classes_with_a_missing_cell_have_their_own_diversity() -> None:
    classes: list[tuple[Cell, ...]] = [("f", None, "other"), ("m", "teacher", "other"), ("f", "nurse", "majority")]
    records = [(*classes[0], s) for s in "102"] + [(*classes[1], s) for s in "10"] + [(*classes[2], s) for s in "01"]
    evidence = evidence_of(records, secret=True)
    assert kinds(evidence, "s").tolist() == [3, 2, 2]
    assert evidence.sizes.tolist() == [3, 2, 2]
    figures = achieved(evidence)
    assert [figures[name] for name in ("k", "l_frequency", "l_distinct", "l_entropy")] == [2, 2.0, 2, 2.0]


# T5: distinction and separation: classes a row, and pairs of rows that differ.


@pytest.mark.parametrize(
    ("columns", "distinction", "separation"),
    [("s", 0.4, 0.6), ("t", 0.6, 0.7), ("a", 0.6, 0.8), ("st", 0.8, 0.9), ("as", 1, 1), ("at", 1, 1), ("ast", 1, 1)],
)
def test_distinction_and_separation(columns: str, distinction: float, separation: float) -> None:
    people = ["20 F CA", "30 F CA", "40 F TX", "20 M NY", "40 M CA"]
    places = ["ast".index(column) for column in columns]
    evidence = evidence_of([[person.split()[place] for place in places] for person in people])
    assert risks(evidence)["prosecutor_mean"] == pytest.approx(distinction)
    assert (5 * 5 - dm(evidence)) / (5 * 4) == pytest.approx(separation)


# T7: three classes of four, each with its sensitive values split 1, 1, 2.


def test_inpatients_are_4_anonymous_and_3_diverse() -> None:
    records = [
        (place, value) for place in ("130**", "1485*", "131**") for value in ("a", "b", "c", "cab"[len(place) % 3])
    ]
    figures = achieved(evidence_of(records, secret=True))
    assert (figures["k"], figures["l_frequency"], figures["l_distinct"]) == (4, 2.0, 3)
    assert figures["l_entropy"] == pytest.approx(2.8284, abs=1e-4)


def test_how_likely_people_are_in_a_table_drawn_from_a_population() -> None:
    """Nine people, five of whom are in the table: delta-presence is the share of those whom a class could be."""
    people = table({"zip": ["47906", "47907", "47905", "47630", "47302", "47304", "48201", "48202", "48306"]})
    released = table({"zip": ["47***"] * 3 + ["48***"] * 2})
    evidence = gather(released, ["zip"], [])
    population = people_behind(released, people, {"zip": None}, "interval", evidence)
    assert (evidence.sizes / population.matches).tolist() == [3 / 6, 2 / 3]


# T8 and T9: Adult, the first 30,162 rows.

EIGHT_COLUMNS = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "income")


def classes_of(level_of: Mapping[str, int]) -> Evidence:
    """The classes of Adult, each column taken up by so many levels of its taxonomy."""
    return gather(adult(level_of), list(level_of), [])


@needs_adult
def test_adult_as_it_is() -> None:
    evidence = classes_of(dict.fromkeys([*EIGHT_COLUMNS, "occupation"], 0))
    found = risks(evidence)
    assert len(evidence.sizes) == 19_502
    assert found["prosecutor_mean"] == pytest.approx(0.6465751607983555, abs=1e-15)
    assert int((evidence.sizes == 1).sum()) == 15_512
    assert risks(evidence, threshold=0.5)["prosecutor_at_risk"] == pytest.approx(0.5142895033485844, abs=1e-15)


@needs_adult
@pytest.mark.parametrize(
    ("levels", "classes", "suppressed", "discernability", "average"),
    [
        ([0, 0, 0, 0, 0, 0, 0, 0], 1_035, 15_353, 463_536_157, 29.113899613899616),
        ([0, 3, 1, 0, 0, 1, 1, 0], 564, 2_020, 70_734_614, 53.38407079646018),
        ([0, 0, 1, 0, 3, 2, 0, 0], 1_041, 3_573, 110_335_369, 30_162 / 1_042),
        ([1, 4, 1, 2, 3, 2, 2, 1], 1, 0, 30_162**2, 30_162),
    ],
)
def test_adult_in_levels_with_small_classes_left_out(
    levels: list[int], classes: int, suppressed: int, discernability: int, average: float
) -> None:
    """k = 5: what is left, and how little the classes tell apart where a suppressed row counts as all."""
    whole = classes_of(dict(zip(EIGHT_COLUMNS, levels, strict=True)))
    kept = whole.sizes[whole.sizes >= 5]
    assert (len(kept), int(whole.sizes.sum() - kept.sum())) == (classes, suppressed)
    evidence = Evidence(np.repeat(np.arange(len(kept)), kept))
    assert dm(evidence, suppressed) == discernability
    assert aecs(evidence, suppressed) == pytest.approx(average, abs=1e-12)


@needs_adult
def test_adult_as_it_is_loses_the_small_classes_that_say_nothing(tmp_path: Path) -> None:
    table = adult(dict.fromkeys(EIGHT_COLUMNS, 0))
    evidence = gather(table, EIGHT_COLUMNS, [])
    cells = pd.DataFrame({name: column.text.take(column.code_of) for name, column in table.items()})
    cells.to_csv(tmp_path / "original.csv", index=False)
    cells[evidence.sizes[evidence.class_of] < 5] = "*"
    cells.to_csv(tmp_path / "t.csv", index=False)
    question = auditing.Question(
        tmp_path / "t.csv", quasi_identifiers=EIGHT_COLUMNS, original=tmp_path / "original.csv"
    )
    assert auditing.audit(question, Silence()).block["utility"]["lm"] == pytest.approx(0.5090179696, abs=1e-10)


# T10: published releases, as counts of sensitive values by class.

HOSPITAL = ["vh", "ct", "nth", "chv", "ccc"]
DRUGS = [
    *("YYYYYAAAAAA", "YYYYYYYYYYYYYAAAB", "YYYCCCCC", "YYYYYXXXXX", "YYYXXXXXXXXX", "YYYXXXXXX", "YYYYBB", "YYYYCC"),
    *("YYYXXX", "YYYYAAAAAA", "YYYYYYAAAAAAAAB", "YYYYYCCCCCCC", "YYYYYYXXXXXXXX", "YYYYYYYYXXXXX", "YXXXXX"),
    *("YYBBBBBB", "YYYBBB", "YYYCC", "YYYXX", "YYYXXX"),
]
# Scores of pupils, class by class. Others have these tables with k = 2, 5 and 7, which are the classes of that size.
PUPILS = """
34 82 60 57 56 | 76 42 75 30 30 72 55 | 66 67 | 36 51 65 77 | 44 67 32 68 | 68 43 39 72 | 48 54 67 47 | 73 40 39
58 76 | 72 68 | 65 84 | 82 69 92 | 62 80 77 67 95 87 60 | 85 76 65 | 49 73 60 | 69 45 91 79 57 59 | 87 63 83 83
72 | 82 93 65 82 70 53 | 61 58 | 52 88 76 53 58 68 64 83 | 77 89 93 73 89 | 62 61 79 66 52 87 | 70 59 63 68 45 |
71 59 53 72 94 | 62 39 74 52 | 59 68 69 | 56 72 30 73 37 52 71 | 78 64 36 38 51 | 34 33 48 | 58 64 65 50 40 | 32
69 74 80 50 34 54 59 33 | 68 91 | 85 91 48 86 71 | 89 79 53 83 61 51 60 95 | 47 50 66 74 84 | 72 65 80 46 48 |
60 51 87 48 87 95 64 84 53 52 53 | 55 52 | 62 71 79 82 | 65 53 | 85 85 93 56 | 89 91 58 64 68 | 78 83 84 83 | 61
46 85 48 89 56 | 51 90 47 79 45 75 79 | 57 67 57 81 91 57
"""
SCORES_2 = [values.split() for values in PUPILS.split("|")]
SCORES_5, SCORES_7 = ([values for values in SCORES_2 if len(values) >= k] for k in (5, 7))
SCORES = [*SCORES_2, ["57"]]


@pytest.mark.parametrize(
    ("classes", "rows_", "k", "l_distinct", "l_entropy", "alpha", "discernability"),
    [
        (HOSPITAL, 13, 2, 1, 1.0, 1.0, 35),
        (DRUGS, 185, 5, 2, 1.569193, 0.833333, 1963),
        (SCORES, 216, 1, 1, 1.0, 1.0, 1208),
        (SCORES_2, 215, 2, 2, 2.0, 0.5, 1207),
        (SCORES_5, 154, 5, 4, 3.464102, 0.5, 1006),
        (SCORES_7, 64, 7, 6, 5.742347, 0.285714, 526),
    ],
    ids=["hospital", "drugs", "scores", "scores of k = 2", "scores of k = 5", "scores of k = 7"],
)
def test_published_releases(
    classes: Sequence[Sequence[str]],
    rows_: int,
    k: int,
    l_distinct: int,
    l_entropy: float,
    alpha: float,
    discernability: int,
) -> None:
    """alpha is the largest share of a value, which is 1/l by frequency. Larger ones are in test_published_tables.py."""
    evidence = evidence_of([(str(at), value) for at, values in enumerate(classes) for value in values], secret=True)
    figures = achieved(evidence)
    assert (evidence.rows, len(evidence.sizes)) == (rows_, len(classes))
    assert (figures["k"], figures["l_distinct"]) == (k, l_distinct)
    assert figures["l_entropy"] == pytest.approx(l_entropy, abs=1e-6)
    l_frequency = figures["l_frequency"]
    assert isinstance(l_frequency, float)
    assert 1 / l_frequency == pytest.approx(alpha, abs=1e-6)
    assert dm(evidence) == discernability


def test_every_view_of_a_table_without_silent_cells_is_the_same() -> None:
    """Where nothing is missing or suppressed there is nothing to see in another way."""
    released = table({"q": ["a", "a", "b", "b", "b"]})
    evidence = gather(released, ["q"], [])
    for silent in get_args(Silent):
        seen = views(released, ["q"], evidence, silent)
        assert seen.rows == 0
        assert seen.wildcard is not None
        assert seen.wildcard.k == 2
        assert seen.left_out is not None
        assert achieved(seen.left_out) == achieved(evidence)
