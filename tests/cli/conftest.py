"""A folder with a table and a spec, and kanon as a process of its own in it."""

from __future__ import annotations

import csv
import fcntl
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

import kanon_cli
from kanon_cli.kernels.jit import CACHE_FOLDER

HOME = Path(kanon_cli.__file__).parents[1]
START = "from kanon_cli.cli import main; main()"
SPEC = """\
input: people.csv
output: out/people.csv
quasi_identifiers:
  age: numeric
  sex: categorical
  zip: {taxonomy: {mask: 5}}
  born: {type: date}
sensitive: diagnosis
identifiers: [name]
keep: [visit]
privacy:
  k: 3
  l: 2
"""
ILLNESSES = ("Asthma", "Flu", "Gout", "Cold")


def people(rows: int = 48) -> list[dict[str, str]]:
    """Make up people."""
    return [
        {
            "name": f"Person {row}",
            "age": str(20 + row * 7 % 50),
            "sex": "MF"[row % 2],
            "zip": f"{47000 + row * 13 % 40}",
            "born": f"19{60 + row % 30}-0{1 + row % 9}-1{row % 10}",
            "visit": "new" if row % 3 else "again",
            "diagnosis": ILLNESSES[row % 4],
        }
        for row in range(rows)
    ]


@dataclass(frozen=True)
class Desk:
    """A folder to work in, and the environment that kanon gets."""

    folder: Path
    environ: dict[str, str]

    def write(self, name: str, text: str) -> Path:
        """Write a file, with its folder."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def write_table(self, rows: list[dict[str, str]], name: str = "people.csv") -> Path:
        """Write a table."""
        path = self.folder / name
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        return path

    def write_spec(self, name: str, output: str | None = None, *changes: tuple[str, str]) -> str:
        """Write the spec with another output and other changes; give its name."""
        text = SPEC.replace("out/people.csv", output or f"out/{Path(name).stem}.csv")
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        self.write(name, text)
        return name

    def command(self, *arguments: str, first: str | None = None) -> list[str]:
        """Give the command line of kanon; `first` is code that runs before it in the same process."""
        kanon = ["-m", "kanon_cli"] if first is None else ["-c", f"{first}\n{START}"]
        return [sys.executable, *kanon, *arguments]

    def kanon(self, *arguments: str, first: str | None = None, **environ: str) -> subprocess.CompletedProcess[str]:
        """Run kanon to its end."""
        return subprocess.run(
            self.command(*arguments, first=first),
            cwd=self.folder,
            env=self.environ | environ,
            capture_output=True,
            encoding="utf-8",
            check=False,
            stdin=subprocess.DEVNULL,
        )

    def files(self, folder: str = ".") -> set[str]:
        """List all files below a folder, hidden ones too."""
        root = self.folder / folder
        return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}


@pytest.fixture(scope="session")
def environ(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Give what kanon finds around it: the kernels that `make test` has compiled, and no mercy for warnings."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    cache = str(CACHE_FOLDER.parent if CACHE_FOLDER else shared / "kernels")
    found = {
        "PATH": os.environ["PATH"],
        "HOME": str(base),
        "PYTHONPATH": str(HOME),
        "PYTHONWARNINGS": "error",
        "KANON_CACHE_DIR": cache,
    }
    folder = tmp_path_factory.mktemp("first")
    desk = Desk(folder, found)
    desk.write("spec.yaml", SPEC)
    desk.write_table(people())
    with (shared / "kernels.lock").open("w") as lock:  # one of pytest's workers compiles, the others wait
        fcntl.flock(lock, fcntl.LOCK_EX)
        first = desk.kanon("run", "spec.yaml")
    assert first.returncode == 0, first.stderr
    return found


@pytest.fixture
def desk(tmp_path: Path, environ: dict[str, str]) -> Desk:
    """Give a folder with people.csv and spec.yaml, which writes out/people.csv."""
    desk = Desk(tmp_path, environ)
    desk.write("spec.yaml", SPEC)
    desk.write_table(people())
    return desk
