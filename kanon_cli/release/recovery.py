"""What the first command after a crash does: finish or undo the switch, and sweep what dead runs left."""

from __future__ import annotations

import errno
from pathlib import Path

from kanon_cli.release import names
from kanon_cli.release.disk import locked, reason, refusing
from kanon_cli.release.held import sweep
from kanon_cli.release.settling import settle

_READ_ONLY = (errno.EACCES, errno.EPERM, errno.EROFS)


def recover(release: Path, report: Path | None = None) -> list[str]:
    """Settle a switch of this release that was cut in between and remove dead runs' temporary files; say what was done.

    Files of a run that lives are never touched. Give the report too where it lies in another folder: a run that died
    before its switch left a temporary file there that nothing else leads to.
    """
    release = names.real(release)
    report = names.real(report) if report is not None else None
    if not _leftovers(release, report) and names.record(release) not in _listing(release.parent):
        return []
    with refusing(release), locked(release.parent):
        try:
            settled = settle(release)
        except OSError as error:
            if error.errno not in _READ_ONLY:
                raise
            return [f"a switch of {release.name} was cut in between and cannot be settled here: {reason(error)}"]
        swept = sum(map(sweep, _leftovers(release, report)))
    done = [settled] if settled else []
    if swept:
        done.append(f"removed {swept} temporary file{'s' * (swept > 1)} of runs that died")
    return done


def _leftovers(release: Path, report: Path | None) -> list[Path]:
    """List temporary files of this release and its reports, the release's last: they lead to the others."""
    beside = _temporaries(release.parent)
    own = [path for path, stem, _ in beside if stem == names.stem(release)]
    tokens = {token for path, _, token in beside if path in own}
    others = [path for path, _, token in beside if token in tokens and path not in own]
    if report is not None:
        others += [path for path, stem, _ in _temporaries(report.parent) if stem == names.stem(report)]
    return list(dict.fromkeys(others)) + own


def _temporaries(folder: Path) -> list[tuple[Path, str, str]]:
    """List the temporary files in a folder, with the stem and the token of their names."""
    found = [(path, names.parse_temporary(path.name)) for path in _listing(folder)]
    return [(path, *parts) for path, parts in found if parts is not None]


def _listing(folder: Path) -> list[Path]:
    """List a folder; one that is not there or cannot be read holds nothing that we could settle."""
    try:
        return sorted(folder.iterdir())
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return []
