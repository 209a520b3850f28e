"""Files to columns of text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from kanon_cli.errors import DataError, Mistake, did_you_mean
from kanon_cli.tables import delimited, typed
from kanon_cli.tables.columns import TextColumn
from kanon_cli.tables.sources import Layout, compression_for, layout_for
from kanon_cli.tables.text import collect, value_type


def header(files: Sequence[Path], layout: Layout) -> tuple[str, ...]:
    """Read the names of the columns, which all the files must have, in the order of the first."""
    first = _header_of(files[0], layout)
    mistakes = []
    for file in files[1:]:
        names = _header_of(file, layout)
        if set(names) != set(first):
            shared = len(set(names) & set(first))
            what = "the file has other columns than the first file of the table"
            got = f"{len(names)} columns, {shared} of them the same"
            hint = None if shared else "does its first line hold the column names?"
            expected = f"the {len(first)} columns of {files[0]}"
            mistakes.append(Mistake(what, where=str(file), expected=expected, got=got, hint=hint))
    if mistakes:
        raise DataError(*mistakes)
    return first


def read(files: Sequence[Path], layout: Layout, columns: Sequence[str]) -> dict[str, TextColumn]:
    """Read the asked columns of all the files, one file after the other, as text.

    Text files are taken exactly as written. Typed files: see `kanon_cli.tables.text`. The null values of the layout
    are missing, and so are the nulls of typed files.
    """
    names = header(files, layout)
    _check_columns(files[0], layout, names, columns)
    chunks, types = _gather(files, layout, list(dict.fromkeys(columns)))
    return {name: collect(chunks.pop(name), kind, layout.null_values) for name, kind in types.items()}


def read_release(file: Path, target: Path, null_values: Sequence[str]) -> tuple[tuple[str, ...], dict[str, TextColumn]]:
    """Read all the columns of a finished file, with their names; the ending of `target` says how it is written."""
    layout = layout_for(target, null_values=null_values)
    if layout.is_text:
        layout = replace(layout, compression=compression_for(target))
    names = header([file], layout)
    return names, read([file], layout, names)


def _header_of(file: Path, layout: Layout) -> tuple[str, ...]:
    names = delimited.names_in(file, layout) if layout.is_text else typed.names_in(file, layout)
    mistakes = []
    if not all(names):
        what = f"column {names.index('') + 1} of {len(names)} has no name"
        hint = "the first line must hold the column names (pandas writes its index without one: use index=False)"
        mistakes.append(Mistake(what, where=str(file), hint=hint))
    for name in (name for name, count in Counter(names).items() if count > 1 and name):
        places = " and ".join(str(at) for at, other in enumerate(names, start=1) if other == name)
        hint = "rename them; if the first line holds data, put a line with the column names before it"
        mistakes.append(Mistake(f"the columns {places} have the same name", str(file), hint=hint))
    if not names:
        mistakes.append(Mistake("the table has no columns", where=str(file)))
    if mistakes:
        raise DataError(*mistakes)
    return names


def _check_columns(file: Path, layout: Layout, names: Sequence[str], columns: Sequence[str]) -> None:
    missing = [name for name in dict.fromkeys(columns) if name not in names]
    if missing:
        lone = (
            "the header is a single name: check input.delimiter (or --delimiter)"
            if layout.is_text and len(names) == 1
            else None
        )
        known = names if len(missing) < len(set(columns)) else ()  # a line with no known name may be data: not quoted
        hints = (did_you_mean(name, known) or lone for name in missing)
        what = (f"there is no column {name!r}" for name in missing)
        raise DataError(*(Mistake(text, str(file), hint=hint) for text, hint in zip(what, hints, strict=True)))


def _gather(
    files: Sequence[Path], layout: Layout, columns: Sequence[str]
) -> tuple[dict[str, list[Any]], dict[str, Any]]:
    chunks: dict[str, list[Any]] = {name: [] for name in columns}
    types: dict[str, list[Any]] = {name: [] for name in columns}
    for file in files if columns else ():
        if layout.is_text:
            found = delimited.chunks_in(file, layout, _header_of(file, layout), columns)
            found_types = dict.fromkeys(columns, pa.string())
        else:
            found, found_types = typed.chunks_in(file, layout, columns)
        for name in columns:
            chunks[name].extend(found[name])
            types[name].append(value_type(found_types[name]))
    return chunks, {name: _common(types[name]) for name in columns}


def _common(types: Sequence[Any]) -> Any:
    """Find the type that holds the values of all the files, or else text."""
    try:
        schemas = [pa.schema([("", kind)]) for kind in types]
        return pa.unify_schemas(schemas, promote_options="permissive").field(0).type
    except (pa.ArrowTypeError, pa.ArrowInvalid):  # the latter: decimals with too many digits together
        return pa.string()
