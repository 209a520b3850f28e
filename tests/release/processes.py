"""What is run in a process of its own, which may fork and be killed freely."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from kanon_cli.errors import OutputError
from kanon_cli.release import names, recover, staging
from tests.release.pairs import (
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


def forked(work: Callable[[], object]) -> int:
    """Run something in a forked process and give its wait status; an exception is printed and gives status 1."""
    return os.waitpid(begun(work), 0)[1]


def begun(work: Callable[[], object]) -> int:
    """Begin something in a forked process and give its id."""
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
    return child


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


def kill_undoing_everywhere(folder: Path, scenario: str) -> None:
    """Refuse a call once both files are out, kill the run before each of the calls with which it undoes, recover."""
    ends, point = set(), 0
    with file_system(scenario):
        while True:
            point += 1
            pair = prepare(folder, scenario)
            renames, since = 0, -1

            def fail_then_kill(_: int, name: str, point: int = point) -> None:
                nonlocal renames, since
                since += since >= 0
                if since == point:
                    os.kill(os.getpid(), signal.SIGKILL)
                if name == "fsync" and renames == 2 and since < 0:
                    since = 0
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                renames += name == "replace"

            def doomed(pair: tuple[Path, Path] = pair, watch: Callable[[int, str], None] = fail_then_kill) -> None:
                with contextlib.suppress(OutputError), each_call(watch):
                    release_to(pair, "new")

            status = forked(doomed)
            assert status == 0 or os.WTERMSIG(status) == signal.SIGKILL
            assert forked(partial(recover, *pair)) == 0
            assert only(folder, pair), (point, files_in(folder))
            ends.add(whole(pair))
            if status == 0:
                break
    sys.stdout.write(json.dumps({"points": point, "ends": sorted(map(str, ends))}))


def _release_thrice(pair: tuple[Path, Path], text: str) -> None:
    for step in range(3):
        release_to(pair, f"{text} {step}")


def race(folder: Path, rounds: int) -> None:
    """Let two processes publish to one target at once, again and again."""
    pair = prepare(folder, "first")
    for number in range(rounds):
        children = [begun(partial(_release_thrice, pair, f"{text} {number}")) for text in ("red", "blue")]
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
    root = Path(__file__).parents[2]
    code = f"from pathlib import Path\nfrom tests.release import processes\nprocesses.{call}"
    return [sys.executable, "-c", code], {**os.environ, "PYTHONPATH": str(root)}


def in_fresh_process(call: str) -> dict[str, Any]:
    """Run a function of this module in a fresh Python and give what it printed."""
    arguments, environment = command(call)
    done = subprocess.run(arguments, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result
