"""Do the files of a spec fit together? Nothing that is written takes the place of what is read."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from kanon_cli.composing import ValuePath
from kanon_cli.spec import paths
from kanon_cli.spec.model import COMPRESSIONS, SUFFIXES, TEXT_SUFFIXES, Output
from kanon_cli.spec.overrides import show
from kanon_cli.spec.source import Source

_ENDINGS = (*SUFFIXES, *(text + packed for text in TEXT_SUFFIXES for packed in COMPRESSIONS))
_ELSEWHERE = "write it to another place"


def check(source: Source, need_output: bool) -> None:
    """Note every file that does not fit."""
    _check_output(source, need_output)
    _check_taxonomy_files(source)


def _check_output(source: Source, need_output: bool) -> None:
    if source.get(("output",)) is None:
        if need_output:
            source.complain(("output",), "is missing", hint="write `output: path`, or use --output")
        return
    release, report = source.text(("output", "path")), source.text(("output", "report"))
    if release is None:
        return
    if not release.lower().endswith(_ENDINGS):
        what, hint = "its ending is not that of a format", ".gz, .zst or .bz2 may follow .csv and .tsv"
        source.complain(("output", "path"), what, expected=" | ".join(SUFFIXES), hint=hint)
    folder = Path(source.document.name).absolute().parent
    _check_overwriting(source, ("output", "path"), "the release", folder / release)
    key = ("output", "path" if report is None else "report")
    report_file = folder / Output(path=release, report=report).report_path
    _check_overwriting(source, key, "the report", report_file)
    if paths.same(folder / release, report_file):
        source.complain(key, "the report would overwrite the release", hint=_ELSEWHERE)
    _check_page(source, {"the release": folder / release, "the report": report_file})


def _check_page(source: Source, written: Mapping[str, Path]) -> None:
    """Note if the page would take the place of another file."""
    key = ("output", "html")
    page = source.text(key)
    if page is None:
        return
    file = Path(source.document.name).absolute().parent / page
    _check_overwriting(source, key, "the page", file)
    for name, other in written.items():
        if paths.same(file, other):
            source.complain(key, f"the page would overwrite {name}", hint=_ELSEWHERE)


def _check_taxonomy_files(source: Source) -> None:
    """Refuse a taxonomy that is the table itself: what is wrong with a taxonomy is said with its labels."""
    folder = Path(source.document.name).absolute().parent
    table = source.text(("input", "path"))
    for key in _taxonomy_keys(source):
        file = source.text(key)
        if file is not None and table is not None and paths.is_among(folder / file, folder / table):
            source.complain(key, "is the input, or one of its files", hint="a taxonomy has a file of its own")


def _taxonomy_keys(source: Source) -> list[ValuePath]:
    """Where taxonomy files may be named."""
    columns: list[ValuePath] = [
        ("quasi_identifiers", name, "taxonomy", "file") for name in source.mapping("quasi_identifiers")
    ]
    return [*columns, *(("sensitive", name, "taxonomy") for name in source.mapping("sensitive"))]


def _check_overwriting(source: Source, key: ValuePath, what: str, file: Path) -> None:
    """Note if a file to be written is one that is read."""
    spec = Path(source.document.name).absolute()
    read = {"the spec": spec}
    for path in _taxonomy_keys(source):
        taxonomy = source.text(path)
        if taxonomy is not None:
            read[f"the taxonomy of {show(path[1:2])}"] = spec.parent / taxonomy
    for name, kept in read.items():
        if paths.same(file, kept):
            source.complain(key, f"{what} would overwrite {name}", hint=_ELSEWHERE)
    table = source.text(("input", "path"))
    if table is not None and paths.is_among(file, spec.parent / table):
        source.complain(key, f"{what} would overwrite the input, or be one of its files", hint=_ELSEWHERE)
