"""Help, version, `kanon validate`, `kanon audit` and `kanon schema`."""

from __future__ import annotations

import json

import jsonschema
import pytest

from kanon_cli.version import VERSION
from tests.cli.conftest import SPEC, Desk

LOADED = """
import os, sys
names = {"numpy", "pandas", "pyarrow", "numba", "scipy", "pydantic", "yaml", "rich"}
end = os._exit
def tell(code):
    print("loaded:", *sorted(names & set(sys.modules)), file=sys.stderr, flush=True)
    end(code)
os._exit = tell
"""


def test_kanon_alone_shows_its_help_and_fails(desk: Desk) -> None:
    done = desk.kanon()
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines() == desk.kanon("--help").stdout.splitlines()


def test_help_loads_nothing_heavy(desk: Desk) -> None:
    assert desk.kanon("--help", first=LOADED).stderr.split() == ["loaded:"]


@pytest.mark.parametrize("arguments", [["--version"], ["run", "--help"], ["run", "--nonsense"]])
def test_what_is_no_work_loads_nothing_of_ours(desk: Desk, arguments: list[str]) -> None:
    loaded = desk.kanon(*arguments, first=LOADED).stderr.splitlines()[-1]
    assert loaded in ("loaded:", "loaded: pydantic")  # newer versions of typer read values with pydantic


def test_the_version_is_told(desk: Desk) -> None:
    assert desk.kanon("--version").stdout == f"kanon {VERSION}\n"


@pytest.mark.parametrize("command", ["run", "validate", "audit", "schema"])
def test_every_command_has_help_with_an_example(desk: Desk, command: str) -> None:
    done = desk.kanon(command, "--help")
    assert done.returncode == 0
    assert f"Example: kanon {command} " in done.stdout
    assert f"\n  {command} " in desk.kanon("--help").stdout


def test_every_exit_code_is_in_the_help(desk: Desk) -> None:
    said = desk.kanon("--help").stdout
    assert all(f"    {code}  " in said for code in range(8))
    assert "130" in said
    assert "143" in said


def test_an_unknown_command_is_a_usage_error(desk: Desk) -> None:
    done = desk.kanon("anonymize")
    assert (done.returncode, done.stdout) == (2, "")
    assert "anonymize" in done.stderr


def test_validate_says_ok_and_writes_nothing(desk: Desk) -> None:
    before = desk.files()
    done = desk.kanon("validate", "spec.yaml")
    assert done.returncode == 0
    assert "ok  spec.yaml" in done.stdout
    for word in ("48 rows", "6 columns", "k = 3", "l = 2", "lm", "out/people.csv"):
        assert word in done.stdout
    assert desk.files() == before


def test_validate_needs_no_output(desk: Desk) -> None:
    desk.write("spec.yaml", SPEC.replace("output: out/people.csv\n", ""))
    assert desk.kanon("validate", "spec.yaml").returncode == 0
    assert desk.kanon("run", "spec.yaml").returncode == 2


def test_validate_checks_all_specs_even_if_one_fails(desk: Desk) -> None:
    specs = [
        desk.write_spec("data.yaml", None, ("age:", "aeg:")),
        desk.write_spec("wrong.yaml", None, ("k: 3", "k: many")),
        "spec.yaml",
    ]
    done = desk.kanon("validate", *specs)
    assert done.returncode == 3
    assert "ok  spec.yaml" in done.stdout
    assert "'aeg'" in done.stderr
    assert "wrong.yaml:12:6" in done.stderr


def test_validate_in_json_has_an_object_for_each_spec(desk: Desk) -> None:
    desk.write_spec("wrong.yaml", None, ("k: 3", "k: many"))
    good, wrong = json.loads(desk.kanon("validate", "spec.yaml", "wrong.yaml", "--json").stdout)
    assert (good["spec"], good["rows"], good["promises"]) == ("spec.yaml", 48, {"k": 3, "l": 2.0})
    assert good["columns"]["quasi_identifiers"] == ["age", "sex", "zip", "born"]
    assert (wrong["spec"], wrong["error"]["exit_code"]) == ("wrong.yaml", 2)


def test_validate_quietly_says_nothing(desk: Desk) -> None:
    done = desk.kanon("validate", "spec.yaml", "--quiet")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_audit_tells_what_any_table_keeps(desk: Desk) -> None:
    desk.write("t.csv", "age,sex,ill\n30,F,a\n30,F,b\n40,M,a\n40,M,a\n40,M,b\n")
    done = desk.kanon("audit", "t.csv", "--qi", "age,sex", "--sensitive", "ill")
    assert done.returncode == 0
    for said in (
        "2, smallest 2, mean 2.5, largest 3",
        "1.5 by frequency",
        "2 distinct",
        "50 % at most, 40 % on average",
    ):
        assert said in done.stdout


def test_audit_fails_with_a_line_for_each_requirement_that_is_not_kept(desk: Desk) -> None:
    desk.write("t.csv", "age,sex,ill\n30,F,a\n30,F,b\n40,M,a\n40,M,a\n40,M,b\n")
    done = desk.kanon(
        "audit", "t.csv", "--qi", "age,sex", "--sensitive", "ill", "--require", "k=3,l=2,l_distinct=2", "-q"
    )
    assert (done.returncode, done.stdout) == (5, "")
    assert [line for line in done.stderr.splitlines() if line.startswith("kanon: error: ")] == [
        "kanon: error: t.csv: k falls short (expected >= 3, got 2)",
        "kanon: error: t.csv: l_frequency falls short (expected >= 2, got 1.5)",
    ]


def test_audit_with_a_spec_requires_what_it_promises(desk: Desk) -> None:
    assert desk.kanon("run", "spec.yaml", "-q").returncode == 0
    kept = desk.kanon("audit", "out/people.csv", "--spec", "spec.yaml", "--original", "people.csv")
    assert kept.returncode == 0
    assert "(3 required)" in kept.stdout
    assert "every cell covers its original value" in kept.stdout
    short = desk.kanon("audit", "out/people.csv", "--spec", "spec.yaml", "--set", "privacy.k=40")
    assert short.returncode == 5
    assert "(40 required)" in short.stdout


def test_audit_finds_what_is_not_true_of_the_original(desk: Desk) -> None:
    assert desk.kanon("run", "spec.yaml", "-q").returncode == 0
    text = (desk.folder / "people.csv").read_text().replace("Flu", "Rabies")
    desk.write("others.csv", text)
    done = desk.kanon("audit", "out/people.csv", "--spec", "spec.yaml", "--original", "others.csv")
    assert done.returncode == 5
    assert "not every row is true of the original" in done.stderr
    assert "Rabies" not in done.stdout + done.stderr


def test_audit_in_json_has_the_names_of_the_report(desk: Desk) -> None:
    assert desk.kanon("run", "spec.yaml", "-q").returncode == 0
    report = json.loads((desk.folder / "out/people.report.json").read_text())
    done = desk.kanon("audit", "out/people.csv", "--spec", "spec.yaml", "--json")
    found = json.loads(done.stdout)
    assert found["privacy"]["achieved"] == report["privacy"]["achieved"]
    assert found["classes"] == report["classes"]


def test_a_column_name_with_a_comma_stands_in_quotes(desk: Desk) -> None:
    desk.write("t.csv", '"age, in years",sex\n30,F\n30,F\n')
    done = desk.kanon("audit", "t.csv", "--qi", '"age, in years",sex', "--require", "k=2")
    assert done.returncode == 0


@pytest.mark.parametrize("asked", ['" lead"', ' sex , " lead" ', '"sex"," lead"', '"",sex,,'])
def test_quotes_keep_the_outer_blanks_of_a_column_name(desk: Desk, asked: str) -> None:
    desk.write("t.csv", " lead,sex\n30,F\n30,F\n")
    done = desk.kanon("audit", "t.csv", "--qi", asked, "--require", "k=2")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--spec", "spec.yaml", "--qi", "age"],
        ["--qi", "age", "--set", "privacy.k=2"],
        ["--qi", "age", "--require", "k"],
        ["--qi", "age", "--taxonomy", "age"],
        ["--qi", "age", "--taxonomy", "sex=sex.csv"],
        ["--spec", "spec.yaml", "--taxonomy", "zip=zip.csv"],
    ],
)
def test_audit_refuses_options_that_make_no_question(desk: Desk, options: list[str]) -> None:
    assert desk.kanon("audit", "people.csv", *options).returncode == 2


def test_the_schema_of_the_spec_accepts_a_spec_and_refuses_a_wrong_key(desk: Desk) -> None:
    schema = json.loads(desk.kanon("schema").stdout)
    spec = {"input": "a.csv", "output": "b.csv", "quasi_identifiers": {"age": "numeric"}, "privacy": {"k": 3}}
    jsonschema.validate(spec, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**spec, "privcy": {}}, schema)


def test_the_schema_of_the_report_accepts_a_report(desk: Desk) -> None:
    schema = json.loads(desk.kanon("schema", "report").stdout)
    jsonschema.validate(json.loads(desk.kanon("run", "spec.yaml", "--json").stdout), schema)


def test_completion_can_be_shown(desk: Desk) -> None:
    done = desk.kanon("--help", _KANON_COMPLETE="complete_bash", COMP_WORDS="kanon va", COMP_CWORD="1")
    assert "validate" in done.stdout.split()
