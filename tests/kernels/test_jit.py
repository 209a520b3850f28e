"""Compiled code that is kept means the same wherever it is loaded."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numba
import numpy as np
import numpy.typing as npt
import pytest
from llvmlite.binding import Linkage

from kanon_cli.kernels import jit

Numbers = npt.NDArray[np.float64]

MODULE = """
import numpy as np
from kanon_cli.kernels.jit import kernel

@kernel
def sort(keys):
    keys.sort()

@kernel
def order_of(keys):
    return np.argsort(keys)

keys = np.arange(45)[::-1] * 7 % 45
"""
BOTH = """
ordered = keys[order_of(keys)]
sort(keys)
print((ordered == np.arange(45)).all(), (keys == np.arange(45)).all())
"""


def test_kernels_compiled_by_two_processes_work_together_in_a_third(tmp_path: Path) -> None:
    """numba has functions of one name for both, where processes count alike."""
    (tmp_path / "both_sort.py").write_text(MODULE)
    env = {**os.environ, "KANON_CACHE_DIR": str(tmp_path / "cache")}
    env["PYTHONPATH"] = os.pathsep.join([str(tmp_path), *sys.path])

    def run(code: str) -> str:
        told = [sys.executable, "-c", f"from both_sort import *\n{code}"]
        return subprocess.run(told, env=env, capture_output=True, text=True, check=True).stdout

    run("sort(keys)")
    run("order_of(keys)")
    assert run(BOTH) == "True True\n"


@jit.inner_kernel
def _sum_of_squares(numbers: Numbers) -> float:
    total = 0.0
    for number in numbers:
        total += number * number
    return total


@pytest.mark.skipif(bool(jit.config.DISABLE_JIT), reason="nothing is compiled")
@pytest.mark.parametrize("options", [jit.KEPT, jit.BARE], ids=["kernel", "bare"])
def test_nobody_else_can_call_the_parts_of_a_kernel(options: dict[str, Any]) -> None:
    """Then they take no more than this kernel hands over, and what is inlined does not stay in the code."""

    def both(one: Numbers, other: Numbers) -> float:
        return _sum_of_squares(one) + _sum_of_squares(other)

    compiled = numba.njit(**{**options, "cache": False})(both)
    assert compiled(np.arange(3.0), np.arange(4.0)) == 19
    (overload,) = compiled.overloads.values()
    functions = [function for function in overload.library._final_module.functions if not function.is_declaration]
    assert not [function for function in functions if function.linkage == Linkage.linkonce_odr]
    assert functions


def test_equal_flags_have_one_copy_that_nobody_changes() -> None:
    make: Any = jit._Flags  # whose flags are made at run time, so no type checker knows them
    one, other = make(), make()
    one.nrt = other.nrt = True
    copy = one.copy()
    assert copy is other.copy()
    one.nrt = False
    assert copy.nrt
    assert one.copy() is not copy
    assert one.copy() != copy
