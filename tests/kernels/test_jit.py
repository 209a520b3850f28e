"""Compiled code that is kept means the same wherever it is loaded."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

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
