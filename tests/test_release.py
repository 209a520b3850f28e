"""Publishing is all or nothing: after a kill, an error or a race, a folder holds one whole pair and nothing else."""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import fcntl
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from kanon_cli.errors import KanonError, OutputError, UnsafeError
from kanon_cli.models.base import Verdict
from kanon_cli.release import Sealed, Stage, check_targets, disk, names, publish, recover, seal, staging
from kanon_cli.release.held import Held, usual_mode

HOLDS = [Verdict("k", None, 5, 7, True)]
# Every call that publishing makes to change something on disk: the points at which it can be killed or refused.
CALLS: list[tuple[Any, str]] = [
    *((os, name) for name in ("open", "fsync", "link", "replace", "rename", "unlink", "mkdir", "rmdir", "fchmod")),
    (fcntl, "flock"),
]
SCENARIOS = ["replace", "first", "other folder", "new folders", "no links", "same bytes"]


# What the tests are made of


def pair_in(folder: Path, scenario: str = "replace") -> tuple[Path, Path]:
    """Where the release and the report of a scenario go."""
    if scenario == "new folders":
        return folder / "new" / "deep" / "hospital.csv", folder / "other" / "hospital.report.json"
    if scenario == "other folder":
        (folder / "reports").mkdir(parents=True, exist_ok=True)
        return folder / "hospital.csv", folder / "reports" / "hospital.json"
    return folder / "hospital.csv", folder / "hospital.report.json"


def write_stage(stage: Stage, release: str) -> Sealed:
    """Do what the pipeline does: write and sync the release, seal it, write the report that holds its checksum."""
    stage.release_file.write_text(release)
    stage.sync()
    sealed = seal(stage, HOLDS)
    stage.report_file.write_text(json.dumps({"output": {"sha256": sealed.sha256}, "of": release}))
    return sealed


def release_to(pair: tuple[Path, Path], release: str) -> None:
    """Publish a release in full."""
    recover(*pair)
    check_targets(*pair, force=False)
    with staging(*pair) as stage:
        publish(write_stage(stage, release))


def whole(pair: tuple[Path, Path]) -> str | None:
    """Give the release of a whole pair; None if neither file is there; fail if they don't belong together."""
    release, report = pair
    if not release.exists() and not report.exists():
        return None
    text = release.read_text()
    assert json.loads(report.read_text()) == {
        "output": {"sha256": hashlib.sha256(text.encode()).hexdigest()},
        "of": text,
    }
    return text


def files_in(folder: Path) -> list[str]:
    """List every file below a folder, hidden ones too."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir())


def only(folder: Path, pair: tuple[Path, Path]) -> bool:
    """Say whether a folder holds the pair, or nothing."""
    return files_in(folder) in ([], sorted(str(path.relative_to(folder)) for path in pair))


@contextlib.contextmanager
def each_call(before: Callable[[int, str], None]) -> Iterator[None]:
    """Run a function before every call that changes something on disk; it gets the call's number and name."""
    count = 0

    def watched(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any, **options: Any) -> Any:
            nonlocal count
            count += 1
            before(count, "unlock" if args[1:] == (fcntl.LOCK_UN,) else name)
            return call(*args, **options)

        return run

    with pytest.MonkeyPatch.context() as patch:
        for module, name in CALLS:
            patch.setattr(module, name, watched(name, getattr(module, name)))
        yield


def prepare(folder: Path, scenario: str) -> tuple[Path, Path]:
    """Make a clean folder with the old pair of a scenario in it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    pair = pair_in(folder, scenario)
    if scenario not in ("first", "new folders"):
        release_to(pair, "old")
    return pair


def new_text(scenario: str) -> str:
    """Say what is released in a scenario."""
    return "old" if scenario == "same bytes" else "new"


@contextlib.contextmanager
def file_system(scenario: str) -> Iterator[None]:
    """Take hard links away where the scenario says so, and the wait for the disk, since no power is cut here."""

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, "no links here")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        if scenario == "no links":
            patch.setattr(os, "link", refuse)
        yield


# Run in a process of their own, which may fork freely


def forked(work: Callable[[], object]) -> int:
    """Run something in a forked process and give its wait status; an exception is printed and gives status 1."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            work()
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(code)
    return os.waitpid(child, 0)[1]


def killed_at(point: int, work: Callable[[], object]) -> bool:
    """Run something in a process that kills itself before a call; False if it ended before that call came."""

    def kill(number: int, _: str) -> None:
        if number == point:
            os.kill(os.getpid(), signal.SIGKILL)

    def doomed() -> None:
        with each_call(kill):
            work()

    status = forked(doomed)
    assert status == 0 or os.WTERMSIG(status) == signal.SIGKILL
    return status != 0


def kill_publishing_everywhere(folder: Path, scenario: str) -> None:
    """Kill a run before each of its calls; after each, recovery gives a whole pair and a clean folder."""
    point, ends = 0, []
    with file_system(scenario):
        while True:
            point += 1
            pair = prepare(folder, scenario)
            killed = killed_at(point, partial(release_to, pair, new_text(scenario)))
            assert forked(partial(recover, *pair)) == 0
            assert only(folder, pair), (point, files_in(folder))
            ends.append(whole(pair))
            if not killed:
                break
    before = None if scenario in ("first", "new folders") else "old"
    # Once the switch is written down every kill ends in the new pair; before that, in the old one.
    turn = ends.index(new_text(scenario)) if scenario != "same bytes" else 0
    assert ends == [before] * turn + [new_text(scenario)] * (len(ends) - turn)
    sys.stdout.write(json.dumps({"points": point, "turn": turn}))


def kill_recovery_everywhere(folder: Path, scenario: str, lose: str) -> None:
    """Kill a run in its switch, lose one of its files, kill the recovery before each of its calls, recover again."""
    ends = set()
    with file_system(scenario):
        for point in range(1, 100):
            for second in range(1, 100):
                pair = prepare(folder, scenario)
                killed = killed_at(point, partial(release_to, pair, "new"))
                if not names.record(pair[0]).exists():
                    break
                for path in folder.rglob(f".{pair[lose == 'report'].name}.kanon-*.tmp" if lose else "no such file"):
                    path.unlink()
                again = killed_at(second, partial(recover, *pair))
                recover(*pair)
                assert only(folder, pair), (point, second, files_in(folder))
                ends.add(whole(pair))
                if not again:
                    break
            if not killed:
                break
    sys.stdout.write(json.dumps({"ends": sorted(map(str, ends))}))


def race(folder: Path, rounds: int) -> None:
    """Let two processes publish to one target at once, again and again."""
    pair = prepare(folder, "first")
    for number in range(rounds):
        children = []
        for text in ("red", "blue"):
            child = os.fork()
            if child == 0:
                code = 1
                try:
                    for step in range(3):
                        release_to(pair, f"{text} {number} {step}")
                    code = 0
                except BaseException:
                    traceback.print_exc()
                finally:
                    sys.stderr.flush()
                    os._exit(code)
            children.append(child)
        assert [os.waitpid(child, 0)[1] for child in children] == [0, 0]
        assert whole(pair) in (f"red {number} 2", f"blue {number} 2")
        assert only(folder, pair)
    sys.stdout.write(json.dumps({"rounds": rounds}))


def wait_in_stage(folder: Path) -> None:
    """Open a stage, say so, and wait for the end."""
    with staging(*pair_in(folder)) as stage:
        write_stage(stage, "new")
        sys.stdout.write(f"{stage.release_file}\n")
        sys.stdout.flush()
        time.sleep(600)


def command(call: str) -> tuple[list[str], dict[str, str]]:
    """Say how to run a function of this module in a fresh Python, which has one thread and so may fork."""
    here = Path(__file__).parent
    path = os.pathsep.join([str(here.parent), str(here)])
    code = f"from pathlib import Path\nimport test_release\ntest_release.{call}"
    return [sys.executable, "-c", code], {**os.environ, "PYTHONPATH": path}


def in_fresh_process(call: str) -> dict[str, Any]:
    """Run a function of this module in a fresh Python and give what it printed."""
    arguments, environment = command(call)
    done = subprocess.run(arguments, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


# Publishing


def test_a_release_appears_with_its_report_and_nothing_else(tmp_path: Path) -> None:
    pair = pair_in(tmp_path)
    release_to(pair, "first")
    assert whole(pair) == "first"
    release_to(pair, "second")
    assert whole(pair) == "second"
    assert only(tmp_path, pair)
    assert recover(*pair) == []


def test_nothing_is_visible_before_publishing_and_nothing_is_left_without_it(tmp_path: Path) -> None:
    pair = prepare(tmp_path / "out", "replace")
    with staging(*pair) as stage:
        write_stage(stage, "new")
        assert whole(pair) == "old"
        assert stage.release_file.parent == pair[0].parent
        assert stage.release_file.name.startswith(".hospital.csv.kanon-")
        assert {stage.release_file.stat().st_mode & 0o777, stage.report_file.stat().st_mode & 0o777} == {0o600}
    assert whole(pair) == "old"
    assert only(tmp_path / "out", pair)


def test_folders_made_for_an_unpublished_release_go_away_and_others_stay(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    with staging(tmp_path / "old" / "a" / "b" / "x.csv", tmp_path / "old" / "c" / "x.json") as stage:
        (tmp_path / "old" / "c" / "somebody's").touch()
        assert stage.release_file.exists()
    assert files_in(tmp_path) == ["old/c/somebody's"]
    assert not (tmp_path / "old" / "a").exists()


def test_modes_are_those_of_the_replaced_files_or_the_usual_ones(tmp_path: Path) -> None:
    pair = pair_in(tmp_path)
    old_umask = os.umask(0o027)
    try:
        release_to(pair, "first")
        assert [path.stat().st_mode & 0o777 for path in pair] == [0o640, 0o640]
        pair[0].chmod(0o604)
        release_to(pair, "second")
        assert [path.stat().st_mode & 0o777 for path in pair] == [0o604, 0o640]
        assert usual_mode(tmp_path / "new") == 0o640
        assert os.umask(0o027) == 0o027
    finally:
        os.umask(old_umask)


def test_a_symbolic_link_stays_and_the_file_behind_it_is_replaced(tmp_path: Path) -> None:
    behind = pair_in(tmp_path / "behind")
    front = (tmp_path / "link.csv", tmp_path / "link.json")
    for link, target in zip(front, behind, strict=True):
        link.symlink_to(target)
    release_to(front, "first")
    release_to(front, "second")
    assert whole(behind) == "second"
    assert [link.is_symlink() for link in front] == [True, True]
    assert only(tmp_path / "behind", behind)


def test_a_target_in_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    release_to((Path("x.csv"), Path("x.report.json")), "first")
    release_to((Path("x.csv"), Path("x.report.json")), "second")
    assert whole((tmp_path / "x.csv", tmp_path / "x.report.json")) == "second"
    assert len(files_in(tmp_path)) == 2


@pytest.mark.parametrize(
    "name", ["ä ö\n.csv", "患者.csv", "n" * 200 + ".csv", "n" * 255, "患" * 85, ".hidden", "x.kanon-0123456789ab.tmp"]
)
def test_any_name_that_the_file_system_takes(tmp_path: Path, name: str) -> None:
    pair = (tmp_path / name, tmp_path / "report.json")
    release_to(pair, "first")
    with staging(*pair) as stage:
        hidden = [stage.release_file, names.backup(pair[0], stage.token), names.record(pair[0])]
        assert max(len(os.fsencode(path.name)) for path in hidden) <= 255
        publish(write_stage(stage, "second"))
    assert whole(pair) == "second"
    assert only(tmp_path, pair)


def test_long_names_that_begin_alike_have_hidden_names_of_their_own(tmp_path: Path) -> None:
    one, other = tmp_path / ("n" * 250 + "1"), tmp_path / ("n" * 250 + "2")
    assert names.temporary(one, "0" * 12) != names.temporary(other, "0" * 12)
    assert names.record(one) != names.record(other)


# Sealing


def test_a_broken_promise_is_named_and_nothing_is_sealed(tmp_path: Path) -> None:
    verdicts = [*HOLDS, Verdict("t", "diagnosis", 0.2, 0.31, False), Verdict("k", None, 5, 4, False)]
    with staging(*pair_in(tmp_path)) as stage, pytest.raises(UnsafeError) as caught:
        seal(stage, verdicts)
    message = str(caught.value)
    assert len(caught.value.mistakes) == 2
    assert all(word in message for word in ("t of column 'diagnosis'", "expected 0.2", "got 0.31", "expected 5, got 4"))


def test_a_release_that_nobody_checked_is_not_sealed(tmp_path: Path) -> None:
    with staging(*pair_in(tmp_path)) as stage, pytest.raises(UnsafeError, match="no promise was checked"):
        seal(stage, [])


def test_nobody_else_makes_a_sealed(tmp_path: Path) -> None:
    with staging(*pair_in(tmp_path)) as stage:
        with pytest.raises(KanonError, match="only seal"):
            Sealed(stage, "0" * 64, tuple(HOLDS), object())
        with pytest.raises((TypeError, ValueError)):
            dataclasses.replace(write_stage(stage, "new"), sha256="0" * 64)  # type: ignore[call-arg]


def test_a_release_that_changed_after_its_seal_is_not_published(tmp_path: Path) -> None:
    pair = prepare(tmp_path / "out", "replace")
    with pytest.raises(UnsafeError, match="changed after it was checked"), staging(*pair) as stage:
        sealed = write_stage(stage, "new")
        stage.release_file.write_text("swapped")
        publish(sealed)
    assert whole(pair) == "old"
    assert only(tmp_path / "out", pair)


def test_a_temporary_file_that_was_replaced_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="replaced"), staging(*pair_in(tmp_path)) as stage:
        (tmp_path / "other").write_text("new")
        (tmp_path / "other").replace(stage.release_file)
        seal(stage, HOLDS)
    assert files_in(tmp_path) == []


@pytest.mark.parametrize("report", ["", "[]", "{", '{"output": {"sha256": "0"}}'])
def test_a_report_on_another_release_is_a_defect(tmp_path: Path, report: str) -> None:
    pair = prepare(tmp_path / "out", "replace")
    with pytest.raises(KanonError, match="checksum") as caught, staging(*pair) as stage:
        sealed = write_stage(stage, "new")
        stage.report_file.write_text(report)
        publish(sealed)
    assert caught.value.exit_code == 1
    assert whole(pair) == "old"


def test_a_stage_that_is_over_seals_and_publishes_nothing(tmp_path: Path) -> None:
    pair = pair_in(tmp_path)
    with staging(*pair) as stage:
        sealed = write_stage(stage, "new")
        publish(sealed)
        with pytest.raises(KanonError, match="after its end"):
            publish(sealed)
    with staging(*pair) as stage:
        sealed = write_stage(stage, "newer")
    for late in (lambda: publish(sealed), lambda: seal(stage, HOLDS)):
        with pytest.raises(KanonError, match="after its end"):
            late()
    assert whole(pair) == "new"


# Targets


def test_good_targets_are_left_as_they_were(tmp_path: Path) -> None:
    pair = prepare(tmp_path / "out", "replace")
    check_targets(*pair, force=False)
    check_targets(tmp_path / "a" / "b" / "x.csv", tmp_path / "x.json", force=False)
    assert whole(pair) == "old"
    assert only(tmp_path / "out", pair)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def refused(release: Path, report: Path, force: bool = True) -> str:
    """Give the message with which targets are refused."""
    with pytest.raises(OutputError) as caught:
        check_targets(release, report, force)
    return str(caught.value)


def test_targets_that_cannot_be_written_are_refused_with_the_reason(tmp_path: Path) -> None:
    report = tmp_path / "x.json"
    (tmp_path / "file").write_text("")
    (tmp_path / "loop").symlink_to("loop")
    os.mkfifo(tmp_path / "pipe")
    assert "is a folder" in refused(tmp_path, report)
    assert "is a file, not a folder" in refused(tmp_path / "file" / "x.csv", report)
    assert "is a file, not a folder" in refused(tmp_path / "file" / "deep" / "x.csv", report)
    assert "not a regular file" in refused(tmp_path / "pipe", report)
    assert "leads nowhere" in refused(tmp_path / "loop", report)
    assert "File name too long" in refused(tmp_path / ("n" * 256), report)
    assert "cannot be the name" in refused(tmp_path / "a\0b", report)
    assert "cannot be the name" in refused(tmp_path / "a\ud800b", report)
    assert "the same file" in refused(report, report)
    assert "inside the other" in refused(tmp_path / "x", tmp_path / "x" / "report.json")
    assert files_in(tmp_path) == ["file", "loop", "pipe"]


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder in which even root makes no files")
def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    assert "/proc: the folder cannot be written" in refused(Path("/proc/new/x.csv"), tmp_path / "x.json")
    assert "/proc: the folder cannot be written" in refused(tmp_path / "x.csv", Path("/proc/x.json"))
    with pytest.raises(OutputError, match="/proc"), staging(tmp_path / "new" / "x.csv", Path("/proc/new/x.json")):
        pytest.fail("the stage opened")
    assert list(tmp_path.iterdir()) == []


def test_both_targets_are_judged_at_once(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    assert refused(tmp_path / "a", tmp_path / "b").count("is a folder") == 2


@pytest.mark.parametrize(
    "report", [None, "", "{}", "{" * 100_000, '{"output": {"sha256": "0"}}', '{"output": 3}', "\xff"]
)
def test_a_file_that_kanon_did_not_make_needs_force(tmp_path: Path, report: str | None) -> None:
    pair = pair_in(tmp_path)
    pair[0].write_text("somebody's")
    if report is not None:
        pair[1].write_text(report, encoding="latin-1")
    message = refused(*pair, force=False)
    assert str(pair[0]) in message
    assert "--force" in message
    check_targets(*pair, force=True)
    with staging(*pair) as stage:
        publish(write_stage(stage, "new"))
    assert whole(pair) == "new"


def test_a_pair_in_the_middle_of_a_switch_is_looked_at_again_after_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair = prepare(tmp_path / "out", "replace")
    report = pair[1].read_text()
    pair[1].write_text('{"output": {"sha256": "of the release before"}}')

    @contextlib.contextmanager
    def wait_for_the_other_run(_: Path) -> Iterator[None]:
        pair[1].write_text(report)
        yield

    monkeypatch.setattr("kanon_cli.release.targets.locked", wait_for_the_other_run)
    check_targets(*pair, force=False)
    assert whole(pair) == "old"


def test_a_planted_record_removes_nobodys_file(tmp_path: Path) -> None:
    """A record that names any other file as the report is refused, and nothing is touched."""
    (tmp_path / "pub").mkdir()
    (tmp_path / "other").mkdir()
    victim = tmp_path / "other" / "victim.txt"
    victim.write_text("precious")
    token, release = "0123456789ab", tmp_path / "pub" / "r.csv"
    moves = [
        {"target": "r.csv", "new": "00", "old": None, "temporary": names.temporary(release, token).name},
        {"target": "../other/victim.txt", "new": hashlib.sha256(b"precious").hexdigest(), "old": None},
    ]
    moves[0]["backup"] = names.backup(release, token).name
    moves[1] |= {"temporary": names.temporary(victim, token).name, "backup": names.backup(victim, token).name}
    names.record(release).write_text(json.dumps({"kanon_switch": 1, "token": token, "moves": moves}))
    with pytest.raises(OutputError, match="recovery record"):
        recover(release)
    assert victim.read_text() == "precious"


@pytest.mark.parametrize("after", range(8))
def test_an_interrupt_right_after_a_file_is_made_leaves_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    pair = pair_in(tmp_path / "out")
    (tmp_path / "out").mkdir()
    made = Held.make
    count = iter(range(100))

    def make_and_stop(path: Path) -> Held:
        held = made(path)
        if next(count) == after:
            raise KeyboardInterrupt
        return held

    monkeypatch.setattr(Held, "make", make_and_stop)
    with contextlib.suppress(KeyboardInterrupt):
        check_targets(*pair, force=False)
        with staging(*pair):
            pass
    assert list((tmp_path / "out").iterdir()) == []


def test_an_interrupt_while_the_old_files_are_cleared_away_leaves_only_the_new_pair(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair = prepare(tmp_path / "out", "replace")
    unlink = Path.unlink
    stopped: list[Path] = []

    def stop_once(path: Path, missing_ok: bool = False) -> None:
        if path.name.endswith(".old") and whole(pair) == "new" and not stopped:
            stopped.append(path)
            raise KeyboardInterrupt
        unlink(path, missing_ok=missing_ok)

    with pytest.raises(KeyboardInterrupt), staging(*pair) as stage:
        sealed = write_stage(stage, "new")
        monkeypatch.setattr(Path, "unlink", stop_once)
        publish(sealed)
    assert stopped
    assert whole(pair) == "new"
    assert len(list((tmp_path / "out").iterdir())) == 2


def test_the_report_of_another_release_is_not_written_over(tmp_path: Path) -> None:
    """hospital.csv and hospital.parquet have the same default report."""
    other, report = tmp_path / "hospital.parquet", tmp_path / "hospital.report.json"
    other.write_text("old")
    sha256 = hashlib.sha256(b"old").hexdigest()
    report.write_text(json.dumps({"output": {"sha256": sha256, "path": "../out/hospital.parquet"}}))
    assert str(report) in refused(tmp_path / "hospital.csv", report, force=False)
    other.unlink()
    check_targets(tmp_path / "hospital.csv", report, force=False)


def test_a_report_target_that_is_no_report_needs_force(tmp_path: Path) -> None:
    pair = pair_in(tmp_path)
    pair[1].write_text("notes")
    assert str(pair[1]) in refused(*pair, force=False)
    pair[1].write_text('{"output": {"sha256": "of a release that was removed"}}')
    check_targets(*pair, force=False)


def test_a_file_that_appears_during_the_run_is_not_overwritten(tmp_path: Path) -> None:
    pair = pair_in(tmp_path)
    with pytest.raises(OutputError, match="kanon did not make"), staging(*pair) as stage:
        sealed = write_stage(stage, "new")
        pair[0].write_text("somebody's")
        publish(sealed)
    assert pair[0].read_text() == "somebody's"
    assert files_in(tmp_path) == ["hospital.csv"]


# Killed, refused, interrupted, raced


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_kill_at_any_point_ends_in_a_whole_pair(tmp_path: Path, scenario: str) -> None:
    result = in_fresh_process(f"kill_publishing_everywhere(Path({str(tmp_path / 'out')!r}), {scenario!r})")
    assert result["points"] > 25
    assert result["turn"] < result["points"] - 5


@pytest.mark.parametrize(
    ("scenario", "lose"), [("replace", ""), ("replace", "release"), ("first", "release"), ("other folder", "report")]
)
def test_a_recovery_that_is_killed_too_is_recovered(tmp_path: Path, scenario: str, lose: str) -> None:
    result = in_fresh_process(f"kill_recovery_everywhere(Path({str(tmp_path / 'out')!r}), {scenario!r}, {lose!r})")
    before = "None" if scenario == "first" else "old"
    assert result["ends"] == sorted({"new", before} if lose else {"new"})


def test_two_runs_to_one_target_end_in_a_whole_pair(tmp_path: Path) -> None:
    assert in_fresh_process(f"race(Path({str(tmp_path / 'out')!r}), 20)") == {"rounds": 20}


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs the names of open files")
def test_everything_is_safe_on_disk_before_the_first_rename(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pair = prepare(tmp_path / "out", "replace")
    steps: list[str] = []
    with staging(*pair) as stage:
        known = {stage.release_file: "release", stage.report_file: "report", names.record(pair[0]): "record"}
        sync, link, rename = os.fsync, os.link, os.replace

        def watch_sync(descriptor: int) -> None:
            steps.append("sync " + known.get(Path(f"/proc/self/fd/{descriptor}").readlink(), "folder"))
            sync(descriptor)

        def watch_link(source: Path, target: Path) -> None:
            steps.append("link")
            link(source, target)

        def watch_rename(source: Path, target: Path) -> None:
            steps.append("rename " + known[Path(source)])
            rename(source, target)

        for name, watch in (("fsync", watch_sync), ("link", watch_link), ("replace", watch_rename)):
            monkeypatch.setattr(os, name, watch)
        publish(write_stage(stage, "new"))
    assert steps == [
        *("sync release", "sync release", "sync report"),  # when it is written; when both have got their modes
        *("sync record", "sync folder", "link", "link", "sync folder"),
        *("rename release", "rename report", "sync folder"),
    ]


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("lasting", [False, True], ids=["once", "from then on"])
def test_a_disk_error_at_any_point_leaves_the_old_pair(tmp_path: Path, scenario: str, lasting: bool) -> None:
    removing, ends = ("unlink", "rmdir", "unlock"), []
    for point in range(1, 200):
        pair = prepare(tmp_path / "out", scenario)
        before, failed = whole(pair), ""

        def fail(number: int, name: str, point: int = point) -> None:
            nonlocal failed
            if number == point or (lasting and failed and name not in removing):
                failed = failed or name
                if name != "unlock":  # closing the folder unlocks it too, and neither can fail
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        try:
            with file_system(scenario), each_call(fail):
                release_to(pair, new_text(scenario))
            outcome = new_text(scenario)
        except OutputError as error:
            assert "No space left on device" in str(error)
            assert str(tmp_path) in str(error)
            outcome = before or ""
        settled = not names.record(pair[0]).exists()
        assert settled or lasting or failed == "unlink", point  # undoing needs the disk too
        if settled:
            assert whole(pair) == (outcome or None), point
            assert only(tmp_path / "out", pair) or failed in removing, point
        recover(*pair)
        assert only(tmp_path / "out", pair)
        ends.append(whole(pair))
        if not failed:
            break
    assert len(ends) > 25
    assert set(ends) == {before, new_text(scenario)}


def test_an_interrupt_at_any_point_leaves_a_whole_pair(tmp_path: Path) -> None:
    ends = []
    for point in range(1, 200):
        pair = prepare(tmp_path / "out", "replace")
        interrupted = False

        def interrupt(number: int, _: str, point: int = point) -> None:
            nonlocal interrupted
            if number == point:
                interrupted = True
                raise KeyboardInterrupt

        with contextlib.suppress(KeyboardInterrupt), each_call(interrupt):
            release_to(pair, "new")
        recover(*pair)
        assert only(tmp_path / "out", pair), point
        ends.append(whole(pair))
        if not interrupted:
            break
    turn = ends.index("new")
    assert ends == ["old"] * turn + ["new"] * (len(ends) - turn)


def test_a_full_disk_while_the_release_is_written(tmp_path: Path) -> None:
    pair = prepare(tmp_path / "out", "replace")
    with pytest.raises(OutputError) as caught, staging(*pair):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert str(pair[0]) in str(caught.value)
    assert "No space left on device" in str(caught.value)
    assert whole(pair) == "old"
    assert only(tmp_path / "out", pair)


def test_errors_of_the_stage_name_the_target_and_others_pass_through(tmp_path: Path) -> None:
    pair = pair_in(tmp_path)
    with pytest.raises(OutputError, match=r"hospital\.report\.json: cannot be written"), staging(*pair) as stage:
        raise PermissionError(errno.EACCES, "no", str(stage.report_file))
    with pytest.raises(FileNotFoundError), staging(*pair):
        (tmp_path / "input.csv").read_text()
    with pytest.raises(OSError, match="scratch"), staging(*pair):
        raise OSError(errno.ENOSPC, "full", "scratch")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Mount a file system of 64 KiB."""
    folder, mount, umount = tmp_path / "disk", shutil.which("mount"), shutil.which("umount")
    folder.mkdir()
    if mount is None or umount is None:
        pytest.skip("there is no mount command")
    made = subprocess.run(
        [mount, "-t", "tmpfs", "-o", "size=64k", "none", str(folder)], capture_output=True, check=False
    )
    if made.returncode != 0:
        pytest.skip("mounting is not permitted here")
    yield folder
    subprocess.run([umount, str(folder)], check=True)


@pytest.mark.parametrize("fill", ["release", "report", "rest"])
def test_a_disk_that_is_really_full(small_disk: Path, fill: str) -> None:
    pair = prepare(small_disk / "out", "replace")
    with pytest.raises(OutputError, match="No space left on device"), staging(*pair) as stage:
        if fill == "release":
            stage.release_file.write_bytes(b"x" * 100_000)
        sealed = write_stage(stage, "new")
        if fill == "report":
            stage.report_file.write_bytes(b"x" * 100_000)
        with contextlib.suppress(OSError), (small_disk / "filler").open("wb", buffering=0) as file:
            while file.write(b"x" * 4096):
                pass
        publish(sealed)
    (small_disk / "filler").unlink(missing_ok=True)
    assert whole(pair) == "old"
    assert only(small_disk / "out", pair)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_run_that_is_ended_leaves_the_old_pair_and_what_it_left_is_swept(tmp_path: Path, number: int) -> None:
    pair = prepare(tmp_path / "out", "replace")
    arguments, environment = command(f"wait_in_stage(Path({str(tmp_path / 'out')!r}))")
    with subprocess.Popen(arguments, env=environment, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        hidden = Path(run.stdout.readline().strip())
        assert recover(*pair) == []  # it lives, so its files are its own
        assert hidden.exists()
        run.send_signal(number)
        run.wait()
    assert whole(pair) == "old"
    assert hidden.exists()
    assert recover(pair[0]) == ["removed 2 temporary files of runs that died"]
    assert only(tmp_path / "out", pair)


def test_sigterm_turned_into_an_exit_leaves_nothing(tmp_path: Path) -> None:
    def leave(_number: int, _frame: FrameType | None) -> None:
        raise SystemExit(143)

    pair = prepare(tmp_path / "out", "replace")
    usual = signal.signal(signal.SIGTERM, leave)
    try:
        with pytest.raises(SystemExit), staging(*pair) as stage:
            write_stage(stage, "new")
            os.kill(os.getpid(), signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, usual)
    assert whole(pair) == "old"
    assert only(tmp_path / "out", pair)


def test_a_lock_that_nobody_lets_go_of_ends_in_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk, "PATIENCE", 0.05)
    pair = prepare(tmp_path / "out", "replace")
    with (
        pytest.raises(OutputError, match="another program holds the lock"),
        staging(*pair) as stage,
        disk.locked(pair[0].parent),
    ):
        publish(write_stage(stage, "new"))
    assert whole(pair) == "old"
    assert only(tmp_path / "out", pair)


# Recovery


def leave_dead(target: Path, token: str) -> Path:
    """Leave a temporary file whose owner is dead."""
    path = names.temporary(target, token)
    path.write_text("dead")
    return path


def test_recovery_of_folders_that_are_not_there_or_hold_nothing_does_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for folder in (tmp_path, tmp_path / "none" / "deep", tmp_path / "file", Path("/proc"), Path("/")):
        assert recover(folder / "x.csv", folder / "x.json") == []
    assert recover(Path("/")) == []


def test_only_dead_files_of_this_target_are_swept(tmp_path: Path) -> None:
    release, report = pair_in(tmp_path, "other folder")
    dead = [leave_dead(release, "0" * 12), leave_dead(tmp_path / "beside.json", "0" * 12), leave_dead(report, "1" * 12)]
    others = [leave_dead(tmp_path / "other.csv", "2" * 12), tmp_path / ".hospital.csv.kanon-mine.tmp"]
    others[1].touch()
    held = Held.make(names.temporary(release, "3" * 12))
    assert recover(release, report) == ["removed 3 temporary files of runs that died"]
    assert [path.exists() for path in [*dead, *others, held.path]] == [False] * 3 + [True] * 3
    held.drop()
    assert recover(release, report) == []


def test_what_a_sweep_could_not_remove_is_found_by_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    release, report = pair_in(tmp_path)
    leave_dead(release, "0" * 12)
    leave_dead(report, "0" * 12)
    removed: list[Path] = []
    remove = os.unlink

    def remove_once(path: Path) -> None:
        if removed:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        removed.append(path)
        remove(path)

    with monkeypatch.context() as patch:
        patch.setattr(os, "unlink", remove_once)
        assert recover(release) == ["removed 1 temporary file of runs that died"]
    assert recover(release) == ["removed 1 temporary file of runs that died"]
    assert files_in(tmp_path) == []


def test_a_file_swept_between_its_making_and_its_lock_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock, times = fcntl.flock, 0

    def sweep_first(descriptor: int, operation: int) -> None:
        nonlocal times
        times += 1
        if times == 1:
            (tmp_path / "x").unlink()
        lock(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", sweep_first)
    held = Held.make(tmp_path / "x")
    held.check()
    held.drop()
    assert times == 2


def cut_switch(folder: Path) -> tuple[Path, Path]:
    """Leave a switch that was cut after its record was written, and before its first rename."""
    pair = prepare(folder, "replace")

    def stop(_: object, __: object) -> None:
        raise MemoryError  # stands for a kill: nothing is undone or removed after it

    with pytest.MonkeyPatch.context() as patch, pytest.raises(MemoryError), staging(*pair) as stage:
        patch.setattr("kanon_cli.release.switch.Switch.perform", stop)
        patch.setattr("kanon_cli.release.switch.Switch.back_out", stop)
        patch.setattr("kanon_cli.release.held.Held.drop", lambda held: os.close(held.descriptor))
        publish(write_stage(stage, "new"))
    assert len(files_in(folder)) == 5
    return pair


def test_a_cut_switch_is_finished_by_the_next_command(tmp_path: Path) -> None:
    pair = cut_switch(tmp_path / "out")
    assert recover(pair[0]) == ["finished a switch to a new hospital.csv that was cut in between"]
    assert whole(pair) == "new"
    assert only(tmp_path / "out", pair)


def test_a_cut_switch_is_finished_by_the_next_to_publish(tmp_path: Path) -> None:
    pair = prepare(tmp_path / "out", "replace")
    with staging(*pair) as stage:
        sealed = write_stage(stage, "newer")
        pair[0].parent.rename(tmp_path / "kept")
        cut_switch(tmp_path / "out")
        for path in (tmp_path / "kept").glob(".*.tmp"):
            path.rename(tmp_path / "out" / path.name)
        publish(sealed)
    assert whole(pair) == "newer"
    assert only(tmp_path / "out", pair)


def test_a_cut_switch_in_a_folder_that_was_moved_is_finished_there(tmp_path: Path) -> None:
    cut_switch(tmp_path / "out")
    (tmp_path / "out").rename(tmp_path / "moved")
    recover(tmp_path / "moved" / "hospital.csv")
    assert whole(pair_in(tmp_path / "moved")) == "new"


def test_a_file_that_was_changed_after_the_cut_is_left_as_it_is(tmp_path: Path) -> None:
    pair = cut_switch(tmp_path / "out")
    pair[0].write_text("somebody's")
    (said,) = recover(*pair)
    assert "left as it is" in said
    assert pair[0].read_text() == "somebody's"
    assert only(tmp_path / "out", pair)


def test_temporary_files_that_changed_after_the_cut_are_not_published(tmp_path: Path) -> None:
    pair = cut_switch(tmp_path / "out")
    next(pair[0].parent.glob(".hospital.csv.kanon-*.tmp")).write_text("swapped")
    assert recover(*pair) == ["undid a switch to a new hospital.csv that was cut in between"]
    assert whole(pair) == "old"
    assert only(tmp_path / "out", pair)


def test_a_record_that_was_cut_while_it_was_written_changes_nothing(tmp_path: Path) -> None:
    pair = cut_switch(tmp_path / "out")
    record = names.record(pair[0])
    record.write_bytes(record.read_bytes()[:-20])
    assert recover(*pair) == [
        "removed the unfinished recovery record of hospital.csv",
        "removed 2 temporary files of runs that died",
    ]
    assert whole(pair) == "old"
    assert only(tmp_path / "out", pair)


@pytest.mark.parametrize(
    "change",
    [
        {"kanon_switch": 2},
        {"token": "../../etc/pas"},
        {"moves": []},
        {"more": 1},
        {"moves": [{"target": "victim", "temporary": "x", "backup": "y", "new": "0", "old": None}] * 2},
    ],
)
def test_a_record_that_kanon_did_not_write_is_refused(tmp_path: Path, change: dict[str, object]) -> None:
    pair = cut_switch(tmp_path / "out")
    record = names.record(pair[0])
    record.write_text(json.dumps({**json.loads(record.read_text()), **change}))
    before = files_in(tmp_path)
    with pytest.raises(OutputError, match="not written by this version"):
        recover(*pair)
    assert files_in(tmp_path) == before
    assert whole(pair) == "old"


def test_a_cut_switch_in_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    pair = cut_switch(tmp_path / "out")

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    with pytest.MonkeyPatch.context() as patch:
        for name in ("link", "replace", "unlink"):
            patch.setattr(os, name, refuse)
        assert recover(*pair) == [
            "a switch of hospital.csv was cut in between and cannot be settled here: Read-only file system"
        ]
    assert whole(pair) == "old"
    recover(*pair)
    assert whole(pair) == "new"
