"""`kanon algorithms`, `kanon models`, `kanon measures`: what there is to choose from."""

from __future__ import annotations

import json
import textwrap
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kanon_cli.cli import results
from kanon_cli.cli.guard import guard
from kanon_cli.cli.options import Debug, Json
from kanon_cli.cli.voices import LogFormat, voice_for

if TYPE_CHECKING:
    from rich.text import Text

    from kanon_cli.catalogue import Entry, Option

Name = Annotated[
    str | None, typer.Argument(metavar="[NAME]", help="The one to show; default: list all.", show_default=False)
]


def algorithms(name: Name = None, as_json: Json = False, debug: Debug = False) -> None:
    """List the algorithms with their options, or show one with what these mean, its cost and its source."""
    _show("algorithms", name, as_json, debug)


def models(name: Name = None, as_json: Json = False, debug: Debug = False) -> None:
    """List the privacy models, or show one with what it guarantees, its key in a spec and its source."""
    _show("models", name, as_json, debug)


def measures(name: Name = None, as_json: Json = False, debug: Debug = False) -> None:
    """List the measures of loss, or show one with its source and whether it can be minimised."""
    _show("measures", name, as_json, debug)


def _show(family: str, name: str | None, as_json: bool, debug: bool) -> None:
    """Print a family's parts, or one of them."""
    with guard(voice_for(LogFormat.text, quiet=False, debug=debug)):
        from kanon_cli import catalogue
        from kanon_cli.errors import Mistake, SpecError, did_you_mean

        known = catalogue.FAMILIES[family]
        if name is not None and name not in known:
            what = f"there is nothing called {name!r} among the {family}"
            raise SpecError(Mistake(what, expected=" | ".join(known), hint=did_you_mean(name, known)))
        found = catalogue.entries(family) if name is None else [catalogue.entry(family, name)]
        if as_json:
            array = [_plain(entry) for entry in found]
            results.show_json(array if name is None else array[0])
        else:
            results.show(_list(family, found) if name is None else _page(found[0]))


def _plain(entry: Entry) -> dict[str, Any]:
    """An entry as JSON has it: what is signed stands beside the rest, in small letters."""
    plain = asdict(entry)
    signed = {word.lower(): said for word, said in plain.pop("signed").items()}
    return {"name": plain.pop("name"), "summary": plain.pop("summary"), **signed, **plain}


def _list(family: str, found: list[Entry]) -> list[Text]:
    """A few lines for each part, an algorithm's options with their defaults among them, and how to learn more."""
    from rich.text import Text

    from kanon_cli.algorithms import AUTO

    width = max(len(entry.name) for entry in found) + 4
    lines: list[Text] = []
    for entry in found:
        summary = entry.summary
        if family == "algorithms" and entry.name == AUTO:
            summary += " It is what `auto` stands for."
        first, *more = _wrapped(summary, width)
        lines.append(Text.assemble((f"  {entry.name:<{width - 2}}", "bold"), first))
        lines += [Text(" " * width + line) for line in more]
        if family == "algorithms":
            options = ", ".join(f"{option.name}: {_written(option.default)}" for option in entry.options)
            lines += [Text(" " * width + line, style="dim") for line in _wrapped(options, width) if line]
    return [*lines, Text(), Text(f"kanon {family} NAME shows one with its options, facts and source.", style="dim")]


def _page(entry: Entry) -> list[Text]:
    """All that is known of a part."""
    from rich.text import Text

    lines = [Text(entry.name, style="bold"), *map(Text, _wrapped(entry.summary, 0))]
    for paragraph in entry.text:
        lines += [Text(), *map(Text, _wrapped(paragraph, 0))]
    for word, said in entry.signed.items():
        first, *more = _wrapped(said, 13)
        lines += [Text(), Text.assemble((f"  {word:<11}", "dim"), first)]
        lines += [Text(" " * 13 + line) for line in more]
    for option in entry.options:
        lines += [Text(), Text.assemble("  ", (option.name, "bold"), _value(option))]
        lines += [Text("    " + line) for line in _wrapped(option.meaning, 4)]
    lines += [Text(), *(Text("  " + fact) for fact in _facts(entry))]
    return lines


def _wrapped(text: str, margin: int) -> list[str]:
    return textwrap.wrap(text, results.WIDEST - margin, break_on_hyphens=False) or [""]


def _value(option: Option) -> str:
    """What an option takes, and what it is if it is not given."""
    default = "" if option.default in (None, {}) else f", by default {_written(option.default)}"
    return f": {option.value}{default}"


def _written(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _facts(entry: Entry) -> list[str]:
    """What the part declares about itself, in words."""
    from kanon_cli.catalogue import FACTS

    said = {True: "yes", False: "no"}
    return [
        f"{FACTS[name]}: {said[value] if isinstance(value, bool) else value}" for name, value in entry.facts.items()
    ]
