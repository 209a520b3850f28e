"""The quickstart, run as a user would run it: what it prints, as text and as a picture, and rows before and after."""

from __future__ import annotations

import csv
import io
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from rich.console import Console
from rich.text import Text

from docs.sections import table

ROOT = Path(__file__).resolve().parent.parent
COMMAND = "kanon run configs/quickstart.yaml"
QUASI_IDENTIFIERS = ("age", "sex", "zip", "country", "education", "admission_date")
SHOWN_ROWS = 3
WIDTH = 80

# rich's own format asks the web for a font; this one takes what the reader has.
PICTURE = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="kanon in a terminal">
<style>
text {{ font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: {char_height}px; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/>
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix" xml:space="preserve">
{matrix}
</g>
</g>
</svg>
"""


@contextmanager
def _run(*more: str) -> Iterator[tuple[str, Path]]:
    """Run the quickstart in a folder of its own; give what it prints, and the folder."""
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "KANON_DEBUG", "COLUMNS")}
    environ = {
        **kept,
        "PYTHONPATH": str(ROOT),
        "PYTHONIOENCODING": "utf-8",
        "FORCE_COLOR": "1",
        "TERM": "xterm-256color",
    }
    command = [sys.executable, "-m", "kanon_cli", *COMMAND.split()[1:], *more]
    with tempfile.TemporaryDirectory(prefix="kanon-docs-") as name:
        folder = Path(name)
        for inputs in ("configs", "hierarchies", "sample_data"):
            shutil.copytree(ROOT / inputs, folder / inputs)
        done = subprocess.run(  # noqa: S603  it is kanon itself that is run
            command, cwd=folder, env=environ, capture_output=True, check=True, encoding="utf-8"
        )
        yield done.stdout, folder


@cache
def summary() -> Text:
    """What the command prints on stdout, without the line that says how long it took."""
    with _run() as (printed, _):
        lines = Text.from_ansi(printed.rstrip("\n")).split("\n")
    return Text("\n").join(line for line in lines if not line.plain.startswith("  time "))


def output() -> str:
    """The command and what it prints, as text."""
    lines = "\n".join(line.rstrip() for line in summary().plain.splitlines())
    return f"```console\n$ {COMMAND}\n{lines}\n```"


def picture() -> str:
    """The same as an SVG."""
    console = Console(record=True, file=io.StringIO(), width=WIDTH, force_terminal=True, color_system="truecolor")
    console.print(Text.assemble(("$ ", "dim"), COMMAND), summary(), sep="\n")
    drawn = console.export_svg(title="kanon", code_format=PICTURE, unique_id="kanon")
    return "\n".join(line.rstrip() for line in drawn.splitlines()) + "\n"


@cache
def before_and_after() -> str:
    """Some rows of one class, before and after; of the columns that are released, so without names and numbers."""
    with _run("--set", "output.order=input") as (_, folder):
        before = _rows(folder / "sample_data" / "hospital.csv")
        after = _rows(folder / "out" / "hospital.csv")
    cells = [tuple(row[name] for name in QUASI_IDENTIFIERS) for row in after]
    alike = [at for at, row in enumerate(cells) if row == cells[0]][:SHOWN_ROWS]
    names = (*QUASI_IDENTIFIERS, "diagnosis")
    return f"{_table(names, [before[at] for at in alike])}\n\nbecome\n\n{_table(names, [after[at] for at in alike])}"


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _table(names: Sequence[str], rows: Sequence[Mapping[str, str]]) -> str:
    return table(names, ([row[name].replace("*", r"\*") for name in names] for row in rows))
