"""`kanon warmup` compiles what a run would wait for."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from kanon_cli.compiling import kernels_of
from kanon_cli.models.k import K
from kanon_cli.models.l_frequency import LFrequency


def _warmup(folder: Path, *names: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "kanon_cli", "warmup", *names],
        env={**os.environ, "KANON_CACHE_DIR": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_second_time_there_is_nothing_to_compile(tmp_path: Path) -> None:
    first = _warmup(tmp_path, "mondrian")
    second = _warmup(tmp_path, "hilbert", "mondrian", "nonhomogeneous")
    third = _warmup(tmp_path, "hilbert", "mondrian", "nonhomogeneous")
    assert (first.returncode, second.returncode, third.returncode) == (0, 0, 0)
    assert first.stdout.startswith("mondrian: compiled in ")
    known, *others = second.stdout.splitlines()
    assert known == "mondrian: was compiled before"
    assert sorted(line.split(" in ")[0] for line in others) == ["hilbert: compiled", "nonhomogeneous: compiled"]
    assert third.stdout.splitlines() == [
        f"{name}: was compiled before" for name in ("hilbert", "mondrian", "nonhomogeneous")
    ]


def test_an_unknown_name_is_refused_with_the_nearest_one(tmp_path: Path) -> None:
    done = _warmup(tmp_path, "mondrain")
    assert done.returncode == 2
    assert "did you mean 'mondrian'?" in done.stderr
    assert not list(tmp_path.rglob("*.compiled"))


def test_what_recombines_is_compiled_where_k_is_all_that_is_promised() -> None:
    k, diverse = K(k=2), LFrequency(l=2, columns=("s",))
    assert kernels_of("lns", [k]) == ("lns", "starting", "recombining", "reshaping", "joining")
    assert kernels_of("lns", [k, diverse]) == ("lns", "starting")
    assert kernels_of("mondrian", [k]) == ("mondrian",)


WARMED = """
from kanon_cli.compiling import compile_here
from kanon_cli.kernels import bounds, dealing, jit, leaving, multipliers, reshaping, selecting, unions
for name in ("agglomerative", "bound", "recombining", "reshaping", "joining", "repair", "suppression"):
    compile_here(name)
kernels = [dealing.deal, bounds.flatten_nodes, unions.unify_chosen, leaving.leave_out]
kernels += [selecting.join_rest, selecting.take_boxes, multipliers.open_boxes, reshaping.reshape_boxes]
print(bool(jit.config.DISABLE_JIT) or all(kernel.signatures for kernel in kernels))
"""


def test_kernels_that_tiny_tables_do_without_are_compiled_too() -> None:
    """Rows that are left over, large trees, what recombines a search, and what comes after it."""
    done = subprocess.run([sys.executable, "-c", WARMED], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"


ONCE = """
from kanon_cli.compiling import compile_here
from kanon_cli.kernels import improving, jit
compile_here("lns")
print(1 if jit.config.DISABLE_JIT else len(improving.improve.signatures))
"""


def test_rounds_are_compiled_once_though_nothing_is_improved_at_first() -> None:
    done = subprocess.run([sys.executable, "-c", ONCE], capture_output=True, text=True, check=True)
    assert done.stdout == "1\n"


ALONE = """
from kanon_cli import compiling, warmup
compiling.ELSEWHERE = "import sys; sys.stdin.readline(); sys.exit(1)"
heard = []
compiling.compile_all(("hilbert", "repair", "starting"), lambda name, _: heard.append(name))
print(*sorted(heard), any(map(warmup.needed, heard)))
"""


def test_what_another_process_fails_to_compile_is_compiled_here(tmp_path: Path) -> None:
    env = {**os.environ, "KANON_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", ALONE], env=env, capture_output=True, text=True, check=True)
    assert done.stdout == "hilbert repair starting False\n"
