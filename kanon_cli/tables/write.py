"""Columns to a file: the same columns give the same bytes."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from kanon_cli.tables.sources import Layout, compression_for, layout_for
from kanon_cli.tables.text import collect, encode, value_type

BATCH_ROWS = 1 << 17


def write(columns: Mapping[str, Any], file: Path, target: Path, null_text: str = "") -> None:
    """Write Arrow columns (strings, dictionaries or typed) to `file`, in the format that the ending of `target` says.

    Text files are RFC 4180 in UTF-8 with "\\n"; missing values are `null_text`, and a value that reads like it is
    quoted. Parquet and Arrow files keep the types; a dictionary column becomes a column of its values, so that no value
    that stands in no row gets out. What the system refuses is an OSError, for the caller to explain.
    """
    layout = layout_for(target)
    chunked = {name: column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column]) for name, column in columns.items()}
    with file.open("wb") as sink:
        if layout.format == "parquet":
            _write_parquet(chunked, sink)
        elif layout.format == "arrow":
            _write_arrow(chunked, sink)
        else:
            _write_text(chunked, sink, target, layout, null_text)


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

    Every array is made anew: a slice would bring along its neighbours, and a null the value that was there before.
    """
    schema = _schema(columns)
    rows = len(next(iter(columns.values())))
    for start in range(0, rows, BATCH_ROWS):
        index = pa.array(np.arange(min(BATCH_ROWS, rows - start)))
        arrays = [_plain(column.slice(start, BATCH_ROWS)).take(index) for column in columns.values()]
        yield pa.record_batch(arrays, schema=schema)


def _plain(column: Any) -> Any:
    kind = value_type(column.type)
    chunks = [chunk.dictionary_decode() if pa.types.is_dictionary(chunk.type) else chunk for chunk in column.chunks]
    return pa.concat_arrays(chunks) if chunks else pa.array([], kind)


def _write_text(columns: Mapping[str, Any], sink: BinaryIO, target: Path, layout: Layout, null_text: str) -> None:
    needs_quotes = re.compile(f"[{re.escape(layout.delimiter)}\"\r\n]|^\ufeff")
    with ExitStack() as stack:
        compression = compression_for(target)
        out: Any = sink
        if compression != "none":  # pyarrow writes neither a time nor a name into the gzip header
            out = stack.enter_context(pa.CompressedOutputStream(sink, compression))
        names = [f'"{name}"'.replace  for name in columns]
