"""Specs that are right: short forms, long forms, variables, --set."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from kanon_cli import algorithms, parts
from kanon_cli.algorithms.base import Algorithm
from kanon_cli.errors import SpecError
from kanon_cli.measures.gcp import Gcp
from kanon_cli.models.k import K
from kanon_cli.models.l_frequency import LFrequency
from kanon_cli.spec.model import Output, Spec
from kanon_cli.spec.parse import parse
from kanon_cli.spec.variables import expand

ROOT = Path(__file__).parents[2]
SHORT = """
input: in.csv
output: out.csv
quasi_identifiers:
  age: numeric
  zip: {taxonomy: {mask: 5}}
  edu: {taxonomy: edu.yaml}
  born: {type: date, taxonomy: calendar}
  pay: {type: numeric, taxonomy: {intervals: [0.5, 1, 10]}, weight: 2}
  sex: categorical
  skills: {generalize: set}
sensitive: diagnosis
identifiers: name
keep: [visit, ward]
privacy: {k: 10, l: 1.5}
measure: gcp
algorithm: auto
"""
LONG = """
version: 1
input: {path: in.csv}
output: {path: out.csv}
quasi_identifiers:
  age: {type: numeric}
  zip: {type: categorical, taxonomy: {mask: 5}}
  edu: {type: categorical, taxonomy: {file: edu.yaml}}
  born: {type: date, taxonomy: {calendar: true}}
  pay: {type: numeric, taxonomy: {intervals: [0.5, 1, 10]}, weight: 2}
  sex: {type: categorical}
  skills: {type: categorical, generalize: set}
sensitive: [diagnosis]
identifiers: [name]
keep: [visit, ward]
unlisted: drop
privacy: {k: 10, l: 1.5, notion: k, accept_weak: no, joint: false, suppression: 0}
measure: {name: gcp}
algorithm: {name: auto}
engine: {backend: local, threads: auto, shard_rows: auto, memory: auto}
"""
SMALL = "input: in.csv\noutput: out.csv\nquasi_identifiers: [a, b]\nprivacy:\n  k: 2\n"

Parse = Callable[..., Spec]


@pytest.fixture
def parse_text(tmp_path: Path) -> Parse:
    """Parse a text as a spec file."""

    def parse_it(text: str, *sets: str, environ: dict[str, str] | None = None, **options: Any) -> Spec:
        file = tmp_path / "spec.yaml"
        file.write_text(text, encoding="utf-8")
        return parse(file, sets, environ or {}, **options)

    return parse_it


def test_short_forms_stand_for_the_long_ones(parse_text: Parse) -> None:
    differing = {"sha256": "", "given": frozenset()}
    assert parse_text(SHORT).model_copy(update=differing) == parse_text(LONG).model_copy(update=differing)


def test_values_are_typed_and_parts_are_built(parse_text: Parse) -> None:
    spec = parse_text(SHORT)
    assert spec.models == (K(k=10), LFrequency(l=1.5, columns=("diagnosis",)))
    assert spec.measure == Gcp()
    assert spec.algorithm.name == algorithms.AUTO
    assert spec.backend.name == "local"
    pay = spec.quasi_identifiers["pay"]
    assert pay.taxonomy is not None
    assert pay.taxonomy.intervals == (Decimal("0.5"), Decimal(1), Decimal(10))
    assert pay.weight == 2


def test_a_plain_list_of_quasi_identifiers_is_categorical(parse_text: Parse) -> None:
    assert {name: column.type for name, column in parse_text(SMALL).quasi_identifiers.items()} == {
        "a": "categorical",
        "b": "categorical",
    }


def test_texts_are_kept_as_written(parse_text: Parse) -> None:
    text = SMALL.replace("in.csv", '{path: in.csv, null_values: [007, no, "", 1e3]}') + "name: 2026-10-01\nkeep: 08\n"
    spec = parse_text(text)
    assert spec.input.null_values == ("007", "no", "", "1e3")
    assert (spec.name, spec.keep) == ("2026-10-01", ("08",))


def test_one_null_value_needs_no_list(parse_text: Parse) -> None:
    assert parse_text(SMALL.replace("in.csv", '{path: in.csv, null_values: "?"}')).input.null_values == ("?",)


def test_two_equal_null_values_are_fine(parse_text: Parse) -> None:
    assert parse_text(SMALL.replace("in.csv", "{path: in.csv, null_values: [x, x]}")).input.null_values == ("x", "x")


def test_options_of_parts_stand_beside_their_name(parse_text: Parse) -> None:
    spec = parse_text(SMALL + "algorithm: {name: mondrian, strict: no}\n")
    assert (spec.algorithm.name, spec.algorithm.model_dump()["strict"]) == ("mondrian", False)


def test_relative_paths_start_at_the_folder_of_the_spec(parse_text: Parse, tmp_path: Path) -> None:
    spec = parse_text(SMALL)
    assert spec.source == tmp_path / "spec.yaml"
    assert spec.locate(spec.input.path) == tmp_path / "in.csv"


def test_the_checksum_is_that_of_the_file_unless_something_is_set(parse_text: Parse, tmp_path: Path) -> None:
    plain = parse_text(SMALL).sha256
    assert plain == hashlib.sha256((tmp_path / "spec.yaml").read_bytes()).hexdigest()
    sums = {plain, parse_text(SMALL, "privacy.k=3").sha256, parse_text(SMALL, "privacy.k=4").sha256}
    assert len(sums) == 3


def test_output_and_report_of_the_command_line_start_at_the_current_folder(
    parse_text: Parse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    spec = parse_text(SMALL, output="${x}.csv", report="r.json")
    assert spec.output == Output(path=f"{tmp_path}/here/${{x}}.csv", report=f"{tmp_path}/here/r.json")


def test_a_spec_without_output_is_enough_where_nothing_is_written(parse_text: Parse) -> None:
    without = SMALL.replace("output: out.csv\n", "")
    assert parse_text(without, need_output=False).output is None
    assert parse_text(without, output="x.csv").output is not None
    with pytest.raises(SpecError, match="output: is missing"):
        parse_text(without)


@pytest.mark.parametrize(
    ("path", "report"),
    [
        ("a/out.csv", "a/out.report.json"),
        ("out.csv.gz", "out.report.json"),
        ("/x.y/out.PARQUET", "/x.y/out.report.json"),
        ("out.v2.tsv.zst", "out.v2.report.json"),
        ("a/.csv", "a/.csv.report.json"),
    ],
)
def test_the_report_goes_beside_the_release(path: str, report: str) -> None:
    assert Output(path=path).report_path == report
    assert Output(path=path, report="other.json").report_path == "other.json"


@pytest.mark.parametrize(
    ("text", "expanded"),
    [
        ("${A}/x", "one/x"),
        ("${A}${A}", "oneone"),
        ("${B:-two}", "two"),
        ("${EMPTY:-two}", "two"),
        ("${EMPTY}", ""),
        ("${B:-}", ""),
        ("$${A}", "${A}"),
        ("$A $ {A} $$", "$A $ {A} $$"),
        ("${NESTED}", "${A}"),
        ("${A:-two}", "one"),
    ],
)
def test_variables(text: str, expanded: str) -> None:
    assert expand(text, {"A": "one", "EMPTY": "", "NESTED": "${A}"}) == expanded


@pytest.mark.parametrize("text", ["${B}", "${}", "${A", "${1}", "${A:=x}", "${A-x}"])
def test_variables_that_cannot_be_put_in_are_mistakes(text: str) -> None:
    with pytest.raises(SpecError):
        expand(text, {"A": "one"})


def test_a_variable_is_text_and_never_yaml(parse_text: Parse) -> None:
    spec = parse_text(SMALL + "name: ${X}\nkeep: ${X}\n", environ={"X": "[a, {b: c}] # *d"})
    assert (spec.name, spec.keep) == ("[a, {b: c}] # *d", ("[a, {b: c}] # *d",))


def test_a_variable_may_hold_a_number_a_name_or_calendar(parse_text: Parse) -> None:
    text = SMALL.replace("k: 2", "k: ${K}").replace("[a, b]", "{d: {type: '${T:-date}', taxonomy: '${C}'}}")
    spec = parse_text(text, environ={"K": "12", "C": "calendar"})
    assert spec.privacy.k == 12
    taxonomy = spec.quasi_identifiers["d"].taxonomy
    assert taxonomy is not None
    assert taxonomy.calendar


def test_an_unset_variable_does_not_matter_where_an_override_takes_its_place(parse_text: Parse) -> None:
    text = SMALL.replace("out.csv", "${NOT_SET}").replace("k: 2", "k: ${NEITHER}")
    spec = parse_text(text, "privacy.k=7", output="x.csv")
    assert spec.privacy.k == 7


@pytest.mark.parametrize(
    ("setting", "key", "value"),
    [
        ("privacy.k=20", "privacy.k", 20),
        ("input.delimiter=;", "input.delimiter", ";"),
        ("input.delimiter=,", "input.delimiter", ","),
        ('input.delimiter="\\t"', "input.delimiter", "\t"),
        ("input.null_values=[NA, '?']", "input.null_values", ("NA", "?")),
        ("input.null_values=*", "input.null_values", ("*",)),
        ("output.order=input", "output.order", "input"),
        ("output.report=a=b.json", "output.report", "a=b.json"),
        ("algorithm.alpha=.3", "algorithm.alpha", 0.3),
        ("algorithm=mondrian", "algorithm.name", "mondrian"),
        ("measure=il", "measure.name", "il"),
        ("limits.lm=0.3", "limits.lm", 0.3),
        ("limits={lm: 0.3}", "limits.lm", 0.3),
        ("quasi_identifiers.a.type=numeric", "quasi_identifiers.a.type", "numeric"),
        ("quasi_identifiers.b=date", "quasi_identifiers.b.type", "date"),
        ("sensitive=s", "sensitive", ("s",)),
        ("name=${N}", "name", "from outside"),
        ("name=", "name", None),
        ("name=null", "name", None),
        ("name='null'", "name", "null"),
    ],
)
def test_set_replaces_one_value(parse_text: Parse, setting: str, key: str, value: object) -> None:
    found: object = parse_text(SMALL + "algorithm: sequential\n", setting, environ={"N": "from outside"})
    for step in key.split("."):
        found = found[step] if isinstance(found, dict) else getattr(found, step)
    assert found == value


def test_set_takes_column_names_with_dots_in_quotes(parse_text: Parse) -> None:
    spec = parse_text(SMALL, 'quasi_identifiers."a.b=c".type=numeric', "quasi_identifiers.'d.e'.weight=3")
    assert spec.quasi_identifiers["a.b=c"].type == "numeric"
    assert spec.quasi_identifiers["d.e"].weight == 3


def test_the_last_set_wins(parse_text: Parse) -> None:
    assert parse_text(SMALL, "privacy.k=3", "privacy.k=4").privacy.k == 4


def test_set_of_a_whole_key_takes_the_place_of_what_was_there(parse_text: Parse) -> None:
    spec = parse_text(SMALL.replace("in.csv", "{path: in.csv, delimiter: ;}"), "input=other.csv")
    assert (spec.input.path, spec.input.delimiter) == ("other.csv", None)


@pytest.mark.parametrize(
    ("setting", "where", "said"),
    [
        ("privacy.k", "--set privacy.k", "cannot be read"),
        ("=3", "--set =3", "cannot be read"),
        ("privacy..k=3", "--set privacy..k=3", "cannot be read"),
        ("privacy.k=x", "--set privacy.k", "a whole number of at least 2"),
        ("privacy.k.x=3", "--set privacy.k.x", "privacy.k has no keys"),
        ("sensitive.0=s", "--set sensitive.0", "expected categorical | numeric"),
        ("keep.0=s", "--set keep.0", "keep has no keys"),
        ("privacy.kk=3", "--set privacy.kk", "unknown key"),
        ("limits=[1", "--set limits", "not valid YAML"),
        ("limits={lm: a, il: 1}", "--set limits", "a number greater than 0"),
        ("privacy.t=0.1", "--set privacy.t", "about sensitive columns, and there are none"),
    ],
)
def test_a_wrong_set_is_a_mistake_that_names_it(parse_text: Parse, setting: str, where: str, said: str) -> None:
    with pytest.raises(SpecError) as caught:
        parse_text(SMALL + "keep: c\n", setting)
    assert {mistake.where for mistake in caught.value.mistakes} == {where}
    assert said in str(caught.value)


def test_every_config_can_be_read() -> None:
    configs = sorted((ROOT / "configs").glob("*.yaml"))
    assert [parse(config, environ={}).source for config in configs] == configs
    assert configs


def test_reading_a_spec_loads_neither_numba_nor_pyarrow_nor_pandas() -> None:
    code = (
        "import sys, pathlib; from kanon_cli.spec.parse import parse; parse(pathlib.Path(sys.argv[1]), environ={});"
        "sys.exit(' '.join({'numba', 'pyarrow', 'pandas'} & set(sys.modules)) or 0)"
    )
    config = ROOT / "configs" / "quickstart.yaml"
    done = subprocess.run([sys.executable, "-c", code, config], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("notion", "algorithm", "models"),
    [
        ("k", "lns", ["k"]),
        ("(k,k)", "kk", ["kk"]),
        ("global-(1,k)", "global-1k", ["global-1k"]),
        ("(k,1)", "k1-expansion", ["k1"]),
        ("(1,k)", "kk", ["1k"]),
    ],
)
def test_auto_is_what_keeps_the_notion(notion: str, algorithm: str, models: list[str], parse_text: Parse) -> None:
    spec = parse_text(SMALL, f"privacy.notion={notion}", "privacy.accept_weak=yes")
    assert spec.algorithm.name == algorithm
    assert [model.name for model in spec.models] == models


def test_a_notion_goes_with_promises_that_survive_unions(parse_text: Parse) -> None:
    sets = [
        "joint=true",
        "t=0.5",
        "alpha=0.9",
        "beta=2",
        "diversity={distinct: 2, entropy: 2, recursive: {c: 3, l: 2}}",
    ]
    spec = parse_text(SMALL, "sensitive=[s]", "privacy.notion=(k,k)", *(f"privacy.{change}" for change in sets))
    assert [model.name for model in spec.models] == ["kk", "alpha", "t", "beta", "distinct", "entropy", "recursive"]


@pytest.mark.parametrize("algorithm", algorithms.TABLE)
def test_every_algorithm_minimises_what_depends_on_sensitive_values(algorithm: str, parse_text: Parse) -> None:
    notion = parts.load(algorithms.TABLE, algorithm, Algorithm).keeps
    sets = (f"privacy.notion={notion}", "privacy.accept_weak=yes", "measure=pmi", f"algorithm={algorithm}")
    assert parse_text(SMALL, "sensitive=[s]", *sets).algorithm.name == algorithm


def test_groups_keep_every_notion(parse_text: Parse) -> None:
    assert parse_text(SMALL, "privacy.notion=(k,k)", "algorithm=mondrian").algorithm.name == "mondrian"
