"""Parquet and Arrow files: columns that have types."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from kanon_cli.errors import DataError, Mistake
from kanon_cli.tables.sources import Layout, unreadable
from kanon_cli.tables.text import encode, has_text

BATCH_ROWS = 1 << 17


def names_in(file: Path, layout: Layout) -> tuple[str, ...]:
    """Read the names of the columns."""
    with _opened(file, layout) as table:
        return tuple(_schema(table).names)


def chunks_in(file: Path, layout: Layout, columns: Sequence[str]) -> tuple[dict[str, list[Any]], dict[str, Any]]:
    """Read the asked columns as dictionary arrays of text, and their types."""
    chunks: dict[str, list[Any]] = {name: [] for name in columns}
    with _opened(file, layout) as table:
        schema = _schema(table)
        types = {name: schema.field(name).type for name in columns}
        _check_types(file, types)
        for batch in _batches(table, columns):
            for name in columns:
                chunks[name].append(_encode(file, name, batch.column(name)))
    return chunks, types


@contextmanager
def _opened(file: Path, layout: Layout) -> Iterator[Any]:
    """Open the file as a pq.ParquetFile or a pa.ipc.RecordBatchFileReader; what fails inside is a DataError.

    The messages of pyarrow are not passed on: they may quote data.
    """
    with ExitStack() as stack:
        try:
            if file.stat().st_size == 0:
                raise DataError(Mistake("the file is empty", where=str(file), expected=f"a table in {layout.format}"))
            source = stack.enter_context(pa.memory_map(str(file)))
            is_parquet = layout.format == "parquet"
            yield pq.ParquetFile(source) if is_parquet else pa.ipc.open_file(source)
        except (OSError, pa.ArrowException) as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise unreadable(file, error) from None
            kind = {"parquet": "Parquet", "arrow": "Arrow IPC (or Feather 2)"}[layout.format]
            hint = "it is damaged or cut off, or its ending or input.format is wrong"
            raise DataError(Mistake(f"this isn't a whole {kind} file", where=str(file), hint=hint)) from None


def _schema(table: Any) -> Any:
    return table.schema_arrow if isinstance(table, pq.ParquetFile) else table.schema


def _batches(table: Any, columns: Sequence[str]) -> Iterator[Any]:
    if isinstance(table, pq.ParquetFile):
        yield from table.iter_batches(BATCH_ROWS, columns=list(columns))
    else:
        yield from (table.get_batch(number) for number in range(table.num_record_batches))


def _check_types(file: Path, types: dict[str, Any]) -> None:
    mistakes = [
        Mistake(f"column {name!r} has values that are no single text, number or date", where=str(file), got=str(kind))
        for name, kind in types.items()
        if not has_text(kind)
    ]
    if mistakes:
        raise DataError(*mistakes)


def _encode(file: Path, name: str, array: Any) -> Any:
    try:
        return encode(array)
    except pa.ArrowInvalid:
        what = f"column {name!r} holds some values that are no UTF-8 text"
        raise DataError(Mistake(what, where=str(file), got=str(array.type))) from None
