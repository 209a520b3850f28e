"""Arrow arrays as text: the values' texts once each, and a code a row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kanon_cli.tables.columns import TextColumn

ENCODED = pa.dictionary(pa.int32(), pa.string())
_WITH_TEXT = (
    pa.types.is_integer,
    pa.types.is_floating,
    pa.types.is_decimal,
    pa.types.is_boolean,
    pa.types.is_date,
    pa.types.is_time,
    pa.types.is_timestamp,
    pa.types.is_string,
    pa.types.is_large_string,
    pa.types.is_string_view,
    pa.types.is_binary,  # some writers mark no text as text
    pa.types.is_large_binary,
    pa.types.is_binary_view,
    pa.types.is_fixed_size_binary,
    pa.types.is_null,
)


def value_type(kind: Any) -> Any:
    """Look through a dictionary type at the type of its values."""
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def has_text(kind: Any) -> bool:
    """Whether values of this Arrow type can be written as text: not lists, structs, durations or extensions."""
    return any(test(value_type(kind)) for test in _WITH_TEXT)


def encode(array: Any) -> Any:
    """Turn an array of any type that has a text into dictionary<int32, string>; codes may share a text.

    Numbers are written as Arrow writes them: 5, 1.5, 1e+20, nan, the shortest text that reads back as the same number;
    a whole float has no point (40.0 is "40"). Booleans are true and false, dates and times ISO, decimals keep their
    digits. Texts and bytes that aren't UTF-8 are a pa.ArrowInvalid.
    """
    if not pa.types.is_dictionary(array.type):
        array = _by_value(array)  # first, so that each value is turned into text once
    text = array.dictionary.cast(pa.string())
    text.validate(full=True)  # a cast from text to text does not look at the bytes
    return pa.DictionaryArray.from_arrays(array.indices.cast(pa.int32()), text)


def collect(chunks: Sequence[Any], arrow_type: Any, null_values: Iterable[str] = ()) -> TextColumn:
    """Join arrays made by `encode` into one column whose codes are in the order of their texts (by code point).

    A timestamp without a zone is written as its date if all are at midnight, else as date, "T" and time. In columns of
    floats a null value that reads NaN, in upper or lower case, stands for nan.
    """
    kind = value_type(arrow_type)
    dictionaries = pa.chunked_array([chunk.dictionary for chunk in chunks], type=pa.string())
    if pa.types.is_timestamp(kind):
        dictionaries = _iso(dictionaries, zoned=kind.tz is not None)
    merged = dictionaries.dictionary_encode()  # equal texts of all the chunks get one number
    text = merged.chunk(0).dictionary if merged.num_chunks else pa.array([], pa.string())
    numbers = np.concatenate([np.empty(0, np.int32), *(_codes(part, len(text)) for part in merged.chunks)])
    code_of = np.empty(sum(map(len, chunks)), dtype=np.int32)
    is_used = np.zeros(len(text) + 1, dtype=bool)
    row = first = 0
    for chunk in chunks:
        own = numbers[first : first + len(chunk.dictionary)]
        part = code_of[row : row + len(chunk)]
        part[:] = np.append(own, np.int32(len(text)))[_codes(chunk, -1)]  # the last one stands for missing
        is_used[part] = True
        row, first = row + len(chunk), first + len(own)
    listed = pc.is_in(text, value_set=pa.array(_listed(null_values, kind), pa.string())).to_numpy(zero_copy_only=False)
    order = pc.sort_indices(text).to_numpy()
    order = order[(is_used[:-1] & ~listed)[order]]
    rank_of = np.full(len(text) + 1, -1, dtype=np.int32)
    rank_of[order] = np.arange(len(order), dtype=np.int32)
    text = text.take(pa.array(order))
    return TextColumn(rank_of[code_of], text, _type_for(text, kind))


def _by_value(array: Any) -> Any:
    """The array with each value once, and a number a row."""
    try:
        return array.dictionary_encode()
    except pa.ArrowNotImplementedError:  # short decimals
        return array.cast(pa.string()).dictionary_encode()


def _type_for(text: Any, kind: Any) -> Any:
    """The type, if its texts become values of it again that can be picked, or else string: times, views, nulls."""
    try:
        text.cast(kind).take(pa.array([], pa.int64()))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return pa.string()
    return kind


def _codes(array: Any, missing: int) -> Any:
    return array.indices.fill_null(missing).to_numpy(zero_copy_only=False)


def _listed(null_values: Iterable[str], kind: Any) -> list[str]:
    listed = list(null_values)
    if pa.types.is_floating(kind) and any(value.lower() == "nan" for value in listed):
        listed.append("nan")
    return listed


def _iso(texts: Any, zoned: bool) -> Any:
    """Arrow's "2020-01-31 00:00:00.000" as ISO 8601, without the zeros that say nothing."""
    texts = pc.replace_substring_regex(texts, r"\.0+($|[Z+-])", r"\1")
    if not zoned and pc.all(pc.ends_with(texts, " 00:00:00"), min_count=0).as_py():
        return pc.replace_substring(texts, " 00:00:00", "")
    return pc.replace_substring(texts, " ", "T")
