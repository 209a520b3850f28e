"""What there is to choose from: the parts of each family, as their docstrings and fields describe them."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from kanon_cli import algorithms, backends, measures, models
from kanon_cli.measures.base import CellMeasure
from kanon_cli.models.base import Notion
from kanon_cli.parts import Part, load
from kanon_cli.spec import words
from kanon_cli.spec.privacy import Privacy
from kanon_cli.spec.written import Written

FAMILIES: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "algorithms": algorithms.TABLE,
        "models": models.TABLE,
        "measures": measures.TABLE,
        "backends": backends.TABLE,
    }
)
SIGNED = re.compile(r"^(Details|Guarantee|Cost|Choose|Source|Departs): ", re.MULTILINE)
MINIMISED = "minimised"
# The facts that parts declare about themselves, and what they mean.
FACTS: Mapping[str, str] = MappingProxyType(
    {
        MINIMISED: "It can be minimised",
        "keeps": "The strongest notion of anonymity that it keeps",
        "randomized": "Another seed gives another result",
        "secret_seed": "Its `seed` has to be one that nobody can guess, and is not in the report",
        "anytime": "More `effort` gives less loss, and it stops at a `time_limit`",
        "shardable": "Parts of a table may be worked on by themselves",
        "memory": "Memory, for n rows",
        "survives_union": "If two classes keep it, so does their union (counting rows)",
        "ground": "Promises about sensitive values beside it are judged on a record's",
        "line": "What it prices in an interval of numbers or dates",
        "counts_kept": "Searches by the exact `mi`, `pmi` and `wmi`, not by their means over the rows of a cell",
        "by_secret": "It is about sensitive values, too",
    }
)


@dataclass(frozen=True)
class Option:
    """A key that a spec may give with a part."""

    name: str
    value: str  # what it takes, in words
    default: Any
    meaning: str


@dataclass(frozen=True)
class Entry:
    """All that a part says of itself."""

    name: str
    summary: str  # one sentence
    text: tuple[str, ...]  # the paragraphs after it
    signed: Mapping[str, str] = field(default_factory=dict)  # "Source" and the like, to what stands there
    options: tuple[Option, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)  # by the names of FACTS


def entries(family: str) -> list[Entry]:
    """All parts of a family, in the order of its table."""
    return [entry(family, name) for name in FAMILIES[family]]


def entry(family: str, name: str) -> Entry:
    """What the part of this name says of itself."""
    part = load(FAMILIES[family], name, Part)
    text, *signed = SIGNED.split(inspect.getdoc(part) or "")
    summary, *paragraphs = text.strip().split("\n\n")
    return Entry(
        name=name,
        summary=summary,
        text=tuple(paragraphs),
        signed={word: " ".join(said.split()) for word, said in zip(signed[::2], signed[1::2], strict=True)},
        options=_model_key(part) if family == "models" else _options(part),
        facts=_facts(part),
    )


def _options(part: type[Part]) -> tuple[Option, ...]:
    schema = part.model_json_schema()
    return tuple(
        Option(
            key,
            words.describe(schema, (key,)) or "",
            None if field.is_required() else field.get_default(),
            field.description or "",
        )
        for key, field in part.model_fields.items()
    )


def _model_key(part: type[Part]) -> tuple[Option, ...]:
    """A model has no options of its own: the spec names it by a key of `privacy`, or as the notion of anonymity."""
    name = "notion" if issubclass(part, Notion) else part.name
    value = words.describe(Written.model_json_schema(), ("privacy", name))
    known = Privacy.model_fields.get(name)
    if known and issubclass(part, Notion):
        value = f"`{part.notion}`"
    return (Option(f"privacy.{name}", value, None, known.description or ""),) if value and known else ()


def _facts(part: type[Part]) -> dict[str, Any]:
    found = {MINIMISED: True} if issubclass(part, CellMeasure) else {}
    return found | {name: getattr(part, name) for name in FACTS if hasattr(part, name)}
