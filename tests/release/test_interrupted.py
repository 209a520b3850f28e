"""Ctrl-C and SIGTERM leave one whole pair, and nothing hidden."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from kanon_cli.release import check_targets, publish, staging
from kanon_cli.release.held import Held
from kanon_cli.release.switch import Switch
from tests.release.pairs import (
    SCENARIOS,
    each_call,
    file_system,
    files_in,
    new_text,
    only,
    pair_in,
    prepare,
    release_to,
    whole,
    write_stage,
)


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


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("late", [False, True], ids=["before", "after"])
def test_an_interrupt_at_any_point_leaves_a_whole_pair_and_nothing_else(
    tmp_path: Path, scenario: str, late: bool
) -> None:
    ends, folder = [], tmp_path / "out"
    for point in range(1, 200):
        pair = prepare(folder, scenario)
        before = sorted(folder.rglob("*"))
        interrupted = False

        def interrupt(number: int, _: str, point: int = point) -> None:
            nonlocal interrupted
            if number == point:
                interrupted = True
                raise KeyboardInterrupt

        watched = (lambda *_: None, interrupt) if late else (interrupt, lambda *_: None)
        with contextlib.suppress(KeyboardInterrupt), file_system(scenario), each_call(*watched):
            release_to(pair, new_text(scenario))
        assert only(folder, pair), (point, files_in(folder))
        ends.append(whole(pair))
        if ends[-1] == (None if scenario in ("first", "new folders") else "old"):
            # One that comes while a folder is removed leaves it, empty.
            assert set(before) <= set(folder.rglob("*"))
        if not interrupted:
            break
    old = None if scenario in ("first", "new folders") else "old"
    turn = ends.index(new_text(scenario))
    assert ends == [old] * turn + [new_text(scenario)] * (len(ends) - turn)


@pytest.mark.parametrize("nth", range(1, 6))
def test_an_interrupt_right_after_a_folder_is_made_leaves_none(tmp_path: Path, nth: int) -> None:
    """Both checks make a folder to see whether they can, and the stage makes three."""
    made = 0

    def interrupt(_: int, name: str) -> None:
        nonlocal made
        made += name == "mkdir"
        if name == "mkdir" and made == nth:
            raise KeyboardInterrupt

    pair = pair_in(tmp_path, "new folders")
    with pytest.raises(KeyboardInterrupt), each_call(lambda *_: None, interrupt):
        check_targets(*pair, force=False)
        with staging(*pair):
            pass
    assert list(tmp_path.iterdir()) == []


def test_an_interrupt_at_any_instruction_once_both_files_are_out_leaves_nothing_hidden(tmp_path: Path) -> None:
    """A handler of a signal runs between any two instructions, not only around calls."""
    watched = {Switch.commit.__code__, Switch.clear.__code__}
    for point in range(1, 1000):
        pair = prepare(tmp_path / "out", "replace")
        left = point

        def step(_frame: FrameType, event: str, _: object, pair: tuple[Path, Path] = pair) -> Any:
            nonlocal left
            if event == "opcode" and left and json.loads(pair[1].read_text())["of"] == "new":
                left -= 1
                if not left:
                    raise KeyboardInterrupt
            return step

        def enter(frame: FrameType, _event: str, _: object, step: Any = step) -> Any:
            frame.f_trace_opcodes = frame.f_code in watched
            return step if frame.f_trace_opcodes else None

        usual = sys.gettrace()
        try:
            with contextlib.suppress(KeyboardInterrupt), staging(*pair) as stage:
                sealed = write_stage(stage, "new")
                sys.settrace(enter)
                publish(sealed)
        finally:
            sys.settrace(usual)
        assert only(tmp_path / "out", pair), (point, files_in(tmp_path / "out"))
        assert whole(pair) in ("old", "new")
        if left:
            break
    assert point > 50


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
