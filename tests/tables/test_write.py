"""Tables go out so that they can be read again, in the same bytes each time, and with nothing but their cells."""

from __future__ import annotations

import csv
import datetime
import errno
import gzip
import io
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kanon_cli.errors import SpecError
from kanon_cli.tables import write as write_module
from kanon_cli.tables.decode import release_plain
from kanon_cli.tables.read import read, read_release
from kanon_cli.tables.sources import layout_for
from kanon_cli.tables.write import write

TARGETS = ["t.csv", "t.tsv", "t.csv.gz", "t.csv.zst", "t.tsv.bz2", "t.parquet", "t.arrow", "t.feather"]
SAME_FOLDER = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])

words = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), min_size=1, max_size=6)
cells = words | st.sampled_from(
    ["NA", "None", "nan", " x ", '"', "a,b", "a\tb", "\n", "\r\n", "\r", "007", "*", "\ufeff"]
)


@st.composite
def tables(draw: st.DrawFn) -> dict[str, list[str | None]]:
    """A few columns of any text, with missing values."""
    rows = draw(st.integers(0, 6))
    names = draw(st.lists(words, min_size=1, max_size=3, unique=True))
    return {name: draw(st.lists(cells | st.none(), min_size=rows, max_size=rows)) for name in names}


def back(file: Path, target: str, null_values: list[str] | None = None) -> dict[str, list[str | None]]:
    """What a stranger reads."""
    names, columns = read_release(file, Path(target), [""] if null_values is None else null_values)
    assert tuple(columns) == names
    text = {name: [*column.text.to_pylist(), None] for name, column in columns.items()}  # the code -1 is the None
    return {name: [text[name][code] for code in column.code_of.tolist()] for name, column in columns.items()}


def written(folder: Path, target: str, columns: dict[str, Any], null_text: str = "") -> bytes:
    """The bytes of the file."""
    file = folder / "release.tmp"
    write(columns, file, Path(target), null_text)
    return file.read_bytes()


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("encoded", [False, True])
@SAME_FOLDER
@given(table=tables())
def test_what_is_written_is_read_again(
    tmp_path: Path, target: str, encoded: bool, table: dict[str, list[str | None]]
) -> None:
    columns = {name: pa.array(values, pa.string()) for name, values in table.items()}
    if encoded:
        columns = {name: array.dictionary_encode() for name, array in columns.items()}
    written(tmp_path, target, columns)
    assert back(tmp_path / "release.tmp", target) == table


@SAME_FOLDER
@given(table=tables())
def test_pythons_csv_module_reads_the_same(tmp_path: Path, table: dict[str, list[str | None]]) -> None:
    columns = {name: pa.array(values, pa.string()) for name, values in table.items()}
    text = written(tmp_path, "t.csv", columns).decode()
    rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    assert rows == [list(table), *([value or "" for value in row] for row in zip(*table.values(), strict=True))]


def test_only_cells_that_need_quotes_have_them(tmp_path: Path) -> None:
    columns = {
        "a": pa.array(["x y", "1,5", 'say "hi"', " p ", "l\nm", "é*"]),
        "b,c": pa.array([None, "[1-2]", "{a|b}", "t\tu", "r\r", ""]),
    }
    expected = 'a,"b,c"\nx y,\n"1,5",[1-2]\n"say ""hi""",{a|b}\n p ,t\tu\n"l\nm","r\r"\né*,""\n'
    assert written(tmp_path, "t.csv", columns) == expected.encode()
    assert written(tmp_path, "t.tsv", columns).startswith(b'a\tb,c\nx y\t\n1,5\t[1-2]\n"say')
    assert b' p \t"t\tu"\n' in written(tmp_path, "t.tsv", columns)


def test_missing_values_are_the_null_text(tmp_path: Path) -> None:
    columns = {"a": pa.array(["x", None, ""]), "b": pa.array([1, 2, None])}
    assert written(tmp_path, "t.csv", columns, "NA") == b"a,b\nx,1\nNA,2\n,NA\n"
    assert back(tmp_path / "release.tmp", "t.csv", ["NA"]) == {"a": ["x", None, ""], "b": ["1", "2", None]}
    assert written(tmp_path, "t.csv", columns, "a,b").startswith(b'a,b\nx,1\n"a,b",2\n')


def test_a_value_that_reads_like_a_missing_one_is_quoted(tmp_path: Path) -> None:
    assert written(tmp_path, "t.csv", {"a": pa.array(["NA", None]), "b": pa.array(["", "x"])}, "NA") == (
        b'a,b\n"NA",\nNA,x\n'
    )


@pytest.mark.parametrize("null_text", ["", "NA"])
def test_one_column_has_no_empty_lines(tmp_path: Path, null_text: str) -> None:
    lines = written(tmp_path, "t.csv", {"a": pa.array(["x", None, "", "y"])}, null_text).split(b"\n")
    assert len(lines) == 6
    assert all(lines[:-1])


@pytest.mark.parametrize("target", TARGETS)
def test_the_same_columns_give_the_same_bytes_however_they_are_cut(
    tmp_path: Path, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write_module, "BATCH_ROWS", 64)
    array = pa.array([f"v{number % 37}" if number % 5 else None for number in range(300)])
    pieces = pa.chunked_array([array.slice(0, 1), array.slice(1, 150), array.slice(151)])
    kinds = [array, pieces, array.dictionary_encode(), pieces.dictionary_encode()]
    results = {written(tmp_path, target, {"a": kind, "b": kind}) for kind in kinds}
    assert len(results) == 1
    assert back(tmp_path / "release.tmp", target)["b"] == array.to_pylist()


@pytest.mark.parametrize("target", TARGETS)
def test_a_name_that_begins_like_a_byte_order_mark_stays_whole(tmp_path: Path, target: str) -> None:
    written(tmp_path, target, {"\ufeffa": pa.array(["\ufeffx"])})
    assert back(tmp_path / "release.tmp", target) == {"\ufeffa": ["\ufeffx"]}


def test_gzip_carries_no_time_and_no_name(tmp_path: Path) -> None:
    data = written(tmp_path, "t.csv.gz", {"a": pa.array(["x"])})
    assert data[3:8] == b"\0\0\0\0\0"  # no flags, so no name; then the time
    assert gzip.decompress(data) == b"a\nx\n"


@pytest.mark.parametrize("target", ["t.parquet", "t.arrow"])
def test_typed_columns_keep_their_types(tmp_path: Path, target: str) -> None:
    columns = {"n": pa.array([1, None]), "f": pa.array([1.5, 2]), "d": pa.array([1, 2], pa.date32())}
    columns["s"] = pa.array(["x", "y"]).dictionary_encode()
    written(tmp_path, target, columns)
    file = tmp_path / "release.tmp"
    schema = pq.read_schema(file) if target == "t.parquet" else pa.ipc.open_file(file).schema
    assert schema.types == [pa.int64(), pa.float64(), pa.date32(), pa.string()]
    assert not schema.metadata


@pytest.mark.parametrize("target", TARGETS)
def test_values_of_a_dictionary_that_no_row_has_do_not_get_out(tmp_path: Path, target: str) -> None:
    array = pa.DictionaryArray.from_arrays(pa.array([1, None, 1]), pa.array(["Rumpelstilz", "x"]))
    data = written(tmp_path, target, {"a": array, "b": array})
    plain = pa.CompressedInputStream(io.BytesIO(data), "gzip").read() if target.endswith(".gz") else data
    assert b"Rumpel" not in plain
    assert back(tmp_path / "release.tmp", target)["a"] == ["x", None, "x"]


@pytest.mark.parametrize("kind", [pa.int64(), pa.string()])
def test_what_lies_below_a_null_does_not_get_out(tmp_path: Path, kind: Any) -> None:
    """Arrow files hold the buffers as they are, also where the validity bits say that there is no value."""
    hidden = b"Rumpel!!"
    buffers = [pa.py_buffer(bytes([0b10])), pa.py_buffer(hidden + b"visible.")]
    if kind == pa.string():
        buffers.insert(1, pa.py_buffer(np.array([0, 8, 16], dtype=np.int32).tobytes()))
    array = pa.Array.from_buffers(kind, 2, buffers)
    assert array.null_count == 1
    data = written(tmp_path, "t.arrow", {"a": array})
    assert b"visible." in data  # so short a buffer is not compressed
    assert hidden not in data


@pytest.mark.parametrize("target", TARGETS)
def test_a_table_without_rows_is_written_and_read(tmp_path: Path, target: str) -> None:
    columns = {"a": pa.chunked_array([], pa.string()), "b": pa.array([], pa.int64())}
    written(tmp_path, target, columns)
    assert back(tmp_path / "release.tmp", target) == {"a": [], "b": []}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("target", TARGETS)
def test_a_full_disk_is_an_error_of_the_system(target: str) -> None:
    with pytest.raises(OSError, match=r"\[Errno 28\]") as caught:
        write({"a": pa.array(["x"] * 1000)}, Path("/dev/full"), Path(target))
    assert caught.value.errno == errno.ENOSPC


def test_an_unknown_ending_is_a_mistake_of_the_spec(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="ending"):
        write({"a": pa.array(["x"])}, tmp_path / "t", Path("t.xlsx"))
    assert not (tmp_path / "t").exists()


def test_the_target_and_not_the_file_says_how_a_release_is_written(tmp_path: Path) -> None:
    file = tmp_path / "wrong.csv.gz"
    write({"a": pa.array(["x"]), "b": pa.array(["y"])}, file, Path("t.tsv"), "")
    assert back(file, "t.tsv") == {"a": ["x"], "b": ["y"]}


TIME = datetime.time(4, 5, 6)
LATER = datetime.datetime(2020, 7, 31, 4, 5, 6)
ROUND = [  # every type that is read: an array, and the type that it is released with
    *((pa.array([1, None, 3], kind), kind) for kind in (pa.int8(), pa.int64(), pa.uint8(), pa.uint64())),
    *((pa.array(np.array([1.5, 0, -40], np.float16), kind), kind) for kind in (pa.float16(),)),
    *((pa.array([1.5, None, 1e20], kind), kind) for kind in (pa.float32(), pa.float64())),
    *((pa.array([1, None, 3], pa.int64()).cast(kind), kind) for kind in (pa.decimal128(38, 2), pa.decimal256(50, 3))),
    (pa.array([True, None, False]), pa.bool_()),
    *((pa.array([LATER.date(), None, None], kind), kind) for kind in (pa.date32(), pa.date64())),
    *(
        (pa.array([LATER, None, datetime.datetime(2020, 1, 1)], kind), kind)
        for unit in ("s", "ms", "us", "ns")
        for kind in (pa.timestamp(unit), pa.timestamp(unit, "UTC"), pa.timestamp(unit, "Europe/Berlin"))
    ),
    (pa.array([TIME, None, TIME], pa.time32("s")), pa.string()),
    (pa.array([TIME, None, TIME], pa.time32("ms")), pa.string()),
    (pa.array([TIME, None, TIME], pa.time64("us")), pa.string()),
    (pa.array([TIME, None, TIME], pa.time64("ns")), pa.string()),
    (pa.array(["b", None, "\u00fc"], pa.string()), pa.string()),
    (pa.array(["b", None, "\u00fc"], pa.large_string()), pa.large_string()),
    (pa.array(["b", None, "\u00fc"], pa.string_view()), pa.string()),
    (pa.array([b"b", None, b"a"], pa.binary()), pa.binary()),
    (pa.array([b"b", None, b"a"], pa.large_binary()), pa.large_binary()),
    (pa.array([b"b", None, b"a"], pa.binary_view()), pa.string()),
    (pa.array([b"b", None, b"a"], pa.binary(1)), pa.binary(1)),
    (pa.nulls(3), pa.string()),
]
if hasattr(pa, "decimal32"):  # pyarrow 18
    short = (pa.decimal32(5, 2), pa.decimal64(12, 2))
    ROUND += [(pa.array([Decimal("1.50"), None, Decimal("-0.01")], kind), kind) for kind in short]


@pytest.mark.parametrize(("array", "kind"), ROUND, ids=[str(array.type) for array, _ in ROUND])
@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_every_type_that_is_read_comes_out_again(tmp_path: Path, ending: str, array: Any, kind: Any) -> None:
    file, table = tmp_path / f"in.{ending}", pa.table({"a": array})
    if ending == "parquet":
        pq.write_table(table, file)
    else:
        with pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table)
    column = read([file], layout_for(file), ["a"])["a"]
    cells = release_plain(column).as_arrow(np.array([2, 0, 1]), typed=True)
    written(tmp_path, f"t.{ending}", {"a": cells})
    text = [*column.text.to_pylist(), None]
    assert back(tmp_path / "release.tmp", f"t.{ending}") == {"a": [text[column.code_of[row]] for row in (2, 0, 1)]}
    stored = column.arrow_type  # Parquet has no seconds and no date64
    assert stored == kind or (ending == "parquet" and str(kind)[:6] in ("date64", "timest"))
    if kind == array.type == stored:
        plain = cells.dictionary_decode() if pa.types.is_dictionary(cells.type) else cells
        assert plain.equals(array.take(pa.array([2, 0, 1])))
