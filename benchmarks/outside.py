"""Measuring from outside: whole processes with their wall time, CPU time and peak memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.setting import PROJECT, Unavailable

SPEC_IS_WRONG = 2  # kanon's exit code


@dataclass(frozen=True)
class Process:
    """A process that has ended."""

    output: bytes
    code: int
    wall_s: float
    cpu_s: float
    peak_mb: float

    @property
    def costs(self) -> dict[str, float]:
        """What it took."""
        return {"wall_s": self.wall_s, "cpu_s": self.cpu_s, "peak_mb": self.peak_mb}


def start(command: Sequence[str], environ: Mapping[str, str] | None = None) -> Process:
    """Run a command to its end, by way of the stopwatch; what it says on stderr is left out."""
    with tempfile.NamedTemporaryFile(prefix="kanon-bench-", suffix=".json") as measured:
        watch = [sys.executable, "-I", "-S", str(PROJECT / "benchmarks" / "stopwatch.py"), measured.name, *command]
        environment = {**os.environ, **(environ or {})}
        done = subprocess.run(
            watch, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment, cwd=PROJECT, check=True
        )
        return Process(output=done.stdout, **json.loads(Path(measured.name).read_bytes()))


def write_spec(folder: Path, **content: Any) -> Path:
    """A spec as a file; JSON is YAML."""
    path = folder / "spec.yaml"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


@dataclass(frozen=True)
class Run:
    """A `kanon run` that has ended well."""

    report: dict[str, Any]
    process: Process

    @property
    def loss(self) -> float:
        """By the measure that was minimised."""
        return float(self.report["utility"][self.report["algorithm"]["measure"]])

    @property
    def got(self) -> dict[str, float]:
        """The loss and what the process took; clustering is the algorithm alone, by the wall clock."""
        return {"loss": self.loss, "cluster_s": self.report["timing"]["cluster"], **self.process.costs}


def kanon_run(spec: Path, *options: str, cache: Path | None = None) -> Run:
    """Run a spec in a process of its own."""
    command = [sys.executable, "-m", "kanon_cli", "run", str(spec), "--json", "--force", *options]
    process = start(command, {"KANON_CACHE_DIR": str(cache)} if cache else None)
    if process.code == SPEC_IS_WRONG:
        raise Unavailable("This version of kanon refuses the spec.")
    if process.code:
        raise SystemExit(f"kanon ended with {process.code}: {' '.join(command)}")
    return Run(json.loads(process.output), process)
