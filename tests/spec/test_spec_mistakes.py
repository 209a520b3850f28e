"""Specs that are wrong: what is said, where, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kanon_cli import algorithms, backends, measures
from kanon_cli.errors import Mistake, SpecError
from kanon_cli.spec.later import LATER_NAMES
from kanon_cli.spec.parse import parse

RIGHT = """\
version: 1
input: in.csv
output: out/out.csv
quasi_identifiers:
  age: numeric
  sex: categorical
sensitive: diagnosis
identifiers: [name]
keep: [visit]
privacy:
  k: 10
  l: 2
measure: lm
algorithm: auto
seed: 0
"""


@dataclass(frozen=True)
class Wrong:
    """A line of the right spec, what stands there instead, and the one mistake that follows."""

    line: str
    instead: str
    path: str
    at: str
    said: str = ""
    hint: str | None = None


ONE_MISTAKE = [
    Wrong("version: 1", "version: 2", "version", "1:10", "expected 1, got 2", "reads version 1"),
    Wrong("version: 1", "version: one", "version", "1:10", "expected 1, got one"),
    Wrong("version: 1", "verion: 1", "verion", "1:1", "unknown key", "did you mean version?"),
    Wrong("version: 1", "qqq: 1", "qqq", "1:1", "expected version | name | input"),
    Wrong("version: 1", "name: [a]", "name", "1:7", "expected a text, got a list"),
    Wrong("input: in.csv", "input:", "input", "2:7", "is empty"),
    Wrong("input: in.csv", 'input: ""', "input", "2:8", "is too short"),
    Wrong("input: in.csv", 'input: "a\\0b"', "input", "2:8", "is not written as it should be"),
    Wrong("input: in.csv", "input: {format: csv}", "input.path", "2:8", "is missing"),
    Wrong("input: in.csv", "input: [in.csv]", "input", "2:8", "expected a mapping with path, got a list"),
    Wrong("input: in.csv", "input: {path: a, format: xls}", "input.format", "2:26", "auto | csv | tsv | parquet"),
    Wrong("input: in.csv", "input: {path: a, delimeter: x}", "input.delimeter", "2:18", "unknown", "mean delimiter?"),
    Wrong("input: in.csv", "input: {path: a, delimiter: tab}", "input.delimiter", "2:29", "one character", "a tab is"),
    Wrong("input: in.csv", "input: {path: a, delimiter: '\"'}", "input.delimiter", "2:29", "the quote too"),
    Wrong("input: in.csv", 'input: {path: a, delimiter: "\\n"}', "input.delimiter", "2:29", "a line break"),
    Wrong("input: in.csv", 'input: {path: a, quote: "\\r"}', "input.quote", "2:25", "a line break"),
    Wrong("input: in.csv", "input: {path: a, encoding: utf8x}", "input.encoding", "2:28", "encoding", "mean utf-8?"),
    Wrong("input: in.csv", "input: {path: a, encoding: base64}", "input.encoding", "2:28", "not a known text"),
    Wrong("input: in.csv", "input: {path: a, null_values: [~]}", "input.null_values[0]", "2:32", "empty", "in quotes"),
    Wrong("output: out/out.csv", "output: in.csv", "output", "3:9", "overwrite the input", "another place"),
    Wrong("output: out/out.csv", "output: ./x/../in.csv", "output", "3:9", "overwrite the input"),
    Wrong("output: out/out.csv", "output: out.xlsx", "output", "3:9", ".csv | .tsv | .parquet", ".gz"),
    Wrong("output: out/out.csv", "output: out.parquet.gz", "output", "3:9", "its ending"),
    Wrong("output: out/out.csv", "output: {order: input}", "output.path", "3:9", "is missing"),
    Wrong("output: out/out.csv", "# none", "output", "1:1", "is missing", "--output"),
    Wrong("output: out/out.csv", "output: {path: o.csv, html: o.csv}", "output.html", "3:29", "the release"),
    Wrong("output: out/out.csv", "output: {path: o.csv, html: o.report.json}", "output.html", "3:29", "the report"),
    Wrong("output: out/out.csv", "output: {path: o.csv, html: in.csv}", "output.html", "3:29", "the input"),
    Wrong("output: out/out.csv", "output: {path: o.csv, report: o.csv}", "output.report", "3:31", "the release"),
    Wrong("output: out/out.csv", "output: {path: o.csv, report: in.csv}", "output.report", "3:31", "the input"),
    Wrong("output: out/out.csv", "output: {path: o.csv, report: spec.yaml}", "output.report", "3:31", "the spec"),
    Wrong("output: out/out.csv", "output: {path: o.csv, order: random}", "output.order", "3:30", "sorted | input"),
    Wrong("  age: numeric", "  age: numerc", "quasi_identifiers.age", "5:8", "is not known", "did you mean numeric?"),
    Wrong("  age: numeric", "  age:", "quasi_identifiers.age", "5:7", "is empty", "`column: numeric`"),
    Wrong("  age: numeric", "  age: {typ: date}", "quasi_identifiers.age.typ", "5:9", "unknown key", "mean type?"),
    Wrong("  age: numeric", "  a.b: {weight: 0}", 'quasi_identifiers."a.b".weight', "5:17", "is too small"),
    Wrong("  age: numeric", "  a: {weight: .inf}", "quasi_identifiers.a.weight", "5:15", "got .inf"),
    Wrong("  age: numeric", "  a: {weight: inf}", "quasi_identifiers.a.weight", "5:15", "is not a finite number"),
    Wrong("  age: numeric", "  a: {taxonomy: {}}", "quasi_identifiers.a.taxonomy", "5:17", "file | mask"),
    Wrong(
        "  age: numeric", "  a: {taxonomy: {mask: 2, file: t}}", "quasi_identifiers.a.taxonomy", "5:17", "one source"
    ),
    Wrong("  age: numeric", "  a: {taxonomy: {mask: 0}}", "quasi_identifiers.a.taxonomy.mask", "5:24", "from 1 to 64"),
    Wrong("  age: numeric", "  a: {taxonomy: calendar}", "quasi_identifiers.a.taxonomy", "5:17", "date", "type: date"),
    Wrong(
        "  age: numeric",
        "  a: {type: date, taxonomy: {mask: 2}}",
        "quasi_identifiers.a.taxonomy.mask",
        "5:36",
        "mask is for categorical columns, and this one is date",
    ),
    Wrong(
        "  age: numeric",
        "  a: {type: numeric, taxonomy: t.csv}",
        "quasi_identifiers.a.taxonomy",
        "5:32",
        "a taxonomy file",
    ),
    Wrong(
        "  age: numeric",
        "  a: {taxonomy: {intervals: [5]}}",
        "quasi_identifiers.a.taxonomy.intervals",
        "5:29",
        "numeric columns",
        "type: numeric",
    ),
    Wrong(
        "  age: numeric",
        "  a: {type: numeric, taxonomy: {intervals: [5, 10, 15]}}",
        "quasi_identifiers.a.taxonomy.intervals[2]",
        "5:52",
        "not a multiple",
    ),
    Wrong(
        "  age: numeric",
        "  a: {type: numeric, taxonomy: {intervals: [5, 5]}}",
        "quasi_identifiers.a.taxonomy.intervals[1]",
        "5:48",
        "not larger",
    ),
    Wrong(
        "  age: numeric",
        "  a: {type: numeric, taxonomy: {intervals: [-5]}}",
        "quasi_identifiers.a.taxonomy.intervals[0]",
        "5:45",
        "greater than 0, got -5",
    ),
    Wrong(
        "  age: numeric",
        "  a: {type: numeric, taxonomy: {intervals: [1e-999999]}}",
        "quasi_identifiers.a.taxonomy.intervals[0]",
        "5:45",
        "too many digits",
    ),
    Wrong(
        "  age: numeric",
        "  a: {type: numeric, taxonomy: {intervals: []}}",
        "quasi_identifiers.a.taxonomy.intervals",
        "5:44",
        "is too short",
    ),
    Wrong("  age: numeric", "  a: {type: numeric, generalize: set}", "quasi_identifiers.a.generalize", "5:34", "sets"),
    Wrong(
        "  age: numeric", "  a: {taxonomy: t.csv, generalize: set}", "quasi_identifiers.a.generalize", "5:36", "sets"
    ),
    Wrong("sensitive: diagnosis", "sensitive: age", "sensitive", "7:12", "in quasi_identifiers too", "one role"),
    Wrong("sensitive: diagnosis", "sensitive: [d, d]", "sensitive[1]", "7:16", "named twice"),
    Wrong("sensitive: diagnosis", "sensitive: {d: 1}", "sensitive.d", "7:16", "categorical | numeric"),
    Wrong("sensitive: diagnosis", "sensitive: {age: numeric}", "sensitive.age", "7:13", "two roles", "one role"),
    Wrong("sensitive: diagnosis", "# none", "privacy.l", "12:6", "there are none", "sensitive: column"),
    Wrong("identifiers: [name]", "identifiers: [name, visit]", "keep[0]", "9:8", "in identifiers too"),
    Wrong("keep: [visit]", "unlisted: hide", "unlisted", "9:11", "drop | keep | error, got hide"),
    Wrong("  k: 10", "  k: 1", "privacy.k", "11:6", "a whole number of at least 2, got 1"),
    Wrong("  k: 10", "  k: ten", "privacy.k", "11:6", "a whole number of at least 2, got ten"),
    Wrong("  k: 10", "  k: 2.5", "privacy.k", "11:6", "a whole number of at least 2, got 2.5"),
    Wrong("  k: 10", "  k: " + "9" * 5000, "privacy.k", "11:6", "too many digits"),
    Wrong("  k: 10", "  k: ${KANON_UNSET}", "privacy.k", "11:6", "KANON_UNSET is not set", ":-...}"),
    Wrong("  k: 10", "  k: ${", "privacy.k", "11:6", "begins no variable", "$${"),
    Wrong("  l: 2", "  l: 0.9", "privacy.l", "12:6", "at least 1"),
    Wrong("  l: 2", "  l: nan", "privacy.l", "12:6", "not a finite number"),
    Wrong("  l: 2", "  suppression: 5", "privacy.suppression", "12:16", "from 0 to 1", "{rows: n}"),
    Wrong("  l: 2", "  suppression: {rows: -1}", "privacy.suppression.rows", "12:23", "of at least 0"),
    Wrong("  l: 2", "  notion: (k,1)", "privacy.notion", "12:11", "is not safe by itself", "accept_weak: true"),
    Wrong("  l: 2", "  notion: (1,k)", "privacy.notion", "12:11", "is not safe by itself", "accept_weak: true"),
    Wrong("  l: 2", "  notion: kk", "privacy.notion", "12:11", "is not known"),
    Wrong("algorithm: auto", "algorithm: kk", "algorithm", "14:12", "keeps (k,k), which is less than k", "(k,k)"),
    Wrong("  l: 2", "  accept_weak: perhaps", "privacy.accept_weak", "12:16", "expected true or false"),
    Wrong("  l: 2", "  unit: age", "privacy.unit", "12:9", "is in quasi_identifiers too", "never released"),
    Wrong("  l: 2", "  diversity: {dignosis: {distinct: 3}}", "privacy.diversity.dignosis", "12:15", "no sensitive"),
    Wrong("  l: 2", "  diversity: {distinct: 0}", "privacy.diversity.distinct", "12:25", "too small"),
    Wrong("  l: 2", "  diversity: 3", "privacy.diversity", "12:14", "does not fit"),
    Wrong("  l: 2", "  t: 1.5", "privacy.t", "12:6", "too large"),
    Wrong("  l: 2", "  beta: 0", "privacy.beta", "12:9", "too small"),
    Wrong("  l: 2", "  alpha: 0", "privacy.alpha", "12:10", "too small"),
    Wrong("measure: lm", "measure: lmm", "measure", "13:10", "is not known", "did you mean lm?"),
    Wrong("measure: lm", "measure: {name: wmi, w: 2}", "measure.w", "13:25", "a number from 0 to 1"),
    Wrong("measure: lm", "measure: dm", "measure", "13:10", "cannot be minimised; it is a figure"),
    Wrong(
        "measure: lm",
        "measure: am",
        "measure",
        "13:10",
        "lm | tree | il | gcp | entropy | mi | pmi | wmi",
    ),
    Wrong("measure: lm", "measure: {name: lm, w: 1}", "measure.w", "13:21", "expected no keys"),
    Wrong("  l: 2", "  t: nan", "privacy.t", "12:6", "is not a finite number (expected a number from 0 to 1"),
    Wrong("  l: 2", "  alpha: nan", "privacy.alpha", "12:10", "is not a finite number"),
    Wrong(
        "sensitive: diagnosis",
        "sensitive: {diagnosis: {type: numeric, bins: []}}",
        "sensitive.diagnosis.bins",
        "7:46",
        "is too short (expected a list that is not empty, got an empty list)",
    ),
    Wrong("measure: lm", "measure: [lm]", "measure", "13:10", "expected a mapping with name, got a list"),
    Wrong("algorithm: auto", "algorithm: mondran", "algorithm", "14:12", "is not known", "did you mean mondrian?"),
    Wrong("algorithm: auto", "algorithm: {name: k-member, class_penalty: -1}", "algorithm.class_penalty", "14:44", "0"),
    Wrong(
        "algorithm: auto", "algorithm: {name: mondrian, strikt: no}", "algorithm.strikt", "14:29", "", "mean strict?"
    ),
    Wrong("algorithm: auto", "algorithm: {name: mondrian, strict: 5}", "algorithm.strict", "14:37", "true or false"),
    Wrong(
        "algorithm: auto", "algorithm: {distance: d1}", "algorithm.distance", "14:13", "to be named", "is missing: ag"
    ),
    Wrong("algorithm: auto", "algorithm: {distnace: d1}", "algorithm.distnace", "14:13", "expected no keys"),
    Wrong(
        "algorithm: auto",
        "algorithm: {name: k-member, class_penalty: nan}",
        "algorithm.class_penalty",
        "14:44",
        "is not a finite number",
    ),
    Wrong("algorithm: auto", "algorithm: {name: sequential, alpha: 2}", "algorithm.alpha", "14:38", "of at most 1"),
    Wrong("seed: 0", "seed: -1", "seed", "15:7", "of at least 0 and less than 9223372036854775808"),
    Wrong(
        "seed: 0", "effort: thoroug", "effort", "15:9", "fast | balanced | thorough or a whole number", "mean thorough?"
    ),
    Wrong("seed: 0", "effort: -1", "effort", "15:9", "fast | balanced | thorough or a whole number of at least"),
    Wrong("seed: 0", "effort: 0.5", "effort", "15:9", "fast | balanced | thorough or a whole number of at least"),
    Wrong(
        "seed: 0", "time_limit: 60", "time_limit", "15:13", "expected a text like 60s, got 60", "a number with a unit"
    ),
    Wrong("seed: 0", "time_limit: 60 s", "time_limit", "15:13", "not written as it should be", "a number with a unit"),
    Wrong("seed: 0", "time_limit: -1s", "time_limit", "15:13", "not written as it should be", "500ms, 60s, 10m or 1h"),
    Wrong("seed: 0", "time_limit: 2d", "time_limit", "15:13", "not written as it should be", "500ms, 60s, 10m or 1h"),
    Wrong("seed: 0", "time_limit: [1s]", "time_limit", "15:13", "got a list", "a number with a unit"),
    Wrong("seed: 0", "limits: {lmm: 0.3}", "limits.lmm", "15:10", "not a known measure", "did you mean lm?"),
    Wrong("seed: 0", "limits: {lm: 0}", "limits.lm", "15:14", "greater than 0"),
    Wrong("seed: 0", "engine: {backend: spark}", "engine.backend", "15:19", "not available yet"),
    Wrong("seed: 0", "engine: {backend: lokal}", "engine.backend", "15:19", "is not known", "did you mean local?"),
    Wrong("seed: 0", "engine: {shard_rows: 4}", "engine.shard_rows", "15:22", "not available yet", "or write auto"),
    Wrong("seed: 0", "engine: {threads: 0}", "engine.threads", "15:19", "auto or a whole number from 1 to 1024"),
    Wrong("seed: 0", "engine: {threads: 1025}", "engine.threads", "15:19", "auto or a whole number from 1 to 1024"),
    Wrong("seed: 0", "engine: {memory: 4G}", "engine.memory", "15:18", "not available yet"),
    Wrong("seed: 0", "engine: {master: 'local[2]'}", "engine.master", "15:18", "not available yet"),
    Wrong("seed: 0", "engine: {thread: 4}", "engine.thread", "15:10", "unknown key", "did you mean threads?"),
]


def mistakes_of(text: str, folder: Path) -> tuple[Mistake, ...]:
    file = folder / "spec.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(SpecError) as caught:
        parse(file, environ={})
    assert caught.value.exit_code == 2
    return caught.value.mistakes


def test_the_spec_that_the_wrong_ones_are_made_of_is_right(tmp_path: Path) -> None:
    (tmp_path / "spec.yaml").write_text(RIGHT)
    assert parse(tmp_path / "spec.yaml", environ={}).privacy.k == 10


@pytest.mark.parametrize("wrong", ONE_MISTAKE, ids=lambda wrong: wrong.instead[:40])
def test_one_mistake_is_said_once_with_its_place_and_its_way_out(wrong: Wrong, tmp_path: Path) -> None:
    assert RIGHT.count(wrong.line + "\n") == 1
    (mistake,) = mistakes_of(RIGHT.replace(wrong.line + "\n", wrong.instead + "\n"), tmp_path)
    assert (mistake.where, mistake.path) == (f"{tmp_path}/spec.yaml:{wrong.at}", wrong.path)
    assert wrong.said in str(mistake)
    assert wrong.hint is None or wrong.hint in str(mistake.hint)
    assert len(mistake.got or "") <= 60


@pytest.mark.parametrize(
    ("columns", "path", "at", "said"),
    [
        ("[]", "quasi_identifiers", "4:20", "there are no quasi-identifiers"),
        ("{}", "quasi_identifiers", "4:20", "there are no quasi-identifiers"),
        ("[a, b, a]", "quasi_identifiers[2]", "4:27", "is named twice"),
        ("[a, {b: numeric}]", "quasi_identifiers", "4:20", "a plain list of names"),
        ("age", "quasi_identifiers", "4:20", "a plain list of names"),
        ("[a, diagnosis]", "sensitive", "5:12", "two roles"),
        ("", "quasi_identifiers", "4:19", "is empty"),
    ],
)
def test_quasi_identifiers_as_a_whole(columns: str, path: str, at: str, said: str, tmp_path: Path) -> None:
    text = RIGHT.replace("quasi_identifiers:\n  age: numeric\n  sex: categorical\n", f"quasi_identifiers: {columns}\n")
    (mistake,) = mistakes_of(text, tmp_path)
    assert (mistake.where, mistake.path) == (f"{tmp_path}/spec.yaml:{at}", path)
    assert said in str(mistake)


def test_everything_is_said_at_once_from_the_first_line_to_the_last(tmp_path: Path) -> None:
    text = (
        RIGHT.replace("version: 1", "version: 3")
        .replace("out/out.csv", "in.csv")
        .replace("numeric", "numerc")
        .replace("sensitive: diagnosis", "sensitive: sex")
        .replace("k: 10", "k: 1")
        .replace("measure: lm", "measure: dm")
        .replace("algorithm: auto", "algorithm: {name: mondrian, strikt: no}")
        .replace("seed: 0", "effort: fst\nfoo: bar")
    )
    lines = [int(str(mistake.where).split(":")[-2]) for mistake in mistakes_of(text, tmp_path)]
    assert lines == [1, 3, 5, 7, 11, 13, 14, 15, 16]


def test_a_class_penalty_needs_a_sensitive_column(tmp_path: Path) -> None:
    text = RIGHT.replace("sensitive: diagnosis\n", "").replace("  l: 2\n", "")
    (mistake,) = mistakes_of(text.replace("auto", "{name: k-member, class_penalty: 2}"), tmp_path)
    assert mistake.path == "algorithm.class_penalty"
    assert "sensitive: column" in str(mistake.hint)


def test_a_misspelt_required_key_is_unknown_and_missing(tmp_path: Path) -> None:
    said = [str(mistake).partition(" ")[2] for mistake in mistakes_of(RIGHT.replace("  k: 10", "  kk: 10"), tmp_path)]
    assert said == [
        "privacy.k: is missing (expected a whole number of at least 2)",
        "privacy.kk: unknown key; did you mean k?",
    ]


def test_a_key_is_shown_short_and_printable(tmp_path: Path) -> None:
    said = [mistake.path for mistake in mistakes_of(RIGHT + '"a\\eb": 1\n' + "x" * 99 + ": 2\n", tmp_path)]
    assert said == ["'a\\x1bb'", '"' + "x" * 57 + '..."']


@pytest.mark.parametrize("text", ["just a text", "[a, b]", "- a: b"])
def test_a_spec_is_a_mapping(text: str, tmp_path: Path) -> None:
    (mistake,) = mistakes_of(text, tmp_path)
    assert "a spec is a mapping" in mistake.what


def test_what_a_variable_holds_is_not_said(tmp_path: Path) -> None:
    file = tmp_path / "spec.yaml"
    file.write_text(RIGHT.replace("k: 10", "k: ${PASSWORD}").replace("output: out/out.csv", "output: ${PASSWORD}"))
    with pytest.raises(SpecError) as caught:
        parse(file, environ={"PASSWORD": "hunter2"})
    assert "hunter2" not in str(caught.value)
    assert str(caught.value).count("${PASSWORD}") == 2


@pytest.mark.parametrize(
    ("table", "release", "refused"),
    [
        ("data", "data/out.csv", True),
        ("data", "data/deep/out.csv", True),
        ("data", "out.csv", False),
        ("data/*.csv", "data/out.csv", True),
        ("data/*.csv", "data/out/out.csv", False),
        ("data/*.csv", "data/out.parquet", False),
        ("data/**/*.csv", "data/a/b/out.csv", True),
        ("*/[a-p]*.csv", "data/out.csv", True),
        ("link.csv", "data/in.csv", True),
        ("data/in.csv", "link.csv", True),
        ("data/in.csv", "hard.csv", True),
        ("t.yaml", "out.csv", False),
    ],
)
def test_a_release_among_the_files_of_the_input_is_refused(
    table: str, release: str, refused: bool, tmp_path: Path
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "in.csv").write_text("a\n1\n")
    (tmp_path / "link.csv").symlink_to(tmp_path / "data" / "in.csv")
    (tmp_path / "hard.csv").hardlink_to(tmp_path / "data" / "in.csv")
    file = tmp_path / "spec.yaml"
    file.write_text(RIGHT.replace("in.csv", f"'{table}'").replace("out/out.csv", release))
    if refused:
        assert [mistake.path for mistake in mistakes_of(file.read_text(), tmp_path)] == ["output"]
    else:
        assert parse(file, environ={}).output is not None


def test_a_release_over_a_taxonomy_is_refused(tmp_path: Path) -> None:
    text = RIGHT.replace("age: numeric", "edu: {taxonomy: out/../t.csv}").replace("out/out.csv", "t.csv")
    (mistake,) = mistakes_of(text, tmp_path)
    assert "would overwrite the taxonomy of edu" in str(mistake)


def test_a_measure_of_sensitive_values_needs_such_a_column(tmp_path: Path) -> None:
    text = RIGHT.replace("measure: lm", "measure: {name: wmi, w: 0.25}")
    (mistake,) = mistakes_of(text.replace("sensitive: diagnosis\n", "").replace("  l: 2\n", ""), tmp_path)
    assert "wmi is about a sensitive column, and there are none" in str(mistake)


def test_fairness_is_about_a_column_of_the_release(tmp_path: Path) -> None:
    for name, hint in (("sexx", "did you mean sex?"), ("name", "name one that is released")):
        text = RIGHT.replace("output: out/out.csv", f"output: {{path: out/out.csv, fairness: {name}}}")
        (mistake,) = mistakes_of(text, tmp_path)
        assert str(mistake.path) == "output.fairness"
        assert mistake.hint == hint


def test_a_table_of_parts_and_the_table_of_later_parts_have_nothing_in_common() -> None:
    assert not set(LATER_NAMES["algorithm"]) & set(algorithms.TABLE)
    assert not set(LATER_NAMES["backend"]) & set(backends.TABLE)
    assert not set(LATER_NAMES["measure"]) & set(measures.TABLE)


KEYS = ["version", "input", "output", "quasi_identifiers", "sensitive", "keep", "privacy", "measure", "algorithm"]
KEYS += ["effort", "limits", "engine", "path", "k", "l", "suppression", "rows", "name", "taxonomy", "intervals", "type"]
SCALARS = st.sampled_from(["1", "-1", "1e400", "nan", '""', "~", "auto", "calendar", "'\\0'", "${X}", "x.csv", "lm"])
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]"),
        st.dictionaries(st.sampled_from(KEYS), inner, max_size=4).map(
            lambda items: "{" + ", ".join(f"{key}: {value}" for key, value in items.items()) + "}"
        ),
    ),
    max_leaves=12,
)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(spec=st.text(max_size=60) | st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=9))
def test_any_spec_is_read_or_refused_as_a_spec(spec: str | dict[str, str], tmp_path: Path) -> None:
    text = spec if isinstance(spec, str) else "\n".join(f"{key}: {value}" for key, value in spec.items())
    file = tmp_path / "spec.yaml"
    file.write_text(text, encoding="utf-8")
    try:
        read = parse(file, environ={"X": "\0"})
    except SpecError as error:
        assert error.mistakes
    else:
        assert read.privacy.k >= 2


@pytest.mark.parametrize(
    ("privacy", "more", "path", "said"),
    [
        ("notion: global-(1,k)", "algorithm: kk", "algorithm", "keeps (k,k), which is less than global-(1,k)"),
        ("notion: (k,k)", "algorithm: k1-nearest", "algorithm", "keeps (k,1), which is less than (k,k)"),
        ("notion: (k,k)", "output: {path: o.csv, numeric: midpoint}", "output.numeric", "whose it could be"),
        ("{notion: (1,k)}", "", "privacy.notion", "all others stay as they were"),
    ],
)
def test_a_notion_goes_with_its_algorithms_and_with_cells_that_say_what_they_cover(
    privacy: str, more: str, path: str, said: str, tmp_path: Path
) -> None:
    text = RIGHT.replace("  l: 2", f"  {privacy.strip('{}')}")
    key = more.partition(":")[0]
    lines = [more if key and line.startswith(f"{key}:") else line for line in text.splitlines()]
    (mistake,) = mistakes_of("\n".join(lines) + "\n", tmp_path)
    assert mistake.path == path
    assert said in str(mistake)
