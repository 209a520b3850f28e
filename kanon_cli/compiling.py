"""Compiling kernels once a machine: those of a run side by side, in processes of their own."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Sequence
from threading import Thread

from kanon_cli import algorithms, bounding, parts, settling, warmup
from kanon_cli.algorithms import recombining, searching
from kanon_cli.algorithms.base import Algorithm, Terms
from kanon_cli.models.base import Model, SecretModel
from kanon_cli.problem import Problem

USES = {  # of kernels that are no algorithm's, or a part of one's; what takes long comes first
    searching.NAME: searching.use_all_else,
    bounding.NAME: bounding.use_all,
    recombining.NAME: recombining.use_all_else,
    recombining.RESHAPING: recombining.use_reshaping,
    recombining.JOINING: recombining.use_joining,
    settling.REPAIR: settling.use_repair,
    settling.SUPPRESSION: settling.use_suppression,
}
TRIAL = 8  # an effort that is too little to recombine anything
ELSEWHERE = "from kanon_cli.compiling import compile_as_told; compile_as_told()"
NAMES = (*algorithms.TABLE, *USES, warmup.EXACT)  # what there is to compile

Tell = Callable[[str, float], None]  # hears a name, once its kernels are compiled, and how many seconds that took


def compile_here(name: str) -> None:
    """Compile the kernels that go by a name, in this process.

    Nothing is searched for garbage meanwhile: numba makes millions of objects that all live until it is done, and to
    look at them again and again takes a sixth of the time. Most live on, so they aren't searched later, either.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        if _searches(name):
            searching.use_rounds(warmup.plain_problem())  # first, while another process compiles all else
        warmup.warm(name, lambda problem: _use(name, problem))
    finally:
        if was_enabled:
            gc.freeze()
            gc.enable()


def compile_as_told() -> None:
    """Compile the kernels that go by the names on standard input, and answer each with a line once it is done."""
    for line in sys.stdin:
        compile_here(line.strip())
        sys.stdout.write(line)
        sys.stdout.flush()


def _use(name: str, problem: Problem) -> None:
    if name in USES:
        USES[name](problem)
        return
    found = [parts.load(algorithms.TABLE, other, Algorithm)() for other in algorithms.TABLE]
    for algorithm in found:
        if algorithm.name == name or (name == warmup.EXACT and algorithm.counts_kept):
            algorithm.work(problem, Terms(effort=TRIAL))


def _searches(name: str) -> bool:
    return name in algorithms.TABLE and parts.load(algorithms.TABLE, name, Algorithm).searches


def kernels_of(name: str, models: Sequence[Model]) -> tuple[str, ...]:
    """The names of all that an algorithm needs where these promises are made."""
    if not _searches(name):
        return (name,)
    is_free = not any(isinstance(model, SecretModel) for model in models)
    more = (recombining.NAME, recombining.RESHAPING, recombining.JOINING) if is_free else ()
    return (name, searching.NAME, *more)


def tell_nobody(_name: str, _seconds: float) -> None:
    """Hear nothing."""


def compile_all(names: Sequence[str], tell: Tell = tell_nobody) -> None:
    """Compile what has not been compiled yet, with all cores: the first here, the others wherever there is time first.

    Each other core has one process for all that it compiles, as kernels have parts in common. What it did not manage to
    compile, for whatever reason, is compiled here as well.
    """
    from kanon_cli.kernels.jit import CACHE_FOLDER

    missing = [name for name in names if warmup.needed(name)]
    waiting = deque(sorted(missing[1:], key=NAMES.index))
    others = min(len(os.sched_getaffinity(0)) - 1, len(waiting)) if CACHE_FOLDER is not None else 0
    running: list[subprocess.Popen[bytes]] = []

    def compile_and_tell(name: str) -> None:
        started = time.perf_counter()
        compile_here(name)
        tell(name, time.perf_counter() - started)

    def let_another_compile() -> None:
        try:
            process = _start_another()
        except OSError:  # no more processes here
            return
        running.append(process)
        while name := _next(waiting):
            started = time.perf_counter()
            if not _is_compiled_by(process, name):
                return
            tell(name, time.perf_counter() - started)

    helpers = [Thread(target=let_another_compile, daemon=True) for _ in range(others)]
    for helper in helpers:
        helper.start()
    try:
        for first in missing[:1]:
            compile_and_tell(first)
        while name := _next(waiting):
            compile_and_tell(name)
        for helper in helpers:
            helper.join()
    finally:
        waiting.clear()
        for process in running:
            process.kill()
            process.communicate()
    for left in missing[1:]:
        if warmup.needed(left):
            compile_and_tell(left)


def _next(waiting: deque[str]) -> str | None:
    """The name whose turn it is, if there is any left: others take names as well."""
    try:
        return waiting.popleft()
    except IndexError:
        return None


def _start_another() -> subprocess.Popen[bytes]:
    command, pipe = [sys.executable, "-c", ELSEWHERE], subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL)  # noqa: S603  kanon itself


def _is_compiled_by(process: subprocess.Popen[bytes], name: str) -> bool:
    """Tell another process to compile, and wait until it has, or has failed."""
    if process.stdin is None or process.stdout is None:
        raise AssertionError("there are pipes to the process")
    try:
        process.stdin.write(f"{name}\n".encode())
        process.stdin.flush()
    except OSError:  # it is gone
        return False
    return bool(process.stdout.readline())
