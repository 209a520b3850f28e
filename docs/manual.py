"""Sections of the manual about the parts and the commands: made from docstrings, options and facts."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from enum import Enum
from typing import Any

import typer

from docs.sections import shown, table
from kanon_cli import algorithms, backends, measures, models
from kanon_cli.measures.base import CellMeasure
from kanon_cli.models.base import Notion
from kanon_cli.parts import Part, load
from kanon_cli.spec import words
from kanon_cli.spec.written import Written

FAMILIES = {
    "algorithms": algorithms.TABLE,
    "models": models.TABLE,
    "measures": measures.TABLE,
    "backends": backends.TABLE,
}
SIGNED = re.compile(r"^(Guarantee|Cost|Source|Departs): ", re.MULTILINE)

FACTS = {
    "keeps": "The strongest notion of anonymity that it keeps",
    "randomized": "Another seed gives another result",
    "anytime": "More `effort` gives less loss, and it stops at a `time_limit`",
    "shardable": "Parts of a table may be worked on by themselves",
    "memory": "Memory, for n rows",
    "survives_union": "If two classes keep it, so does their union",
    "ground": "Promises about sensitive values beside it are judged on a record's",
    "line": "What it prices in an interval of numbers or dates",
}


def parts(family: str) -> str:
    """The manual pages of a family's parts, in the order of its table."""
    pages = []
    for name in FAMILIES[family]:
        part = load(FAMILIES[family], name, Part)
        pages.append("\n\n".join((f"## {name}", *_manual(part), *_options(part, family), _facts(part))))
    return "\n\n".join(page.rstrip() for page in pages)


def _manual(part: type[Part]) -> Iterator[str]:
    """The docstring as Markdown: its signed lines become a list."""
    text, *signed = SIGNED.split(inspect.getdoc(part) or "")
    yield text.strip()
    pairs = zip(signed[::2], signed[1::2], strict=True)
    if items := [f"* **{word}:** {' '.join(said.split())}" for word, said in pairs]:
        yield "\n".join(items)


def _options(part: type[Part], family: str) -> Iterator[str]:
    if issubclass(part, Notion):
        yield f"Spec key: `privacy.notion: {part.notion}`."
        return
    if family == "models":
        schema = Written.model_json_schema()
        yield f"Spec key: `privacy.{part.name}`, {words.describe(schema, ('privacy', part.name))}."
        return
    schema = part.model_json_schema()
    rows = [
        (
            f"`{key}`",
            words.describe(schema, (key,)) or "",
            shown(field.get_default()),
            field.description or "",
        )
        for key, field in part.model_fields.items()
    ]
    yield table(("option", "value", "default", "meaning"), rows) if rows else "It has no options."


def _facts(part: type[Part]) -> str:
    """What the part declares about itself, for the rest of kanon to read."""
    lines = ["* It can be minimised."] if issubclass(part, CellMeasure) else []
    for name, meaning in FACTS.items():
        if hasattr(part, name):
            value = getattr(part, name)
            said = ("yes" if value else "no") if isinstance(value, bool) else str(value)
            lines.append(f"* {meaning}: {said}.")
    return "\n".join(lines)


def commands() -> str:
    """Every command with its arguments and options."""
    from kanon_cli.cli.app import app

    group: Any = typer.main.get_command(app)
    pages = [f"## kanon\n\n{_command(group)}"]
    pages += [f"## kanon {name}\n\n{_command(command)}" for name, command in group.commands.items()]
    return "\n\n".join(pages)


def _command(command: Any) -> str:
    """One command: what it does, its parameters, its example."""
    rows = [(_names(parameter), _meaning(parameter)) for parameter in command.params]
    pieces = [inspect.cleandoc(command.help or ""), table(("argument or option", "meaning"), rows)]
    _, _, example = (command.epilog or "").partition("Example: ")
    if example:
        pieces.append(f"```sh\n{example.strip()}\n```")
    return "\n\n".join(pieces)


def _names(parameter: Any) -> str:
    """How a parameter is written, with what it takes."""
    if parameter.param_type_name == "argument":
        return f"`{parameter.metavar}`" + ("..." if parameter.nargs == -1 else "")
    names = ", ".join(f"`{name}`" for name in parameter.opts)
    if parameter.is_flag:
        return names
    choices = "|".join(type(parameter.default)) if isinstance(parameter.default, Enum) else ""
    return f"{names} `{parameter.metavar or choices}`"


def _meaning(parameter: Any) -> str:
    """Its help, with its default and its environment variable."""
    said = parameter.help or ""
    if isinstance(parameter.default, Enum):
        said += f" Default: `{parameter.default.value}`."
    return f"{said} Also by `{parameter.envvar}`." if parameter.envvar else said
