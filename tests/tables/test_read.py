"""Tables come in exactly as they were written, and what is wrong with a file is said without its values."""

from __future__ import annotations

import bz2
import csv
import datetime
import errno
import gzip
import hashlib
import io
import os
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kanon_cli.errors import DataError, KanonError, SpecError
from kanon_cli.tables import stream
from kanon_cli.tables.columns import TextColumn
from kanon_cli.tables.read import header, read
from kanon_cli.tables.sources import Layout, find, layout_for, sha256

SECRET = "Rumpelstilz"  # noqa: S105  it stands in the data wherever an error is provoked, and never in a message
SAME_FOLDER = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def texts(column: TextColumn) -> list[str | None]:
    """The value of each row."""
    text = column.text.to_pylist()
    return [None if code < 0 else text[code] for code in column.code_of.tolist()]


def load(file: Path, **options: Any) -> dict[str, list[str | None]]:
    """All the columns of a file."""
    layout = layout_for(file, **options)
    return {name: texts(column) for name, column in read([file], layout, header([file], layout)).items()}


def put(folder: Path, data: bytes | str, name: str = "t.csv") -> Path:
    """A file with this content."""
    file = folder / name
    file.write_bytes(data if isinstance(data, bytes) else data.encode())
    return file


def refusal(file: Path, kind: type[KanonError] = DataError, **options: Any) -> str:
    """What is said about a file that cannot be read."""
    with pytest.raises(kind) as caught:
        load(file, **options)
    assert SECRET not in str(caught.value)
    assert caught.value.__cause__ is None
    return str(caught.value)


def test_values_are_text_exactly_as_written(tmp_path: Path) -> None:
    file = put(tmp_path, 'a,b\n007,NA\n 5 ,nan\n"x\ny","say ""hi"""\n1.0,NULL\n')
    assert load(file) == {"a": ["007", " 5 ", "x\ny", "1.0"], "b": ["NA", "nan", 'say "hi"', "NULL"]}


def test_only_the_listed_null_values_are_missing(tmp_path: Path) -> None:
    file = put(tmp_path, "a,b\n?,\nNA,na\n ?,x\n")
    assert load(file, null_values=["?", "NA"]) == {"a": [None, None, " ?"], "b": ["", "na", "x"]}
    assert load(file) == {"a": ["?", "NA", " ?"], "b": [None, "na", "x"]}


def test_codes_are_sorted_by_text_and_all_in_use(tmp_path: Path) -> None:
    file = put(tmp_path, "a,b\nz,1\né,1\nB,1\n,1\nz,1\na,1\n𝄞,1\n")
    column = read([file], layout_for(file), ["a"])["a"]
    assert column.text.to_pylist() == ["B", "a", "z", "é", "𝄞"]
    assert column.code_of.tolist() == [2, 3, 0, -1, 2, 1, 4]
    assert column.code_of.dtype == np.int32
    assert (column.rows, column.missing, column.arrow_type) == (7, 1, pa.string())


def test_only_the_asked_columns_are_read_in_the_asked_order(tmp_path: Path) -> None:
    file = put(tmp_path, "a,b,c\n1,2,3\n")
    assert list(read([file], layout_for(file), ["c", "a", "c"])) == ["c", "a"]
    assert read([file], layout_for(file), []) == {}


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("last", [True, False])
def test_every_kind_of_line_end_is_read(tmp_path: Path, end: str, last: bool) -> None:
    file = put(tmp_path, end.join(["a,b", "1,2", "3,4"]) + end * last)
    assert load(file) == {"a": ["1", "3"], "b": ["2", "4"]}


@pytest.mark.parametrize("data", ["a,b", "a,b\n", "\ufeffa,b\r\n"])
def test_a_header_alone_is_a_table_without_rows(tmp_path: Path, data: str) -> None:
    assert load(put(tmp_path, data)) == {"a": [], "b": []}


def test_empty_lines_are_rows_only_where_there_is_one_column(tmp_path: Path) -> None:
    assert load(put(tmp_path, 'a\n1\n\n2\n""\n')) == {"a": ["1", None, "2", None]}
    assert load(put(tmp_path, "a,b\n1,2\n\n3,4\n\n")) == {"a": ["1", "3"], "b": ["2", "4"]}
    assert load(put(tmp_path, 'a,b\n"1\n\n2",x\n')) == {"a": ["1\n\n2"], "b": ["x"]}


@pytest.mark.parametrize("raw_bytes", range(11, 20))
def test_line_ends_within_quotes_survive_wherever_the_file_is_cut(
    tmp_path: Path, raw_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cut between the two halves of a line end is where pyarrow alone would lose the second."""
    monkeypatch.setattr(stream, "RAW_BYTES", raw_bytes)
    values = ["\r\n", "x\r\ny", "\r\r\n", "\n\r", "ab\r\n"]
    file = put(tmp_path, "a\r\n" + "".join(f'"{value}"\r\n' for value in values))
    assert load(file) == {"a": list(values)}


def test_quotes_that_are_not_at_the_edge_of_a_value_are_part_of_it(tmp_path: Path) -> None:
    assert load(put(tmp_path, 'a,b\n5" pipe,1\nx "y" z,2"\n')) == {"a": ['5" pipe', 'x "y" z'], "b": ["1", '2"']}


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "utf-16-be", "utf-8-sig"])
def test_other_encodings_are_read(tmp_path: Path, encoding: str) -> None:
    file = put(tmp_path, "é,b\nGröße,ÿ\n".encode(encoding))
    assert load(file, encoding=encoding) == {"é": ["Größe"], "b": ["ÿ"]}


@pytest.mark.parametrize(
    ("ending", "pack"),
    [(".gz", gzip.compress), (".bz2", bz2.compress), (".zst", lambda raw: pa.compress(raw, "zstd", asbytes=True))],
)
def test_compressed_text_is_read_and_a_cut_file_refused(tmp_path: Path, ending: str, pack: Any) -> None:
    packed = pack(f"a,b\n{SECRET},2\n".encode())
    assert load(put(tmp_path, packed, f"t.csv{ending}"))["b"] == ["2"]
    assert load(put(tmp_path, packed + pack(b"3,4\n"), f"t.csv{ending}"))["b"] == ["2", "4"]
    assert "cannot be decompressed" in refusal(put(tmp_path, packed[:-4], f"t.csv{ending}"))
    assert "cannot be decompressed" in refusal(put(tmp_path, b"a,b\n1,2\n", f"t.csv{ending}"))


def test_another_delimiter_and_quote_are_read(tmp_path: Path) -> None:
    file = put(tmp_path, "a;b\n'x;y';z'\n")
    assert load(file, delimiter=";", quote="'") == {"a": ["x;y"], "b": ["z'"]}
    assert load(put(tmp_path, "a\tb\n1,5\t2\n", "t.tsv")) == {"a": ["1,5"], "b": ["2"]}


cells = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), max_size=6) | st.sampled_from(
    ["NA", "nan", "None", "", " x ", '"', '""', ",", "\n", "\r\n", "007", "-", "1e5", "true", "\ufeff"]
)


@SAME_FOLDER
@given(st.lists(st.tuples(cells, cells), max_size=8), st.sampled_from(["all \n", "all \r\n", "minimal \r\n"]))
def test_rows_are_those_of_pythons_csv_module(tmp_path: Path, rows: list[tuple[str, str]], style: str) -> None:
    """Minimal quotes with a bare line feed are left out: Python 3.11 doesn't quote a carriage return then."""
    buffer = io.StringIO(newline="")
    quoting, end = style.split(" ", 1)
    writer = csv.writer(buffer, lineterminator=end, quoting=csv.QUOTE_ALL if quoting == "all" else csv.QUOTE_MINIMAL)
    writer.writerows([("a", "b"), *rows])
    expected = list(csv.reader(io.StringIO(buffer.getvalue(), newline="")))[1:]
    found = load(put(tmp_path, buffer.getvalue()), null_values=[])
    assert [list(row) for row in zip(found["a"], found["b"], strict=True)] == expected


@SAME_FOLDER
@given(st.text(st.sampled_from('",\nx\r'), max_size=12))
def test_any_arrangement_of_quotes_is_read_as_pythons_strict_reader_reads_it(tmp_path: Path, body: str) -> None:
    """Where the strict reader refuses, or the rows have other lengths than the header, the file is refused."""
    file = put(tmp_path, f"a,b\n{body}")
    try:
        rows = [row for row in csv.reader(io.StringIO(f"a,b\n{body}", newline=""), strict=True) if row][1:]
    except csv.Error:
        rows = [["not closed"]]
    if all(len(row) == 2 for row in rows):
        found = load(file, null_values=[])
        assert [list(row) for row in zip(found["a"], found["b"], strict=True)] == rows
    else:
        refusal(file)


def test_a_large_file_has_the_right_codes(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    zips, names = random.integers(0, 50_000, 200_000), random.permutation(200_000)
    rows = [f'{code},"n, {name}"' for code, name in zip(zips, names, strict=True)]
    file = put(tmp_path, "zip,name\n" + "\n".join(rows))
    found = read([file], layout_for(file), ["zip", "name"])
    assert texts(found["zip"]) == [str(code) for code in zips]
    assert texts(found["name"]) == [f"n, {name}" for name in names]
    assert found["zip"].text.to_pylist() == sorted({str(code) for code in zips})


def typed(folder: Path, name: str, columns: dict[str, Any]) -> Path:
    """A Parquet or Arrow file, by its ending, written by pyarrow alone."""
    file, table = folder / name, pa.table(columns)
    if file.suffix == ".parquet":
        pq.write_table(table, file, row_group_size=2)
    elif file.suffix == ".feather":
        pyarrow.feather.write_feather(table, file, chunksize=2)
    else:
        with pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table, max_chunksize=2)
    return file


TYPED: list[tuple[Any, list[str | None]]] = [
    (pa.array([5, None, -3]), ["5", None, "-3"]),
    (pa.array([1.5, 40.0, 0.1 + 0.2]), ["1.5", "40", "0.30000000000000004"]),
    (pa.array([0.1, None, 1e20], pa.float32()), ["0.1", None, "1e+20"]),
    (pa.array([True, False, None]), ["true", "false", None]),
    (pa.array([datetime.date(2020, 1, 31), None, datetime.date(1, 1, 1)]), ["2020-01-31", None, "0001-01-01"]),
    (pa.array([Decimal("1.50"), Decimal("-0.01"), None]), ["1.50", "-0.01", None]),
    (pa.array(["b", None, "NA"]), ["b", None, "NA"]),
    (pa.array(["b", "", "b"], pa.large_string()), ["b", None, "b"]),
    (pa.array(["b", None, "a"]).dictionary_encode(), ["b", None, "a"]),
    (pa.array([b"b", None, "ü".encode()]), ["b", None, "ü"]),
    (pa.nulls(3), [None, None, None]),
    (pa.array([datetime.datetime(2020, 1, 31), None, datetime.datetime(1, 1, 1)]), ["2020-01-31", None, "0001-01-01"]),
    (
        pa.array([datetime.datetime(2020, 1, 31, 4, 5), None, datetime.datetime(2020, 1, 1, 0, 0, 0, 500_000)]),
        ["2020-01-31T04:05:00", None, "2020-01-01T00:00:00.500000"],
    ),
    (pa.array([datetime.datetime(2020, 1, 31), None], pa.timestamp("us", "UTC")), ["2020-01-31T00:00:00Z", None]),
]


@pytest.mark.parametrize(("array", "expected"), TYPED, ids=[str(array.type) for array, _ in TYPED])
@pytest.mark.parametrize("name", ["t.parquet", "t.arrow", "t.feather"])
def test_typed_values_become_text(tmp_path: Path, name: str, array: Any, expected: list[str | None]) -> None:
    assert load(typed(tmp_path, name, {"a": array})) == {"a": expected}


@given(st.lists(st.floats(allow_nan=False), min_size=1))
@SAME_FOLDER
def test_the_text_of_a_float_reads_back_as_the_same_float(tmp_path: Path, numbers: list[float]) -> None:
    found = load(typed(tmp_path, "t.parquet", {"a": numbers}))["a"]
    assert [float(text) for text in found if text is not None] == numbers


@pytest.mark.parametrize("listed", ["NaN", "nan", "NAN"])
def test_a_null_value_nan_stands_for_nan_in_floats_only(tmp_path: Path, listed: str) -> None:
    file = typed(tmp_path, "t.parquet", {"f": [1.5, float("nan"), None], "s": ["nAn", "x", None]})
    assert load(file, null_values=[listed]) == {"f": ["1.5", None, None], "s": ["nAn", "x", None]}
    assert load(file) == {"f": ["1.5", "nan", None], "s": ["nAn", "x", None]}


def test_values_of_a_dictionary_that_no_row_has_are_not_read(tmp_path: Path) -> None:
    array = pa.DictionaryArray.from_arrays(pa.array([2, 2, 3], pa.int8()), pa.array(["unused", "x", "x", None]))
    file = typed(tmp_path, "t.arrow", {"a": array})
    column = read([file], layout_for(file), ["a"])["a"]
    assert (column.text.to_pylist(), column.code_of.tolist()) == (["x"], [0, 0, -1])


@pytest.mark.parametrize("name", ["t.parquet", "t.arrow"])
def test_nested_columns_are_refused_with_name_and_type(tmp_path: Path, name: str) -> None:
    file = typed(tmp_path, name, {"tags": [[SECRET]], "who": [{"n": SECRET}], "c": [1]})
    said = refusal(file)
    assert "'tags'" in said
    assert "list<" in said
    assert "'who'" in said
    assert texts(read([file], layout_for(file), ["c"])["c"]) == ["1"]


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    file = typed(tmp_path, "t.parquet", {"a": [SECRET.encode() + b"\xff"]})
    assert "'a' holds some values that are no UTF-8 text" in refusal(file)


def test_the_files_of_a_folder_are_one_table(tmp_path: Path) -> None:
    put(tmp_path, "a,b\n1,2\n", "2.csv")
    put(tmp_path, gzip.compress(b"b,a\n4,3\n"), "1.csv.gz")
    for aside in ("_SUCCESS", "_old.csv", ".hidden.csv", "notes.txt"):
        put(tmp_path, "no table", aside)
    files = find(tmp_path)
    assert [file.name for file in files] == ["1.csv.gz", "2.csv"]
    found = read(files, layout_for(files[0]), ["a", "b"])
    assert {name: texts(column) for name, column in found.items()} == {"a": ["3", "1"], "b": ["4", "2"]}


def test_files_whose_types_differ_are_joined_as_text(tmp_path: Path) -> None:
    midnight = datetime.datetime(2020, 1, 1)
    first = typed(tmp_path, "1.parquet", {"n": [1], "m": [1], "d": pa.array([midnight], pa.timestamp("ms"))})
    second = typed(tmp_path, "2.parquet", {"n": ["x"], "m": [2.5], "d": pa.array([midnight], pa.timestamp("us"))})
    found = read([first, second], layout_for(first), ["n", "m", "d"])
    assert {name: texts(column) for name, column in found.items()} == {
        "n": ["1", "x"],
        "m": ["1", "2.5"],
        "d": ["2020-01-01", "2020-01-01"],
    }
    assert [found[name].arrow_type for name in "nmd"] == [pa.string(), pa.float64(), pa.timestamp("us")]


def test_files_of_a_folder_that_disagree_are_named_with_their_columns(tmp_path: Path) -> None:
    put(tmp_path, "a,b\n1,2\n", "1.csv")
    put(tmp_path, f"a,c\n{SECRET},2\n", "2.csv")
    files = find(tmp_path)
    with pytest.raises(DataError, match=r"2\.csv.*got 2 columns, 1 of them the same"):
        header(files, layout_for(files[0]))


def test_a_glob_finds_files_in_folders(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    files = (put(tmp_path, "a\n", "b.csv"), put(tmp_path, "a\n", "x/a.csv"))
    assert find(tmp_path / "**" / "*.csv") == files
    assert find(tmp_path / "[b].csv") == files[:1]
    assert find(put(tmp_path, "a\n", "[1].csv")) == (tmp_path / "[1].csv",)


def test_a_table_that_is_not_there_is_an_error_with_a_hint(tmp_path: Path) -> None:
    put(tmp_path, "a\n", "patients.csv")
    with pytest.raises(DataError, match=r"no such file.*did you mean 'patients\.csv'"):
        find(tmp_path / "patient.csv")
    with pytest.raises(DataError, match="no file matches"):
        find(tmp_path / "*.parquet")
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="holds no table"):
        find(tmp_path / "empty")


def test_a_folder_of_several_formats_is_refused(tmp_path: Path) -> None:
    put(tmp_path, "a\n", "1.csv")
    typed(tmp_path, "2.parquet", {"a": [1]})
    with pytest.raises(DataError, match=r"different formats.*csv, parquet"):
        find(tmp_path)


def test_the_checksum_is_of_the_bytes(tmp_path: Path) -> None:
    one, two = put(tmp_path, "1", "1.csv"), put(tmp_path, "2", "2.csv")
    digests = [hashlib.sha256(text).digest() for text in (b"1", b"2")]
    assert sha256([one]) == digests[0].hex()
    assert sha256([one, two]) == hashlib.sha256(b"".join(digests)).hexdigest()
    with pytest.raises(DataError, match=r"gone\.csv: the file cannot be read"):
        sha256([tmp_path / "gone.csv"])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.csv", ("csv", ",")),
        ("a.CSV.GZ", ("csv", ",")),
        ("a.tsv.zst", ("tsv", "\t")),
        ("a.parquet", ("parquet", ",")),
        ("a.feather", ("arrow", ",")),
        ("a.ipc", ("arrow", ",")),
    ],
)
def test_the_ending_tells_the_format(name: str, expected: tuple[str, str]) -> None:
    layout = layout_for(Path(name))
    assert (layout.format, layout.delimiter) == expected


def test_the_options_of_the_spec_overrule_the_ending() -> None:
    layout = layout_for("data.txt", "csv", ";", "'", "latin-1", ["?"])
    assert layout == Layout("csv", ";", "'", "latin-1", ("?",))


@pytest.mark.parametrize(
    ("path", "options", "said"),
    [
        ("a.txt", {}, "set input.format"),
        ("a.parquet.gz", {}, "set input.format"),
        ("folder", {}, "set input.format"),
        ("a.csv", {"encoding": "utf-9"}, "unknown encoding"),
        ("a.csv", {"encoding": "base64"}, "unknown encoding"),
        ("a.csv", {"delimiter": "::"}, "input.delimiter"),
        ("a.csv", {"delimiter": "§"}, "input.delimiter"),
        ("a.csv", {"quote": "\n"}, "input.quote"),
        ("a.csv", {"quote": ","}, "are the same"),
        ("a.parquet", {"delimiter": ","}, "has no delimiter"),
    ],
)
def test_a_layout_that_cannot_be_is_a_mistake_of_the_spec(path: str, options: dict[str, Any], said: str) -> None:
    with pytest.raises(SpecError, match=said):
        layout_for(path, **options)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("", "the file is empty"),
        ("\ufeff", "the file is empty"),
        (f"\na,b\n{SECRET},1\n", "column 1 of 1 has no name"),
        (f",b\n{SECRET},1\n", "column 1 of 2 has no name"),
        (f"a,b,a,a\n{SECRET},1,2,3\n", "columns 1 and 3 and 4 have the same name"),
        (f"a,b\n1,2\n{SECRET}\n1,2\n1,2,{SECRET}\n", "t.csv:3: 2 rows have another number of fields"),
        (f'a,b\n"x\ny",2\n{SECRET},2,3\n', "t.csv:4: 1 row has another number of fields"),
        (f"a,b\n{SECRET},2,3\n", "(expected 2, got 3)"),
        (f'a,b\n1,2\n1,"{SECRET}\n3,4\n5,6\n', "t.csv:3: a quoted value is not closed"),
        (f'a,b\n1,"{SECRET}\n3,"4"\n5,6\n', "t.csv:2: a quoted value is not closed, or goes on after"),
        (f'a,b\n1,"{SECRET}" x\n', "t.csv:2: a quoted value is not closed, or goes on after"),
        (f'"a,b\n1,{SECRET}\n', "t.csv:1: a quoted value is not closed"),
        (f"a,b\n1,2\n{SECRET},\0\n", "t.csv:3: the text holds a NUL"),
        (f"a,b\n1,2\n{SECRET},é\n".encode("latin-1"), "t.csv:3: the text isn't utf-8"),
        (f"a,b\n{SECRET},2\n".encode("utf-16"), "t.csv:1: the text isn't utf-8"),
        (f"a,b\n{SECRET},2\n".encode("utf-16-le"), "utf-16 text looks like this"),
    ],
)
def test_what_is_wrong_with_a_text_file_is_said_without_its_values(
    tmp_path: Path, data: bytes | str, said: str
) -> None:
    assert said in refusal(put(tmp_path, data))


@pytest.mark.parametrize("raw_bytes", range(1, 16))
def test_the_line_of_a_wrong_byte_is_right_wherever_the_file_is_cut(
    tmp_path: Path, raw_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "RAW_BYTES", raw_bytes)
    assert "t.csv:4:" in refusal(put(tmp_path, b"\xc3\xa9,b\n1,2\n\xe2\x82\xac,\xe2\x82\xac\n1,\xff\xff\n1,2\n"))
    cut = "a,b\n1,2\n3".encode("utf-16")[:-1]
    assert "t.csv:3: the text isn't utf-16" in refusal(put(tmp_path, cut), encoding="utf-16")


def test_a_row_that_is_too_long_to_be_read_is_an_error(tmp_path: Path) -> None:
    file = put(tmp_path, "a,b\n1," + SECRET * 1_000_000 + "\n")
    assert "t.csv:2: a value has over 131,072 characters" in refusal(file)
    names = [f"c{number}" for number in range(100)]
    file = put(tmp_path, ",".join(names) + "\n" + ",".join([SECRET * 9_000] * 100) + "\n")
    assert "rows of less than 2 MB" in refusal(file)


def test_a_long_value_is_read(tmp_path: Path) -> None:
    assert load(put(tmp_path, f'a,b\n1,"{"x," * 500_000}"\n'))["b"] == ["x," * 500_000]


@pytest.mark.parametrize("name", ["t.parquet", "t.arrow"])
def test_a_damaged_typed_file_is_an_error(tmp_path: Path, name: str) -> None:
    whole = typed(tmp_path, name, {"a": [SECRET] * 100}).read_bytes()
    assert "the file is empty" in refusal(put(tmp_path, b"", name))
    for data in (b"a,b\n1,2\n", whole[:-9], whole[:20]):
        assert "isn't a whole" in refusal(put(tmp_path, data, name))


def test_columns_of_a_typed_file_must_have_names_of_their_own(tmp_path: Path) -> None:
    table = pa.table([[1], [2], [3]], names=["a", "a", ""])
    pq.write_table(table, tmp_path / "t.parquet")
    said = refusal(tmp_path / "t.parquet")
    assert "columns 1 and 2 have the same name" in said
    assert "column 3 of 3 has no name" in said


@pytest.mark.parametrize("name", ["gone.csv", "gone.csv.gz", "gone.parquet", "gone.arrow"])
def test_a_file_that_is_gone_is_an_error_of_the_data(tmp_path: Path, name: str) -> None:
    assert "cannot be read (got No such file or directory)" in refusal(tmp_path / name)


def test_all_missing_columns_are_named_with_the_nearest_there_is(tmp_path: Path) -> None:
    file = put(tmp_path, "age,zip_code\n1,2\n")
    with pytest.raises(DataError) as caught:
        read([file], layout_for(file), ["age", "zipcode", "Country"])
    assert [mistake.what for mistake in caught.value.mistakes] == [
        "there is no column 'zipcode'",
        "there is no column 'Country'",
    ]
    assert caught.value.mistakes[0].hint == "did you mean 'zip_code'?"


def test_a_wrong_delimiter_is_guessed_from_a_header_of_one_name(tmp_path: Path) -> None:
    file = put(tmp_path, "age;zip\n1;2\n")
    with pytest.raises(DataError, match=r"check input\.delimiter"):
        read([file], layout_for(file), ["income"])


def test_a_first_line_that_may_be_data_is_not_quoted(tmp_path: Path) -> None:
    """Parts of which only the first has a header, and a file without one."""
    (tmp_path / "p0.csv").write_text("age,dx\n34,Flu\n")
    (tmp_path / "p1.csv").write_text(f"{SECRET},Cancer\n")
    with pytest.raises(DataError) as refusal:
        header(find(tmp_path), layout_for(tmp_path / "p0.csv"))
    assert SECRET not in str(refusal.value)
    (tmp_path / "q.csv").write_text(f"{SECRET},Cancer,Cancer\n")
    with pytest.raises(DataError) as refusal:
        header(find(tmp_path / "q.csv"), layout_for(tmp_path / "q.csv"))
    assert "Cancer" not in str(refusal.value)
    with pytest.raises(DataError) as refusal:
        read(find(tmp_path / "p1.csv"), layout_for(tmp_path / "p1.csv"), ["Cancel"])
    assert "Cancer" not in str(refusal.value)


def test_what_cannot_be_looked_at_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path / ("n" * 300), Path("/dev/null")):
        with pytest.raises(DataError):
            find(path)


def test_a_name_is_guessed_only_from_what_must_be_a_header(tmp_path: Path) -> None:
    file = put(tmp_path, "Cancer,age\nx,1\n")
    for asked, hint in ((["Cancel"], None), (["Cancel", "age"], "did you mean 'Cancer'?")):
        with pytest.raises(DataError) as caught:
            read([file], layout_for(file), asked)
        assert caught.value.mistakes[0].hint == hint


def test_a_pipe_is_no_table(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "t.csv")
    with pytest.raises(DataError, match=r"t\.csv: is not a regular file"):
        find(tmp_path / "t.csv")


def test_what_the_system_refuses_is_an_error_of_the_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "loop.csv").symlink_to(tmp_path / "loop.csv")
    with pytest.raises(DataError, match=r"loop\.csv: there is no such file"):
        find(tmp_path / "loop.csv")
    with pytest.raises(DataError, match=r"cannot be read \(got File name too long"):
        find(tmp_path / ("n" * 300))

    def refuse(_: Path) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", refuse)  # root may read every folder
    with pytest.raises(DataError, match=r"cannot be read \(got Permission denied"):
        find(tmp_path)


def broken(kind: Any) -> Any:
    """An array of texts of which the first is no UTF-8."""
    data = pa.array([SECRET.encode() + b"\xff", b"x"], pa.large_binary() if kind == pa.large_string() else pa.binary())
    array = pa.Array.from_buffers(pa.large_string() if kind == pa.large_string() else pa.string(), 2, data.buffers())
    return array.dictionary_encode() if pa.types.is_dictionary(kind) else array.cast(kind)


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())], ids=str)
@pytest.mark.parametrize("name", ["t.parquet", "t.arrow"])
def test_texts_that_are_no_utf8_are_refused(tmp_path: Path, name: str, kind: Any) -> None:
    said = refusal(typed(tmp_path, name, {"ok": ["a", "b"], "a": broken(kind)}))
    assert "column 'a' holds some values that are no UTF-8 text" in said


def test_decimals_with_too_many_digits_together_are_joined_as_text(tmp_path: Path) -> None:
    first = typed(tmp_path, "1.parquet", {"n": pa.array([Decimal("1.5")], pa.decimal256(76, 70))})
    second = typed(tmp_path, "2.parquet", {"n": pa.array([2])})
    assert read([first, second], layout_for(first), ["n"])["n"].arrow_type == pa.string()
