"""Writes the generated sections of the manual and of the README anew; --check says which are stale."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType

from benchmarks import page
from docs import manual, sample, sections, toy
from kanon_cli import catalogue
from reproduction import page as reproduced

ROOT = Path(__file__).resolve().parent.parent

PICTURE = ROOT / "docs" / "pictures" / "run.svg"
SECTIONS: Mapping[str, Callable[[], str]] = MappingProxyType(
    {
        "output": sample.output,
        "before and after": sample.before_and_after,
        "spec keys": sections.spec_keys,
        "not yet": sections.not_yet,
        "report keys": sections.report_keys,
        "commands": manual.commands,
        "exit codes": sections.exit_codes,
        "requirements": sections.requirements,
        "formats": sections.formats,
        "examples": sections.examples,
        "targets": page.targets,
        "measurements": page.measurements,
        "algorithms measured": page.algorithms,
        "claims": reproduced.claims,
        "papers": reproduced.papers,
        **{family: partial(manual.parts, family) for family in catalogue.FAMILIES},
    }
)
MARKED = re.compile(r"(?P<begin><!-- generated: (?P<name>[a-z ]+) -->\n).*?(?P<end><!-- end -->)", re.DOTALL)


def pages() -> list[Path]:
    """The files that have generated sections."""
    found = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    return [path for path in found if MARKED.search(path.read_text(encoding="utf-8"))]


def renew(text: str) -> str:
    """The text of a page with every generated section made anew."""
    return MARKED.sub(lambda found: f"{found['begin']}\n{SECTIONS[found['name']]()}\n\n{found['end']}", text)


def stale() -> dict[Path, str]:
    """The files that are not as the code would have them, with what they should hold."""
    fresh = {path: renew(path.read_text(encoding="utf-8")) for path in pages()}
    fresh[PICTURE] = sample.picture()
    return {path: text for path, text in fresh.items() if not path.exists() or path.read_text(encoding="utf-8") != text}


def main(arguments: Sequence[str]) -> int:
    """Write and draw what is stale; with --check, only name it."""
    is_check = "--check" in arguments
    found = stale()
    for path, text in found.items():
        sys.stdout.write(f"{'stale' if is_check else 'written'}: {path.relative_to(ROOT)}\n")
        if not is_check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    left = list(toy.stale()) if is_check else _draw()
    for name in left:
        sys.stdout.write(f"stale: {toy.picture_of(name).relative_to(ROOT)}\n")
    if is_check and (found or left):
        sys.stdout.write("make docs brings them up to date\n")
    return int(bool(left) or (is_check and bool(found)))


def _draw() -> list[str]:
    """Draw the pictures of algorithms that are stale; give those that cannot be drawn."""
    names = list(toy.stale())
    if names and find_spec("matplotlib") is None:
        sys.stdout.write("matplotlib is missing (pip install 'kanon-cli[bench]')\n")
        return names
    for name in names:
        toy.draw(name)
        sys.stdout.write(f"drawn: {toy.picture_of(name).relative_to(ROOT)}\n")
    return []


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
