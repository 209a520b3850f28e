"""`kanon audit` with a population, requirements of every sort, and files for pipelines; warnings of `kanon run`."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

from tests.cli.conftest import Desk, people

TABLE = "age,sex,ill\n[30-39],F,a\n[30-39],F,b\n[40-49],M,a\n[40-49],M,*\n,M,b\n,M,a\n"
VISITS = ("visit", "v6", "v2", "v4", "v1", "v3", "v5")
COLUMNS = ("--qi", "age,sex", "--sensitive", "ill")


def _with_visits() -> str:
    lines = zip(VISITS, TABLE.splitlines(), strict=True)
    return "".join(f"{line},{visit}\n" for visit, line in lines)


def test_a_population_gives_the_risk_for_who_does_not_know_who_is_in_the_table(desk: Desk) -> None:
    desk.write("t.csv", TABLE)
    desk.write("town.csv", "sex,age\n" + "F,33\n" * 10 + "M,44\n" * 5 + "M,\n" * 4)
    done = desk.kanon("audit", "t.csv", *COLUMNS, "--population", "town.csv", "--threshold", "0.24")
    assert done.returncode == 0
    assert "50 % at most, 50 % on average, 100 % of rows above 24 %" in done.stdout
    said = "journalist: 25 % at most, 18.3 % on average, 33.3 % of rows above 24 %"
    assert said in " ".join(done.stdout.split())
    found = json.loads(desk.kanon("audit", "t.csv", *COLUMNS, "--population", "town.csv", "--json").stdout)
    assert found["population"] == {"rows": 19, "short": 0, "not_understood": {}}
    assert found["views"]["missing"]["wildcard"]["k"] == 2
    assert found["views"]["missing"]["left_out"]["l_distinct"] == 1, "stars hide a value"
    assert found["views"]["suppressed"]["rows"] == 0


def test_files_for_pipelines_are_written_before_the_audit_fails(desk: Desk) -> None:
    desk.write("t.csv", TABLE)
    files = ("--junit", "audit.xml", "--sarif", "audit.sarif")
    done = desk.kanon("audit", "t.csv", *COLUMNS, "--require", "k>=3, marketer<=0.6, leaks=0", *files, "-q")
    assert (done.returncode, done.stdout) == (5, "")
    assert "t.csv: k falls short (expected >= 3, got 2)" in done.stderr
    suites = ElementTree.parse(desk.folder / "audit.xml").getroot()  # noqa: S314  it is our own
    assert (suites.get("tests"), suites.get("failures")) == ("8", "1")
    log = json.loads((desk.folder / "audit.sarif").read_text())
    assert [result["ruleId"] for result in log["runs"][0]["results"]] == ["falls-short", "input-order"]


def test_a_file_that_cannot_be_written_is_an_output_error(desk: Desk) -> None:
    desk.write("t.csv", TABLE)
    done = desk.kanon("audit", "t.csv", *COLUMNS, "--junit", "t.csv/audit.xml", "-q")
    assert done.returncode == 2
    assert "t.csv: this is a file, not a folder" in done.stderr


def test_files_for_pipelines_take_the_place_of_older_ones_in_folders_of_their_own(desk: Desk) -> None:
    desk.write("t.csv", TABLE)
    for _ in range(2):
        done = desk.kanon("audit", "t.csv", *COLUMNS, "--junit", "ci/audit.xml", "--sarif", "ci/audit.sarif", "-q")
        assert (done.returncode, done.stderr) == (0, "")
    assert sorted(file.name for file in (desk.folder / "ci").iterdir()) == ["audit.sarif", "audit.xml"]


@pytest.mark.parametrize("option", ["--junit", "--sarif"])
def test_a_file_for_pipelines_takes_the_place_of_nothing_that_is_needed(desk: Desk, option: str) -> None:
    desk.write("t.csv", TABLE)
    desk.write("town.csv", TABLE)
    desk.write("tables/part.csv", TABLE)
    (desk.folder / "link.csv").symlink_to("t.csv")
    asked = ("--original", "tables", "--population", "town.csv")
    for name in ("t.csv", "./link.csv", "town.csv", "tables/part.csv"):
        done = desk.kanon("audit", "t.csv", *COLUMNS, *asked, option, name, "-q")
        assert done.returncode == 2
        assert "would overwrite a file that it belongs to\n  hint: choose another file" in done.stderr
        assert (desk.folder / name).read_text() == TABLE
    spec, people = (desk.folder / "spec.yaml").read_text(), (desk.folder / "people.csv").read_text()
    for name in ("spec.yaml", "people.csv"):
        assert desk.kanon("audit", "t.csv", "--spec", "spec.yaml", option, name, "-q").returncode == 2
    assert (spec, people) == ((desk.folder / "spec.yaml").read_text(), (desk.folder / "people.csv").read_text())


def test_two_files_for_pipelines_have_two_names(desk: Desk) -> None:
    desk.write("t.csv", TABLE)
    done = desk.kanon("audit", "t.csv", *COLUMNS, "--junit", "found", "--sarif", "./found", "-q")
    assert done.returncode == 2
    assert "--junit and --sarif name the same file\n  hint: give each a file of its own" in done.stderr
    assert not (desk.folder / "found").exists()


@pytest.mark.parametrize(
    ("required", "said"),
    [
        ("", "not a requirement"),
        ("threshold=0.2", "unknown requirement"),
        ("recursive_c<=2", "recursive_c has to stay below its bound (expected recursive_c<..., got '<=')"),
    ],
)
def test_a_requirement_that_asks_nothing_is_refused(desk: Desk, required: str, said: str) -> None:
    desk.write("t.csv", TABLE)
    done = desk.kanon("audit", "t.csv", *COLUMNS, "--require", required, "-q")
    assert done.returncode == 2
    assert said in done.stderr
    assert "| threshold" not in done.stderr


@pytest.mark.parametrize("required", ["t<=0.3", "l=2", "delta<1", "l_entropy=2", "recursive_c<3"])
def test_a_requirement_about_values_says_that_no_column_holds_them(desk: Desk, required: str) -> None:
    desk.write("t.csv", TABLE)
    done = desk.kanon("audit", "t.csv", "--qi", "age", "--require", required, "-q")
    assert done.returncode == 2
    assert "needs a sensitive column\n  hint: name it with --sensitive" in done.stderr


def test_a_requirement_is_as_strict_as_the_promise_of_a_spec(desk: Desk) -> None:
    """Two rows of one value beside one of another: c has to be more than 2."""
    desk.write("t.csv", "age,ill\n" + "1,a\n1,a\n1,b\n" * 2)
    columns = ("--qi", "age", "--sensitive", "ill")
    done = desk.kanon("audit", "t.csv", *columns, "--require", "recursive_c<2")
    assert done.returncode == 5
    assert "recursive_c is too large (expected < 2, got 2)" in done.stderr
    assert "recursive_c = 2  (< 2 required)" in done.stdout
    assert desk.kanon("audit", "t.csv", *columns, "--require", "recursive_c=2", "-q").returncode == 5
    assert desk.kanon("audit", "t.csv", *columns, "--require", "recursive_c<2.1", "-q").returncode == 0


def test_options_that_are_repeated_add_up(desk: Desk) -> None:
    desk.write("t.csv", TABLE)
    done = desk.kanon("audit", "t.csv", "--qi", "age", "--qi", "sex", "--sensitive", "ill", "--json")
    assert json.loads(done.stdout)["classes"]["count"] == 3
    done = desk.kanon("audit", "t.csv", *COLUMNS, "--require", "k=50", "--require", "l=1", "-q")
    assert (done.returncode, "k falls short (expected >= 50, got 2)" in done.stderr) == (5, True)
    done = desk.kanon("audit", "t.csv", "--qi", "age", "--sensitive", "age", "--sensitive", "ill", "-q")
    assert (done.returncode, "is a quasi-identifier, too" in done.stderr) == (2, True)


def test_stars_in_a_sensitive_column_hide_a_value_that_may_be_any(desk: Desk) -> None:
    desk.write("t.csv", "age,ill\n1,flu\n1,*\n1,flu\n1,**\n")
    done = desk.kanon("audit", "t.csv", "--qi", "age", "--sensitive", "ill", "--json")
    achieved = json.loads(done.stdout)["privacy"]["achieved"]
    assert (achieved["l_frequency"], achieved["l_distinct"], achieved["alpha"]) == (1, 1, 1)


def test_a_requirement_is_held_against_the_figure_that_is_shown_and_the_stricter_bound_is_told(desk: Desk) -> None:
    desk.write("t.csv", "age,ill\n" + "1,a\n1,a\n1,b\n1,c\n" * 2)
    written = {"quasi_identifiers": {"age": "numeric"}, "sensitive": "ill", "input": "t.csv"}
    recursive = {"k": 2, "diversity": {"recursive": {"c": 5, "l": 3}}}
    desk.write("spec.yaml", json.dumps(written | {"privacy": recursive}))
    done = desk.kanon("audit", "t.csv", "--spec", "spec.yaml", "--require", "recursive_c<2,k=1", "--json")
    assert done.returncode == 5
    privacy = json.loads(done.stdout)["privacy"]
    assert (privacy["achieved"]["recursive_c"], privacy["required"]["recursive_c"]) == (2, 2)
    assert privacy["required"]["k"] == 2


def test_the_page_shows_views_and_leaks(desk: Desk) -> None:
    desk.write("t.csv", _with_visits())
    done = desk.kanon("audit", "t.csv", *COLUMNS, "--require", "leaks=0")
    assert done.returncode == 5
    said = " ".join(done.stdout.split())
    assert "missing in 2 rows; k = 2 as values, 2 as wildcards, 2 with their rows left out" in said
    assert "error near-unique: visit 6 of 6 rows have a value that no other row has" in said
    assert "leaks = 1 (<= 0 required)" in said
    assert "t.csv: leaks is too large (expected <= 0, got 1)" in done.stderr


@pytest.mark.parametrize(
    ("kept", "said"),
    [
        ([str(500 + row) for row in range(48)], "index-like: visit: its values number the 48 rows"),
        ([f"v{row * row}" for row in range(48)], "near-unique: visit: 48 of 48 rows have a value"),
        (["new", "again"] * 24, None),
    ],
)
def test_a_run_warns_of_kept_columns_that_work_as_keys(desk: Desk, kept: list[str], said: str | None) -> None:
    desk.write_table([{**person, "visit": value} for person, value in zip(people(), kept, strict=True)])
    done = desk.kanon("run", "spec.yaml")
    assert done.returncode == 0
    warned = [line for line in done.stderr.splitlines() if "warning" in line]
    assert len(warned) == (said is not None)
    assert said is None or said in warned[0]
    assert not any(value in done.stderr for value in kept if len(value) > 3)


def test_with_a_spec_and_an_original_it_says_who_pays(desk: Desk) -> None:
    asked = ("--set", "output.fairness=diagnosis")
    assert desk.kanon("run", "spec.yaml", "-q", *asked).returncode == 0
    audit = ("audit", "out/people.csv", "--spec", "spec.yaml", *asked, "--original", "people.csv")
    report = json.loads((desk.folder / "out/people.report.json").read_text(encoding="utf-8"))
    found = json.loads(desk.kanon(*audit, "--json").stdout)["utility"]["fairness"]
    assert found["groups"] == report["utility"]["fairness"]["groups"]
    assert "groups by diagnosis that lose most and least" in desk.kanon(*audit).stdout


def test_a_release_that_kanon_made_is_in_order(desk: Desk) -> None:
    """Sorted rows, no keys, no sets: an audit with the original finds notes at the most."""
    assert desk.kanon("run", "spec.yaml", "-q").returncode == 0
    done = desk.kanon(
        "audit", "out/people.csv", "--spec", "spec.yaml", "--original", "people.csv", "--require", "leaks=0", "--json"
    )
    assert done.returncode == 0, done.stderr
    assert {leak["severity"] for leak in json.loads(done.stdout)["leaks"]} <= {"note"}
