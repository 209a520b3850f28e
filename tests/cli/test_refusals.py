"""Wrong specs and tables: each ends in its exit code with a clear message, no data value, and nothing left behind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from tests.cli.conftest import SPEC, Desk, people

SENTINEL = "Zanzibar"  # stands in every table that is refused, and must not be told


@dataclass(frozen=True)
class Refusal:
    """What is made wrong, and what has to be said of it."""

    name: str
    break_it: Callable[[Desk], object]
    exit_code: int
    says: str


def spec(old: str, new: str) -> Callable[[Desk], object]:
    """Change the spec in one place."""
    assert SPEC.count(old) == 1
    return lambda desk: desk.write("spec.yaml", SPEC.replace(old, new))


def line(old: str, new: str) -> Callable[[Desk], object]:
    """Change the table's text in one place."""

    def change(desk: Desk) -> None:
        path = desk.folder / "people.csv"
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new, 1))

    return change


def cell(column: str, value: str) -> Callable[[Desk], object]:
    """Change one value of the table."""

    def change(desk: Desk) -> None:
        rows = people()
        rows[7][column] = value
        desk.write_table(rows)

    return change


def bytes_of(content: bytes) -> Callable[[Desk], object]:
    """Make the table other bytes."""
    return lambda desk: (desk.folder / "people.csv").write_bytes(content)


def everyone(column: str, value: str) -> Callable[[Desk], object]:
    """Give every row one value."""
    return lambda desk: desk.write_table([{**row, column: value} for row in people()])


def taxonomy(text: str) -> Callable[[Desk], object]:
    """Generalize sex by a taxonomy file."""

    def change(desk: Desk) -> None:
        desk.write("sex.csv", text)
        desk.write("spec.yaml", SPEC.replace("sex: categorical", "sex: {taxonomy: sex.csv}"))

    return change


def both(*changes: Callable[[Desk], object]) -> Callable[[Desk], object]:
    """Make several changes."""
    return lambda desk: [change(desk) for change in changes]


REFUSALS = [
    # the spec
    Refusal("a key with a typo", spec("keep:", "kep:"), 2, "did you mean keep?"),
    Refusal("a nested key with a typo", spec("  l: 2", "  ll: 2"), 2, "spec.yaml:13:3: privacy.ll"),
    Refusal("text for a number", spec("k: 3", "k: three"), 2, "a whole number"),
    Refusal("k of 1", spec("k: 3", "k: 1"), 2, "at least 2"),
    Refusal("l below 1", spec("l: 2", "l: 0.5"), 2, "privacy.l"),
    Refusal("a type that is none", spec("age: numeric", "age: number"), 2, "did you mean numeric?"),
    Refusal("a duplicate key", spec("  l: 2", "  l: 2\n  k: 4"), 2, "spec.yaml:14:3"),
    Refusal("no quasi-identifiers", spec("  age: numeric\n  sex: categorical\n  zip: {taxonomy: {mask: 5}}\n"
            "  born: {type: date}\n", "  {}\n"), 2, "quasi_identifiers"),
    Refusal("a column in two roles", spec("keep: [visit]", "keep: [visit, age]"), 2, "age"),
    Refusal("l without a sensitive column", spec("sensitive: diagnosis\n", ""), 2, "sensitive"),
    Refusal("a part that comes later", spec("privacy:", "engine: {memory: 4GB}\nprivacy:"), 2, "not available yet"),
    Refusal("a later backend", spec("privacy:", "engine: {backend: spark}\nprivacy:"), 2, "not available yet"),
    Refusal("an algorithm that keeps too little", spec("privacy:", "algorithm: kk\nprivacy:"), 2, "keeps (k,k)"),
    Refusal("an algorithm that is none", spec("privacy:", "algorithm: mondrin\nprivacy:"), 2, "did you mean mondrian"),
    Refusal("an option that is none", spec("privacy:", "algorithm: {name: sequential, alfa: 1}\nprivacy:"), 2, "alpha"),
    Refusal("a time without a unit", spec("privacy:", "time_limit: 60\nprivacy:"), 2, "500ms, 60s, 10m or 1h"),
    Refusal("an effort that is none", spec("privacy:", "effort: quick\nprivacy:"), 2, "fast | balanced | thorough"),
    Refusal("no threads", spec("privacy:", "engine: {threads: 0}\nprivacy:"), 2, "from 1 to 1024"),
    Refusal("a measure that is no objective", spec("privacy:", "measure: dm\nprivacy:"), 2, "measure"),
    Refusal("a mask on numbers", spec("age: numeric", "age: {type: numeric, taxonomy: {mask: 2}}"), 2, "age"),
    Refusal("an unset variable", spec("k: 3", "k: ${KANON_NO_SUCH_THING}"), 2, "KANON_NO_SUCH_THING"),
    Refusal("a YAML tag", spec("k: 3", "k: !!python/object/apply:os.getpid []"), 2, "tag"),
    Refusal("not YAML", lambda desk: desk.write("spec.yaml", "input: [people.csv\noutput: }\n"), 2, "spec.yaml:"),
    Refusal("an empty spec", lambda desk: desk.write("spec.yaml", ""), 2, "empty"),
    Refusal("no spec", lambda desk: (desk.folder / "spec.yaml").unlink(), 2, "spec.yaml"),
    Refusal("a binary spec", lambda desk: (desk.folder / "spec.yaml").write_bytes(bytes(range(256))), 2, "UTF-8"),
    Refusal("an anchor bomb", lambda desk: desk.write("spec.yaml", "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"{new}: &{new} [{', '.join([f'*{old}'] * 10)}]\n" for old, new in zip("abcde", "bcdef", strict=True))),
        2, "10,000"),
    # the output
    Refusal("output equal to input", spec("out/people.csv", "people.csv"), 2, "input"),
    Refusal("output beside a glob of the input", spec("input: people.csv\noutput: out/people.csv",
            "input: peop*.csv\noutput: people2.csv"), 2, "input"),
    Refusal("output into the spec", spec("out/people.csv", "spec.yaml"), 2, "output"),
    Refusal("output of no known format", spec("out/people.csv", "out/people.xlsx"), 2, ".parquet"),
    Refusal("output under a file", spec("out/people.csv", "people.csv/x.csv"), 2, "people.csv"),
    Refusal("no rights to write", spec("out/people.csv", "/proc/people.csv"), 2, "/proc"),
    Refusal("output that kanon did not make", both(lambda desk: desk.write("mine.csv", "my notes\n"),
            spec("out/people.csv", "mine.csv")), 2, "--force"),
    # taxonomies
    Refusal("a gap in the taxonomy", taxonomy("M;*\n"), 3, "not in the taxonomy"),
    Refusal("two roots", taxonomy("M;A\nF;B\n"), 2, "root"),
    Refusal("two parents", taxonomy("M;A;*\nF;B;*\nM;B;*\n"), 2, "sex.csv:3"),
    Refusal("no taxonomy", spec("sex: categorical", "sex: {taxonomy: nowhere.csv}"), 2, "nowhere.csv"),
    # the table
    Refusal("no table", lambda desk: (desk.folder / "people.csv").unlink(), 3, "people.csv"),
    Refusal("an empty table", bytes_of(b""), 3, "empty"),
    Refusal("a header alone", bytes_of(b"name,age,sex,zip,born,visit,diagnosis\n"), 4, "no rows"),
    Refusal("a missing column", spec("age: numeric", "aged: numeric"), 3, "did you mean 'age'?"),
    Refusal("a misspelt identifier", spec("[name]", "[nmae]"), 3, "did you mean 'name'?"),
    Refusal("a duplicate header", line("name,age", "name,name"), 3, "columns 1 and 2 have the same name"),
    Refusal("a column without a name", line("name,age", ",age"), 3, "no name"),
    Refusal("a ragged row", line("Person 7,", f"Person 7,{SENTINEL},"), 3, "fields"),
    Refusal("a short row", line("Person 7,", ""), 3, "fields"),
    Refusal("an open quote", line("Person 7,", f'"{SENTINEL},'), 3, "quote"),
    Refusal("a wrong encoding", bytes_of("name,age,sex,zip,born,visit,diagnosis\nZanzibar\xe9,1,M,1,1,1,1\n"
            .encode("latin-1")), 3, "input.encoding"),
    Refusal("no gzip", both(lambda desk: (desk.folder / "people.csv").rename(desk.folder / "people.csv.gz"),
            spec("input: people.csv", "input: people.csv.gz")), 3, "people.csv.gz"),
    Refusal("no Parquet", both(lambda desk: (desk.folder / "people.csv").rename(desk.folder / "people.parquet"),
            spec("input: people.csv", "input: people.parquet")), 3, "people.parquet"),
    Refusal("text in a numeric column", cell("age", SENTINEL), 3, "age: not finite numbers: 1 value in 1 row"),
    Refusal("NaN in a numeric column", cell("age", "NaN"), 3, "first in row 8"),
    Refusal("no date in a date column", cell("born", f"{SENTINEL}-01-01"), 3, "born: not dates: 1 value in 1 row"),
    Refusal("a zip of another length", cell("zip", SENTINEL), 3, "not of 5 characters"),
    Refusal("a star in a category", cell("sex", "*"), 3, "read like generalized cells"),
    Refusal("columns without a role",
        spec("identifiers: [name]\n", "unlisted: error\n"), 3, "columns without a role: name"),
    # the promise
    Refusal("k above the rows", spec("k: 3", "k: 49"), 4, "the largest k that it can keep is 48"),
    Refusal("l above the table's", spec("l: 2", "l: 4.5"), 4, "4"),
    Refusal("one sensitive value for all", everyone("diagnosis", SENTINEL), 4, "the largest l"),
    Refusal("k above the rows by another notion",
        spec("k: 3", "k: 49\n  notion: global-(1,k)"), 4, "keep k = 49 with notion global-(1,k)"),
    Refusal("values too many to be so frequent, where rows may be left out",
        spec("l: 2", "l: 4.5\n  suppression: 0.5"), 4, "not even all rows in one class keep l = 4.5"),
    Refusal("a limit that is met and has to be exceeded",
        spec("l: 2", "diversity: {recursive: {c: 1, l: 4}}"), 4, "keep any diversity.recursive.c above 1"),
    Refusal("more loss than the limit", spec("privacy:", "limits: {lm: 0.000001}\nprivacy:"), 7, "limits.lm"),
]  # fmt: skip


@pytest.mark.parametrize("refusal", REFUSALS, ids=lambda refusal: refusal.name)
def test_a_mistake_is_refused(desk: Desk, refusal: Refusal) -> None:
    refusal.break_it(desk)
    before = desk.files()
    done = desk.kanon("run", "spec.yaml")
    assert done.returncode == refusal.exit_code, done.stderr
    assert refusal.says in done.stderr
    assert done.stdout == ""
    assert done.stderr.count("kanon: error:") == 1, "one mistake, one message"
    assert "Traceback" not in done.stderr
    assert SENTINEL not in done.stderr
    assert desk.files() == before
    assert not (desk.folder / "out").exists()
