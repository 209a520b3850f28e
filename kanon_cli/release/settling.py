"""What becomes of a switch that was cut in between: it is finished, undone, or left as it is."""

from __future__ import annotations

import json
import os
from pathlib import Path

from kanon_cli.errors import Mistake, OutputError
from kanon_cli.release import names
from kanon_cli.release.disk import checksum
from kanon_cli.release.switch import Move, Switch
from kanon_cli.release.targets import read_promise


def settle(release: Path) -> str | None:
    """Finish the switch that was cut in between, or undo it; say which. The caller holds the folder's lock."""
    record = names.record(release)
    try:
        text = record.read_bytes()
    except FileNotFoundError:
        return None
    try:
        content = json.loads(text)
    except ValueError:
        record.unlink()  # cut while it was written, so nothing had been renamed yet
        return f"removed the unfinished recovery record of {release.name}"
    except RecursionError:
        content = None
    switch = read_switch(release, content)
    if any(move.is_touched() for move in switch.moves) or _has_lost_its_release(switch):
        switch.clear()
        return f"{release.name} or its report was changed after a switch was cut in between; it is left as it is"
    if all(move.can_finish() for move in switch.moves) and _may_replace_report(switch):
        switch.perform([move for move in switch.moves if move.temp.exists()])
        switch.clear()
        return f"finished a switch to a new {release.name} that was cut in between"
    if all(move.can_undo() for move in switch.moves):
        switch.undo()
        return f"undid a switch to a new {release.name} that was cut in between"
    switch.clear()
    return f"a switch to a new {release.name} was cut in between and its files are gone; publish it again"


def read_switch(release: Path, content: object) -> Switch:
    """Build the switch that a recovery record speaks of.

    Whoever can write beside the release can write a record, but not the report in another folder that it names. So a
    record is believed only if what would be moved or removed there is what kanon would have put there.
    """
    match content:
        case {
            "token": str(token),
            "moves": [
                {"target": str(), "new": str(new_release), "old": str() | None as old_release},
                {"target": str(report), "new": str(new_report), "old": str() | None as old_report},
            ],
        } if names.is_token(token) and _can_be_a_name(report):
            target = Path(os.path.normpath(release.parent / report))
            switch = Switch(Move(release, token, new_release, old_release), Move(target, token, new_report, old_report))
            # A record may only name the files that follow from the targets: nobody else's are renamed or removed.
            if switch.as_json() == content and _are_files(switch) and _has_a_true_report(switch):
                return switch
    raise OutputError(
        Mistake(
            "this recovery record was not written by this version of kanon",
            where=str(names.record(release)),
            hint="see whether the release and its report belong together, then remove the record",
        )
    )


def _can_be_a_name(text: str) -> bool:
    """Whether a file can be called so."""
    try:
        return b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        return False


def _are_files(switch: Switch) -> bool:
    """Whether nothing that the switch moves is a folder, a device or a pipe, which it would wait for without end."""
    paths = [path for move in switch.moves for path in (move.target, move.temp, move.backup)]
    return all(path.is_file() or not path.exists() for path in paths)


def _has_a_true_report(switch: Switch) -> bool:
    """Whether the new report, under either name, is a report of the new release, and not somebody's file."""
    report = switch.report
    found = [path for path in (report.target, report.temp) if checksum(path) == report.new]
    promises = [read_promise(path) for path in found]
    return all(promise is not None and promise.sha256 == switch.release.new for promise in promises)


def _has_lost_its_release(switch: Switch) -> bool:
    """Whether the new report is out and its release is not there.

    Renaming begins with the release and undoing with the report, so no cut leaves that. To undo it would remove a
    report, which may belong to a release elsewhere.
    """
    report = switch.report
    return report.new != report.old and checksum(report.target) == report.new and not switch.release.can_finish()


def _may_replace_report(switch: Switch) -> bool:
    """Whether what the new report would replace is a report; a file that kanon did not make needs --force again."""
    report = switch.report
    is_settled = not report.temp.exists() or not report.target.exists()
    return is_settled or checksum(report.target) == report.new or read_promise(report.target) is not None
