"""The text of a file as checked UTF-8, and its records one by one."""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Generator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from kanon_cli.errors import DataError, Mistake
from kanon_cli.tables.sources import Layout, compression_for, unreadable

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

RAW_BYTES = 1 << 21  # read at once; pyarrow wants any two pieces to hold a whole row
PIECE_BYTES = 4 * RAW_BYTES  # no encoding grows more than this when it becomes UTF-8


class TextStream(io.RawIOBase):
    """The bytes of a text file: decompressed, as UTF-8, without a byte order mark, ending in a line end.

    Broken compression, a wrong encoding and NULs are DataErrors, with the line number where there is one. To a reader
    that asks for PIECE_BYTES at a time no piece ends in a carriage return: pyarrow (26) takes a line feed at the start
    of a piece for the second half of a line end and drops it, even where both stand between quotes.
    """

    def __init__(self, file: Path, layout: Layout) -> None:
        super().__init__()
        self._source: Any = io.BytesIO()  # so that it can be closed even if the file can't be opened
        self.file = file
        self.quotes = QuoteWatch(layout.delimiter, layout.quote)
        self._encoding = layout.encoding
        self._decoder = codecs.getincrementaldecoder(layout.encoding)()
        self._source = _open(file, layout)
        self._ready = b""  # decoded and not yet handed out
        self._at = 0  # how much of `_ready` is handed out
        self._next: bytes | None = None  # read ahead, so that the last piece is known as such
        self._held = b""  # carriage returns that wait for what follows
        self._lines = 0
        self._started = self._ended = False

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def close(self) -> None:
        """Close the file below."""
        if not self.closed:
            self._source.close()
        super().close()

    def readinto(self, buffer: WriteableBuffer) -> int:
        """Hand out the next piece; 0 bytes are the end."""
        while self._at == len(self._ready) and not self._ended:
            self._fill()
        target = memoryview(buffer).cast("B")
        count = min(len(target), len(self._ready) - self._at)
        target[:count] = self._ready[self._at : self._at + count]
        self._at += count
        return count

    def _fill(self) -> None:
        raw = self._raw() if self._next is None else self._next
        self._next = self._raw() if raw else b""
        self._ended = not self._next
        text = self._decode(raw)
        if text and not self._started:
            text = text.removeprefix("\ufeff")
            self._started = True
        if "\0" in text:
            hint = "set input.encoding: utf-16 text looks like this" if "16" not in self._encoding else None
            raise self._mistake("the text holds a NUL character", text[: text.index("\0")], hint)
        self._lines += text.count("\n")
        data = self._held + text.encode()
        if self._ended:
            data += b"" if data[-1:] in (b"", b"\n", b"\r") else b"\n"
        else:
            kept = data.rstrip(b"\r")
            data, self._held = kept, data[len(kept) :]
        self.quotes.watch(data, last=self._ended)
        self._ready, self._at = data, 0

    def _raw(self) -> bytes:
        try:
            return bytes(self._source.read(RAW_BYTES))
        except (OSError, pa.ArrowException) as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise unreadable(self.file, error) from None
            hint = "it is damaged or cut off, or its ending is wrong"
            raise DataError(Mistake("the file cannot be decompressed", where=str(self.file), hint=hint)) from None

    def _decode(self, raw: bytes) -> str:
        state = self._decoder.getstate()
        try:
            text = self._decoder.decode(raw, final=self._ended)
            text.encode()  # some codecs let lone surrogates through
        except UnicodeDecodeError as error:
            raise self._wrong_encoding(self._before(state, raw[: max(error.start - len(state[0]), 0)])) from None
        except UnicodeError:
            raise self._wrong_encoding("") from None
        return text

    def _before(self, state: tuple[bytes, int], raw: bytes) -> str:
        """The text before what cannot be decoded; none if the decoder lacks its start (utf-16 without a mark)."""
        self._decoder.setstate(state)
        try:
            return self._decoder.decode(raw)
        except UnicodeError:
            return ""

    def _wrong_encoding(self, before: str) -> DataError:
        hint = "set input.encoding (or --encoding) to the file's own (utf-8, latin-1, cp1252, utf-16, ...)"
        return self._mistake(f"the text isn't {self._encoding}", before, hint)

    def _mistake(self, what: str, before: str, hint: str | None) -> DataError:
        line = self._lines + before.count("\n") + 1
        return DataError(Mistake(what, where=f"{self.file}:{line}", hint=hint))


class QuoteWatch:
    """Tells whether all quotes are as RFC 4180 wants them, from their neighbours and whether they are even or odd.

    An odd quote must follow a delimiter, a line end or a quote; an even one must come before one of these. Where that
    holds every reader sees the same cells. Where it doesn't, a stray quote may have swallowed rows: see `check_quotes`.
    """

    def __init__(self, delimiter: str, quote: str) -> None:
        self._quote = ord(quote)
        self._neighbours = np.frombuffer(f"{delimiter}{quote}\r\n".encode(), dtype=np.uint8)
        self._tail = b"\n"  # bytes whose neighbours are not all known yet, and the one before them
        self._seen = 0
        self._proper = True

    @property
    def proper(self) -> bool:
        """Whether all was well so far, with no quote left open."""
        return self._proper and self._seen % 2 == 0

    def watch(self, data: bytes, last: bool) -> None:
        """Look at the next piece of the text."""
        window = np.frombuffer(self._tail + data + (b"\n" if last else b""), dtype=np.uint8)
        at = np.flatnonzero(window[1:-1] == self._quote) + 1
        opens = (self._seen + np.arange(len(at))) % 2 == 0
        beside = window[np.where(opens, at - 1, at + 1)]
        self._proper = self._proper and bool(np.isin(beside, self._neighbours).all())
        self._seen += len(at)
        self._tail = window[-2:].tobytes()


def records(file: Path, layout: Layout) -> Generator[tuple[int, list[str]], None, None]:
    """Give the line number and the fields of each record, by Python's strict reader: for headers and for blame."""
    with TextStream(file, layout) as stream, io.TextIOWrapper(io.BufferedReader(stream), "utf-8", newline="") as text:
        reader = csv.reader(text, delimiter=layout.delimiter, quotechar=layout.quote, strict=True)
        line = 1
        try:
            for fields in reader:
                yield line, fields
                line = reader.line_num + 1
        except csv.Error as error:
            what = "a quoted value is not closed, or goes on after its closing quote"
            if str(error).startswith("field larger"):
                what = f"a value has over {csv.field_size_limit():,} characters, which may come from a stray quote"
            hint = "double the quotes within values, or set input.quote"
            raise DataError(Mistake(what, where=f"{file}:{line}", hint=hint)) from None


def check_quotes(file: Path, layout: Layout) -> None:
    """Raise a DataError where a quote is not closed, or closes before its value ends."""
    with closing(records(file, layout)) as all_records:
        for _ in all_records:
            pass


def _open(file: Path, layout: Layout) -> Any:  # a readable binary file
    try:
        source = file.open("rb")
    except OSError as error:
        raise unreadable(file, error) from None
    compression = layout.compression or compression_for(file)
    return source if compression == "none" else pa.CompressedInputStream(source, compression)
