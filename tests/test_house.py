"""The house keeps its own rules: names match, nothing is unregistered, docs are fresh, links lead somewhere."""

from __future__ import annotations

import ast
import inspect
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer

from docs import generate, toy
from kanon_cli import algorithms, catalogue
from kanon_cli.algorithms.base import EFFORTS
from kanon_cli.cli.app import app
from kanon_cli.errors import KanonError
from kanon_cli.parts import Part, load
from kanon_cli.spec.parse import parse
from tests.contracts.parts import FAMILIES, PARTS

ROOT = Path(__file__).resolve().parent.parent
NO_PARTS = {
    "__init__",
    "base",
    "blocks",
    "closest",
    "courses",
    "diving",
    "evidence",
    "grounds",
    "growing",
    "leaving",
    "links",
    "market",
    "parting",
    "passes",
    "polishing",
    "recombining",
    "recordwise",
    "searching",
    "seen",
    "starts",
    "told",
    "transport",
}
LONG_NAME = {
    "l": "l_frequency",  # one letter in a spec; in the report, beside the other kinds of l, its whole name
    "1k": "one_k",  # no module begins with a digit
}
SIGNED = {
    "algorithms": ("Guarantee", "Cost", "Choose", "Source"),
    "models": ("Guarantee", "Source"),
    "measures": ("Source",),
    "backends": (),
}
LINK = re.compile(r"\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]*))?\)")
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


@cache
def files(*patterns: str) -> list[Path]:
    """The files that git knows or would add."""
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    command = [git, "ls-files", "--cached", "--others", "--exclude-standard", "--", *patterns]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True).stdout.splitlines()
    return [ROOT / name for name in names if (ROOT / name).is_file()]


def modules() -> list[Path]:
    """The modules of kanon itself."""
    return sorted((ROOT / "kanon_cli").rglob("*.py"))


@pytest.mark.parametrize(("family", "name", "part"), PARTS)
def test_a_part_has_one_name_everywhere(family: str, name: str, part: type[Part]) -> None:
    module = LONG_NAME.get(name, name.replace("-", "_"))
    assert part.name == name
    assert part.__module__ == f"kanon_cli.{family}.{module}"
    assert f"\n## {name}\n" in (ROOT / "docs" / f"{family}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("family", FAMILIES)
def test_every_module_of_a_family_is_in_its_table(family: str) -> None:
    found = {path.stem for path in (ROOT / "kanon_cli" / family).glob("*.py")} - NO_PARTS
    assert found == {entry.partition(":")[0].rpartition(".")[2] for entry in FAMILIES[family].values()}


def test_the_manual_says_what_auto_is() -> None:
    said = "`algorithm: auto`, the default, is "
    page = (ROOT / "docs" / "algorithms.md").read_text(encoding="utf-8")
    assert f"{said}[{algorithms.AUTO}](#{algorithms.AUTO})" in page


def test_the_manual_says_what_an_effort_is() -> None:
    text = " ".join((ROOT / "docs" / "spec.md").read_text(encoding="utf-8").split())
    first, second, third = EFFORTS.values()
    assert list(EFFORTS) == ["fast", "balanced", "thorough"]
    assert f"`fast`, `balanced` or `thorough`, which are {first}, {second} and {third} units of work per record" in text
    assert f"to lose less: fast ({first}), balanced ({second}), thorough ({third}) or a count; 0: none" in text


def test_the_manual_knows_all_families() -> None:
    assert catalogue.FAMILIES == FAMILIES


@pytest.mark.parametrize("name", algorithms.TABLE)
def test_what_an_algorithm_does_is_said_in_three_sentences(name: str) -> None:
    entry = catalogue.entry("algorithms", name)
    said = " ".join((entry.summary, *entry.text))
    assert len(re.findall(r"[.!?](?=\s|$)", said)) <= 3


@pytest.mark.parametrize(("family", "name", "part"), PARTS)
def test_a_part_has_a_manual_page(family: str, name: str, part: type[Part]) -> None:
    text = part.__dict__.get("__doc__") or ""
    lines = inspect.cleandoc(text).splitlines()
    assert lines, f"{name} has no docstring"
    assert lines[0].endswith("."), "the first line is a sentence"
    missing = [word for word in SIGNED[family] if not any(line.startswith(f"{word}: ") for line in lines)]
    assert not missing, f"{name} says nothing about {missing}"


@pytest.mark.parametrize("family", sorted(FAMILIES.keys() - {"models"}))  # a model's options are described in `privacy`
def test_every_option_of_a_part_is_described(family: str) -> None:
    options = [
        (name, option, field.description)
        for name in FAMILIES[family]
        for option, field in load(FAMILIES[family], name, Part).model_fields.items()
    ]
    assert [(name, option) for name, option, description in options if not description] == []


def test_docs_are_fresh() -> None:
    assert [str(path.relative_to(ROOT)) for path in generate.stale()] == [], "run make docs"


def test_pictures_of_algorithms_show_what_they_do() -> None:
    assert list(toy.stale()) == [], "run make docs"


def test_every_generated_section_stands_somewhere() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in generate.pages())
    assert {found["name"] for found in generate.MARKED.finditer(text)} == set(generate.SECTIONS)
    assert text.count("<!-- generated:") == len(generate.SECTIONS) == text.count("<!-- end -->")


def test_only_the_command_line_prints() -> None:
    printing = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in modules()
        if "cli" not in path.relative_to(ROOT / "kanon_cli").parts
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
    ]
    assert printing == []


def test_no_file_names_a_package_registry() -> None:
    hosts = [("pypi", "org"), ("python" + "hosted", "org"), ("ana" + "conda", "(com|org)"), ("npm" + "js", "(com|org)")]
    pattern = re.compile("|".join(rf"\b{name}\.{ending}\b" for name, ending in hosts))
    naming = [
        str(path.relative_to(ROOT))
        for path in files()
        if pattern.search(path.read_bytes().decode("utf-8", errors="replace"))
    ]
    assert naming == []


def test_every_example_is_named_in_the_docs() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
    assert [path.name for path in (ROOT / "configs").glob("*.yaml") if f"configs/{path.name}" not in text] == []


def test_every_module_has_a_docstring_of_one_line() -> None:
    wrong = []
    for path in files("*.py"):
        docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
        if not docstring or "\n" in docstring:
            wrong.append(str(path.relative_to(ROOT)))
    assert wrong == []


def _commands() -> list[tuple[str, Any]]:
    group: Any = typer.main.get_command(app)
    return [("kanon", group), *group.commands.items()]


@pytest.mark.parametrize(("name", "command"), _commands())
def test_every_command_and_option_has_help(name: str, command: Any) -> None:
    assert command.help, f"{name} has no help"
    assert [parameter.name for parameter in command.params if not parameter.help] == []


def test_the_help_lists_every_exit_code() -> None:
    group: Any = typer.main.get_command(app)
    kinds: list[type[KanonError]] = [KanonError, *KanonError.__subclasses__()]
    codes = {0, 130, 143} | {kind.exit_code for kind in kinds}
    listed = {int(code) for code in re.findall(r"(?:^|, ) *(\d+) ", group.epilog, re.MULTILINE)}
    assert listed == codes


@pytest.mark.parametrize("page", ["README.md", "docs/spec.md"])
def test_the_spec_in_the_manual_is_one(page: str, tmp_path: Path) -> None:
    (written,) = re.findall(r"```yaml\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "spec.yaml").write_text(written, encoding="utf-8")
    assert parse(tmp_path / "spec.yaml").models


def _headings(page: Path) -> set[str]:
    """The anchors of a page."""
    lines = FENCED.sub("", page.read_text(encoding="utf-8")).splitlines()
    titles = [line.lstrip("#").strip().lower() for line in lines if line.startswith("#")]
    return {re.sub(r"[^\w\- ]", "", title).replace(" ", "-") for title in titles}


def test_every_link_leads_somewhere() -> None:
    broken = []
    for page in files("*.md"):
        for target, anchor in LINK.findall(FENCED.sub("", page.read_text(encoding="utf-8"))):
            found = (page.parent / target).resolve() if target else page
            if not found.exists() or (anchor and anchor not in _headings(found)):
                broken.append(f"{page.relative_to(ROOT)}: {target}#{anchor}" if anchor else f"{page.name}: {target}")
    assert broken == []


def test_the_manual_lists_every_page() -> None:
    """A page that the map doesn't name is never found."""
    text = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    pages = {path.name for path in (ROOT / "docs").glob("*.md")} - {"index.md"}
    assert {name for name in pages if f"]({name})" not in text} == set()
