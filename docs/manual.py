"""Sections of the manual about the parts and the commands: made from docstrings, options and facts."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from enum import Enum
from typing import Any

import typer

from docs import toy
from docs.sections import shown, table
from kanon_cli import catalogue
from kanon_cli.catalogue import Entry


def parts(family: str) -> str:
    """The manual pages of a family's parts, in the order of its table."""
    return "\n\n".join("\n\n".join(_page(entry, family)).rstrip() for entry in catalogue.entries(family))


def _page(entry: Entry, family: str) -> Iterator[str]:
    """A part's page as Markdown: its signed lines become a list."""
    yield f"## {entry.name}"
    yield "\n\n".join((entry.summary, *entry.text))
    if family == "algorithms":
        yield f"![What {entry.name} makes of 200 points](pictures/{toy.picture_of(entry.name).name})"
    if entry.signed:
        yield "\n".join(f"* **{word}:** {said}" for word, said in entry.signed.items())
    if family == "models":
        yield from (f"Spec key: `{option.name}`, {option.value}." for option in entry.options)
    elif entry.options:
        rows = [(f"`{option.name}`", option.value, shown(option.default), option.meaning) for option in entry.options]
        yield table(("option", "value", "default", "meaning"), rows)
    else:
        yield "It has no options."
    yield "\n".join(_fact(name, value) for name, value in entry.facts.items())


def _fact(name: str, value: Any) -> str:
    """What a part declares about itself, for the rest of kanon to read."""
    if name == catalogue.MINIMISED:
        return f"* {catalogue.FACTS[name]}."
    said = ("yes" if value else "no") if isinstance(value, bool) else str(value)
    return f"* {catalogue.FACTS[name]}: {said}."


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
