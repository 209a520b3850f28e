"""Runs a command and writes what it took; small, as Linux counts the memory of who starts a process as its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path


def main(target: Path, command: list[str]) -> None:
    """Run the command with this process's streams; write its exit code, times and peak memory to `target`."""
    started = time.perf_counter()
    with subprocess.Popen(command) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    measured = {
        "code": process.returncode,
        "wall_s": time.perf_counter() - started,
        "cpu_s": usage.ru_utime + usage.ru_stime,
        "peak_mb": usage.ru_maxrss / 1024,
    }
    target.write_text(json.dumps(measured), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
