"""CSV and TSV: every value exactly as written."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import csv

from kanon_cli.errors import DataError, Mistake
from kanon_cli.tables.sources import Layout
from kanon_cli.tables.stream import PIECE_BYTES, RAW_BYTES, TextStream, check_quotes, records
from kanon_cli.tables.text import ENCODED


def names_in(file: Path, layout: Layout) -> tuple[str, ...]:
    """Read the first record: the names of the columns."""
    with closing(records(file, layout)) as all_records:
        for _, fields in all_records:
            return tuple(fields) or ("",)
    raise DataError(Mistake("the file is empty", where=str(file), expected="a first line with the column names"))


def chunks_in(file: Path, layout: Layout, names: Sequence[str], columns: Sequence[str]) -> dict[str, list[Any]]:
    """Read the asked columns as dictionary arrays, with nothing taken for missing.

    Empty lines are no rows, except in a table of one column, where an empty line is an empty value.
    """
    wrong_widths: set[int] = set()

    def skip(row: Any) -> str:
        wrong_widths.add(row.actual_columns)
        return "skip"

    with TextStream(file, layout) as stream:
        try:
            table = csv.read_csv(
                pa.PythonFile(stream, mode="r"),
                read_options=csv.ReadOptions(block_size=PIECE_BYTES),
                parse_options=csv.ParseOptions(
                    delimiter=layout.delimiter,
                    quote_char=layout.quote,
                    newlines_in_values=True,
                    ignore_empty_lines=len(names) > 1,
                    invalid_row_handler=skip,
                ),
                convert_options=csv.ConvertOptions(
                    include_columns=list(columns),
                    column_types=dict.fromkeys(columns, ENCODED),
                    strings_can_be_null=False,
                ),
            )
        except pa.ArrowException:  # its message quotes data
            raise _unparsable(file, layout) from None
    if not stream.quotes.proper:
        check_quotes(file, layout)
    if wrong_widths:
        raise _ragged(file, layout, len(names))
    return {name: table.column(name).chunks for name in columns}


def _unparsable(file: Path, layout: Layout) -> DataError:
    check_quotes(file, layout)
    what = f"the file cannot be split into rows of less than {RAW_BYTES >> 20} MB"
    return DataError(Mistake(what, where=str(file), hint="look for a quote that is not closed"))


def _ragged(file: Path, layout: Layout, width: int) -> DataError:
    """Count the records that have too few or too many fields, and name the first."""
    count, first_line, first_width = 0, 0, 0
    for line, fields in records(file, layout):
        if fields and len(fields) != width:
            if not count:
                first_line, first_width = line, len(fields)
            count += 1
    rows = "1 row has" if count == 1 else f"{count:,} rows have"
    what = f"{rows} another number of fields than the header, this line first"
    hint = "check input.delimiter, and quote the values that hold a delimiter"
    return DataError(Mistake(what, f"{file}:{first_line}", expected=f"{width}", got=f"{first_width}", hint=hint))
