"""Only a release whose every promise was checked and holds may be published."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import InitVar, dataclass

from kanon_cli.errors import KanonError, Mistake, OutputError, UnsafeError
from kanon_cli.models.base import Verdict
from kanon_cli.release.disk import checksum, locked, refusing
from kanon_cli.release.held import usual_mode
from kanon_cli.release.settling import settle
from kanon_cli.release.stage import Stage
from kanon_cli.release.switch import Move, Switch
from kanon_cli.release.targets import foreign_file_now, not_ours, read_promise

_SEAL = object()


@dataclass(frozen=True)
class Sealed:
    """A staged release that keeps its promises. Only `seal` makes one."""

    stage: Stage
    sha256: str
    verdicts: tuple[Verdict, ...]
    key: InitVar[object]

    def __post_init__(self, key: object) -> None:
        if key is not _SEAL:
            raise KanonError("only seal() makes a Sealed")


def seal(stage: Stage, verdicts: Sequence[Verdict]) -> Sealed:
    """Vouch for the staged release: refuse unless something was checked and all of it holds, then take its checksum."""
    stage.require_open()
    where = str(stage.release)
    if not verdicts:
        raise UnsafeError(Mistake("no promise was checked, so nothing is published", where=where))
    broken = [verdict for verdict in verdicts if not verdict.holds]
    if broken:
        raise UnsafeError(*(_shortfall(verdict, where) for verdict in broken))
    with refusing(stage.release):
        temp = stage.temps[0]
        temp.check()
        sha256 = checksum(temp.path)
    if sha256 is None:
        raise OutputError(Mistake("the temporary file is gone", where=str(stage.release_file)))
    stage.is_sealed = True
    return Sealed(stage, sha256, tuple(verdicts), _SEAL)


def publish(sealed: Sealed) -> None:
    """Bring out the sealed release with the report that holds its checksum: both, or neither."""
    stage = sealed.stage
    stage.require_open()
    with stage.refusing():
        report_sha256 = _check_content(sealed)
        with locked(stage.release.parent):
            settle(stage.release)
            stranger = foreign_file_now(stage.release, stage.report)
            if stranger is not None and not stage.over_foreign:
                raise OutputError(not_ours(stranger))
            for temp, target in zip(stage.temps, (stage.release, stage.report), strict=True):
                temp.settle(usual_mode(target))
            Switch(
                Move(stage.release, stage.token, sealed.sha256, checksum(stage.release)),
                Move(stage.report, stage.token, report_sha256, checksum(stage.report)),
            ).commit()
            stage.published = True


def _check_content(sealed: Sealed) -> str:
    """Refuse a release that changed after it was sealed, or a report on another one; return the report's checksum."""
    stage = sealed.stage
    for temp in stage.temps:
        temp.check()
    if checksum(stage.release_file) != sealed.sha256:
        raise UnsafeError(Mistake("the release changed after it was checked", where=str(stage.release)))
    report_sha256 = checksum(stage.report_file)
    promise = read_promise(stage.report_file)
    if report_sha256 is None or promise is None or promise.sha256 != sealed.sha256:
        raise KanonError(Mistake("the report does not hold the checksum of its release", where=str(stage.report)))
    return report_sha256


def _shortfall(verdict: Verdict, where: str) -> Mistake:
    """Say which promise is not kept."""
    of_column = f" of column {verdict.column!r}" if verdict.column is not None else ""
    return Mistake(
        f"the release does not keep {verdict.model}{of_column}",
        where=where,
        expected=str(verdict.required),
        got=str(verdict.achieved),
        hint="it was not published",
    )
