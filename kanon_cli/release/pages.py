"""A page or a file that tells what was found: it comes out whole or not at all, and never over what it speaks of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from kanon_cli.errors import Mistake, OutputError
from kanon_cli.release import names
from kanon_cli.release.disk import checksum, refusing, sync_folder
from kanon_cli.release.held import Held, sweep, usual_mode
from kanon_cli.release.stage import make_folders, remove_empty
from kanon_cli.release.targets import obstacle

SIGN = b'<meta name="generator" content="kanon '  # stands near the top of every page that kanon makes
TOP = 1000  # bytes


def check_page(page: Path, others: Sequence[Path], force: bool) -> None:
    """Refuse, before any work is done, a place that cannot be written, a file that is needed, or somebody else's."""
    check_place(page, others)
    page = names.real(page)
    with refusing(page):
        is_foreign = page.exists() and SIGN not in _top(page)
    if is_foreign and not force:
        hint = "choose another output, or replace the file with --force"
        raise OutputError(Mistake("there is a file that kanon did not make", where=str(page), hint=hint))


def check_place(file: Path, others: Sequence[Path]) -> None:
    """Refuse, before any work is done, a place that cannot be written, or a file that is needed."""
    file = names.real(file)
    wrong = obstacle(file)
    if wrong is not None:
        raise OutputError(wrong)
    if any(names.real(other) == file for other in others):
        what = "this would overwrite a file that it belongs to"
        raise OutputError(Mistake(what, where=str(file), hint="choose another file"))


def files_of(report: Path, page: Path, told: Mapping[str, str]) -> list[Path]:
    """Where the files may be that a report tells of, by path with their checksums: a page may take no place of theirs.

    Their paths are those of the spec, whose folder nobody knows here. So they are sought from each folder above the
    report and from the one at work; and the page's place is one of them if what is there has such a checksum.
    """
    with refusing(page):
        found = [page] if page.is_file() and checksum(page) in told.values() else []
    folders = (Path.cwd(), *report.absolute().parents)
    return found + [folder / path for path in told for folder in folders]


@dataclass
class WaitingPage:
    """A page under a hidden name, safe on disk."""

    page: Path
    held: Held
    is_out: bool = False

    def bring_out(self) -> None:
        """Rename it into place: a reader finds the old page or the new one."""
        with refusing(self.page):
            self.held.path.replace(self.page)
            self.is_out = True
            sync_folder(self.page.parent)


@contextmanager
def waiting(page: Path, text: str) -> Iterator[WaitingPage]:
    """Write a page to a hidden file beside its place; if nobody brings it out, it is gone at the end."""
    page = names.real(page)
    folders: list[Path] = []
    token = names.new_token()
    result: WaitingPage | None = None
    try:
        with refusing(page):
            make_folders(page.parent, folders)
            _sweep(page)
            held = Held.make(names.temporary(page, token))
            result = WaitingPage(page, held)
            held.path.write_text(text, encoding="utf-8")
            held.settle(usual_mode(page))
        yield result
    finally:
        if result is not None:
            with suppress(OSError):  # what can't be removed now is swept by the next run
                result.held.drop()
        if result is None or not result.is_out:
            remove_empty(folders)


def put(page: Path, text: str, sources: Sequence[Path], force: bool) -> None:
    """Write a page that was made from these files."""
    check_page(page, sources, force)
    with waiting(page, text) as made:
        made.bring_out()


def _sweep(page: Path) -> None:
    """Remove what runs that died have left of this page."""
    for path in page.parent.iterdir():
        parts = names.parse_temporary(path.name)
        if parts is not None and parts[0] == names.stem(page):
            sweep(path)


def _top(page: Path) -> bytes:
    with page.open("rb") as file:
        return file.read(TOP)
