"""Where a table is and how it is written: files, endings, checksums."""

from __future__ import annotations

import codecs
import glob
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from kanon_cli.errors import DataError, Mistake, SpecError, did_you_mean

Format = Literal["csv", "tsv", "parquet", "arrow"]
Compression = Literal["none", "gzip", "zstd", "bz2"]

FORMAT_OF: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
}
COMPRESSION_OF: dict[str, Compression] = {".gz": "gzip", ".zst": "zstd", ".bz2": "bz2"}
NOT_OF_FILES = {"idna", "punycode", "raw-unicode-escape", "unicode-escape"}
DELIMITER_OF: dict[Format, str] = {"csv": ",", "tsv": "\t"}
ENDINGS = " ".join(FORMAT_OF) + "; .csv and .tsv also with " + " ".join(COMPRESSION_OF)


@dataclass(frozen=True)
class Layout:
    """How a table is written. Delimiter, quote, encoding and compression are for text (csv, tsv) only."""

    format: Format
    delimiter: str = ","
    quote: str = '"'
    encoding: str = "utf-8"
    null_values: tuple[str, ...] = ("",)
    compression: Compression | None = None  # None: as the ending of each file says

    @property
    def is_text(self) -> bool:
        """Whether the table is lines of text."""
        return self.format in DELIMITER_OF


def layout_for(
    path: Path | str,
    format: str = "auto",
    delimiter: str | None = None,
    quote: str = '"',
    encoding: str = "utf-8",
    null_values: Sequence[str] = ("",),
) -> Layout:
    """Choose the layout that the options ask for; what they leave open is told by the ending of `path`."""
    known = _format_of(Path(path)) if format == "auto" else cast(Format, format)
    if known is None:
        raise SpecError(
            Mistake(
                "the ending doesn't tell the table's format", where=str(path), expected=ENDINGS, hint="set input.format"
            )
        )
    if known not in DELIMITER_OF:
        if delimiter is not None:
            raise SpecError(Mistake(f"a {known} file has no delimiter", path="input.delimiter", hint="remove it"))
        return Layout(known, null_values=tuple(null_values))
    delimiter = DELIMITER_OF[known] if delimiter is None else delimiter
    mistakes = [*_check_marks(delimiter, quote), *_check_encoding(encoding)]
    if mistakes:
        raise SpecError(*mistakes)
    return Layout(known, delimiter, quote, encoding, tuple(null_values))


def compression_for(path: Path) -> Compression:
    """How a text file with this ending is compressed."""
    return COMPRESSION_OF.get(path.suffix.lower(), "none")


def is_encoding(name: str) -> bool:
    """Whether a file may be written in this encoding: it is one of texts, not of names or of program code."""
    try:
        "".encode(name)
        return codecs.lookup(name).name not in NOT_OF_FILES
    except (LookupError, ValueError):  # ValueError: a NUL in the name
        return False


def find(path: Path) -> tuple[Path, ...]:
    """List the files of a table by name: a file, the tables right in a folder, or what a glob matches.

    Names that begin with "." or "_" are left out, as such files describe a table rather than hold one.
    """
    try:
        return _find(path)
    except OSError as error:  # no right to look, a name that is too long, links in a circle
        raise unreadable(path, error) from None


def _find(path: Path) -> tuple[Path, ...]:
    if path.is_dir():
        files = [file for file in path.iterdir() if _format_of(file)]
    elif path.exists() or not glob.has_magic(str(path)):
        if path.exists() and not path.is_file():
            raise DataError(Mistake("is not a regular file", where=str(path), hint="a table is read more than once"))
        return (path,) if path.exists() else _nothing_at(path)
    else:
        files = [Path(name) for name in glob.glob(str(path), recursive=True)]  # noqa: PTH207  the path may be absolute
    files = sorted(file for file in files if file.is_file() and not _is_aside(file, path))
    formats = {_format_of(file) for file in files}
    if not files:
        return _nothing_at(path)
    if len(formats) > 1:
        names = ", ".join(sorted(name or "unknown" for name in formats))
        raise DataError(
            Mistake("the files have different formats", where=str(path), got=names, hint="a glob can choose among them")
        )
    return tuple(files)


def sha256(files: Sequence[Path]) -> str:
    """Hash the bytes of a file; for several files, hash their hashes (32 bytes each) in order."""
    digests = []
    for file in files:
        try:
            with file.open("rb") as source:
                digests.append(hashlib.file_digest(source, "sha256"))
        except OSError as error:
            raise unreadable(file, error) from None
    if len(digests) == 1:
        return digests[0].hexdigest()
    return hashlib.sha256(b"".join(digest.digest() for digest in digests)).hexdigest()


def unreadable(file: Path, error: OSError) -> DataError:
    """Say that the system does not let us read a file."""
    return DataError(Mistake("the file cannot be read", where=str(file), got=error.strerror or "a read error"))


def _format_of(path: Path) -> Format | None:
    ending = path.suffix.lower()
    if ending not in COMPRESSION_OF:
        return FORMAT_OF.get(ending)
    inner = FORMAT_OF.get(Path(path.stem).suffix.lower())
    return inner if inner in DELIMITER_OF else None  # the other formats compress within


def _is_aside(file: Path, asked: Path) -> bool:
    return file.name.startswith((".", "_")) and not asked.name.startswith((".", "_"))


def _nothing_at(path: Path) -> tuple[Path, ...]:
    if path.is_dir():
        hint = f"tables end in {ENDINGS}; folders inside are read by a glob such as {path}/**/*.parquet"
        raise DataError(Mistake("the folder holds no table", where=str(path), hint=hint))
    if glob.has_magic(str(path)):
        raise DataError(Mistake("no file matches", where=str(path), hint="check the path and the pattern"))
    beside = [file.name for file in path.parent.iterdir()] if path.parent.is_dir() else []
    hint = did_you_mean(path.name, beside) or "check the path; those in a spec start at its folder"
    raise DataError(Mistake("there is no such file or folder", where=str(path), hint=hint))


def _check_marks(delimiter: str, quote: str) -> list[Mistake]:
    mistakes = [
        Mistake("one ASCII character is needed, and no line end", path=f"input.{name}", got=repr(mark))
        for name, mark in (("delimiter", delimiter), ("quote", quote))
        if len(mark) != 1 or not mark.isascii() or mark in "\r\n\0"
    ]
    if not mistakes and delimiter == quote:
        mistakes.append(Mistake("delimiter and quote are the same", path="input.quote", got=repr(quote)))
    return mistakes


def _check_encoding(encoding: str) -> list[Mistake]:
    if not is_encoding(encoding):
        hint = "utf-8, latin-1, cp1252 and utf-16 are common"
        return [Mistake("unknown encoding", path="input.encoding", got=repr(encoding), hint=hint)]
    return []
