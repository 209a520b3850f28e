"""Columns to a file: the same columns give the same bytes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from kanon_cli.tables.sources import compression_for, layout_for
from kanon_cli.tables.text import collect, encode, value_type

BATCH_ROWS = 1 << 17


def write(columns: Mapping[str, Any], file: Path, target: Path, null_text: str = "") -> None:
    r"""Write Arrow columns (strings, dictionaries or typed) to `file`, in the format that the ending of `target` says.

    Text files are RFC 4180 in UTF-8 with "\n". A missing value is written as `null_text`, and a value that is the same
    text in quotes: most readers take both for the same, so there should be no such value. In a table of one column
    the empty text is always in quotes, since readers skip empty lines. Parquet and Arrow files keep the types; a
    dictionary column becomes a column of its values, so that no value that stands in no row gets out.
    What the system refuses is an OSError, for the caller to explain.
    """
    layout = layout_for(target)
    chunked = {
        name: column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column], type=column.type)
        for name, column in columns.items()
    }
    with file.open("wb") as sink:
        if layout.format == "parquet":
            _write_parquet(chunked, sink)
        elif layout.format == "arrow":
            _write_arrow(chunked, sink)
        elif (compression := compression_for(target)) == "none":
            _write_text(chunked, sink, layout.delimiter, null_text)
        else:  # pyarrow writes neither a time nor a name into a gzip header
            with pa.CompressedOutputStream(sink, compression) as out:
                _write_text(chunked, out, layout.delimiter, null_text)


def _write_parquet(columns: Mapping[str, Any], sink: BinaryIO) -> None:
    with pq.ParquetWriter(sink, _schema(columns), compression="zstd") as writer:
        for batch in _batches(columns):
            writer.write_batch(batch, row_group_size=BATCH_ROWS)


def _write_arrow(columns: Mapping[str, Any], sink: BinaryIO) -> None:
    options = pa.ipc.IpcWriteOptions(compression="lz4")
    with pa.ipc.new_file(sink, _schema(columns), options=options) as writer:
        for batch in _batches(columns):
            writer.write_batch(batch)


def _schema(columns: Mapping[str, Any]) -> Any:
    return pa.schema([(name, value_type(column.type)) for name, column in columns.items()])


def _batches(columns: Mapping[str, Any]) -> Iterator[Any]:
    """Batches of a fixed size, so that the bytes don't depend on how the columns are cut.

    `take` makes every array anew: as it is, a null may still have the value below it that it hides.
    """
    schema = _schema(columns)
    rows = max(map(len, columns.values()))
    for start in range(0, rows, BATCH_ROWS):
        index = pa.array(np.arange(min(BATCH_ROWS, rows - start)))
        arrays = [_plain(column.slice(start, BATCH_ROWS)).take(index) for column in columns.values()]
        yield pa.record_batch(arrays, schema=schema)


def _plain(column: Any) -> Any:
    is_encoded = pa.types.is_dictionary(column.type)
    return pa.concat_arrays([chunk.dictionary_decode() if is_encoded else chunk for chunk in column.chunks])


def _write_text(columns: Mapping[str, Any], out: Any, delimiter: str, null_text: str) -> None:
    """Write texts that were quoted once each, row by row: the buffer of the joined rows is the text of the file."""
    is_lone = len(columns) == 1
    names = _quoted(list(columns), delimiter)
    out.write((delimiter.join(names.to_pylist()) + "\n").encode())
    codes, cells = [], []
    for column in columns.values():
        texts = collect([encode(chunk) for chunk in column.chunks], column.type)
        missing = _quoted([null_text], delimiter, in_quotes=[""] if is_lone else [])
        found = _quoted(texts.text, delimiter, in_quotes=["", null_text] if is_lone else [null_text])
        codes.append(texts.code_of)
        cells.append(pa.concat_arrays([missing, found]))  # [code + 1]
    large = pa.large_string()
    cells[-1] = pc.binary_join_element_wise(cells[-1], pa.scalar("\n", large), pa.scalar("", large))
    for start in range(0, len(codes[0]), BATCH_ROWS):
        parts = [
            cell.take(pa.array(code[start : start + BATCH_ROWS] + 1)) for cell, code in zip(cells, codes, strict=True)
        ]
        rows = pc.binary_join_element_wise(*parts, pa.scalar(delimiter, large))
        _, offsets, data = rows.buffers()
        out.write(data.slice(0, np.frombuffer(offsets, dtype=np.int64)[len(rows)]))


def _quoted(texts: Sequence[str] | Any, delimiter: str, in_quotes: Sequence[str] = ()) -> Any:
    """Texts as cells: in quotes if they hold a delimiter, a quote or a line end, or are asked for.

    A byte order mark at the beginning is quoted too, or else a reader would drop it from the first name of a header.
    """
    texts = pa.array(texts, pa.string()).cast(pa.large_string())
    needed = pc.match_substring_regex(texts, f'^\ufeff|[{delimiter}"\r\n]')
    asked = pc.is_in(texts, value_set=pa.array(in_quotes, pa.large_string()))
    mark, nothing = pa.scalar('"', pa.large_string()), pa.scalar("", pa.large_string())
    doubled = pc.replace_substring(texts, '"', '""')
    return pc.if_else(pc.or_(needed, asked), pc.binary_join_element_wise(mark, doubled, mark, nothing), texts)
