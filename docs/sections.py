"""The generated sections of the manual: each is made from the code that it speaks of."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, get_args

from kanon_cli import algorithms, backends, measures, models
from kanon_cli.audit.judge import REQUIRABLE
from kanon_cli.errors import KanonError
from kanon_cli.measures.base import CellMeasure
from kanon_cli.parts import Part, load
from kanon_cli.report.model import report_schema
from kanon_cli.spec import later, words
from kanon_cli.spec.model import Input, Node, Output, Privacy, QuasiIdentifier, TaxonomySource
from kanon_cli.spec.written import Written, WrittenEngine

ROOT = Path(__file__).resolve().parent.parent
FAMILIES = {
    "algorithms": algorithms.TABLE,
    "models": models.TABLE,
    "measures": measures.TABLE,
    "backends": backends.TABLE,
}
SIGNED = re.compile(r"^(Guarantee|Cost|Source|Departs): ", re.MULTILINE)

# Where a mapping of the spec stands, and the class that types it.
NODES: Mapping[tuple[str, ...], type[Node]] = MappingProxyType(
    {
        (): Written,
        ("input",): Input,
        ("output",): Output,
        ("quasi_identifiers", "*"): QuasiIdentifier,
        ("quasi_identifiers", "*", "taxonomy"): TaxonomySource,
        ("privacy",): Privacy,
        ("engine",): WrittenEngine,
    }
)
TITLES = {
    (): "The top",
    ("quasi_identifiers", "*"): "`quasi_identifiers.<column>`",
    ("quasi_identifiers", "*", "taxonomy"): "`quasi_identifiers.<column>.taxonomy`",
}
FACTS = {
    "randomized": "its result depends on the seed",
    "shardable": "parts of a table may be worked on by themselves",
    "memory": "memory for n rows",
    "survives_union": "if two classes keep it, so does their union",
    "line": "how it prices an interval of numbers or dates",
}
SIGNALS = ((130, "interrupted", "Ctrl-C (SIGINT) ended the work."), (143, "terminated", "SIGTERM ended the work."))


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table."""
    cells = [list(head), *(list(row) for row in rows)]
    lines = ["| " + " | ".join(cell.replace("|", r"\|") for cell in row) + " |" for row in cells]
    lines.insert(1, "|" + "---|" * len(cells[0]))
    return "\n".join(lines)


def _sentence(text: str) -> str:
    return (text[:1].upper() + text[1:]).rstrip(".") + "." if text else ""


def _shown(default: Any) -> str:
    """A default as it would be written in a spec."""
    if isinstance(default, Node):
        return f"`{next(iter(default.model_dump().values()))}`" if "name" in type(default).model_fields else ""
    if default is None or default in ((), {}):
        return ""
    return f"`{json.dumps(default, ensure_ascii=False) if not isinstance(default, str) else default}`"


def spec_keys() -> str:
    """Every key of a spec that can be given, mapping by mapping."""
    schema = Written.model_json_schema()
    hidden = {entry.path for entry in later.LATER}
    sections = []
    for path, node in NODES.items():
        rows = []
        for key, field in node.model_fields.items():
            if (*path, key) in hidden:
                continue
            default = "required" if field.is_required() else _shown(field.get_default())
            expected = words.describe(schema, (*path, key)) or ""
            rows.append((f"`{key}`", expected.replace("none | ", ""), default, _sentence(field.description or "")))
        title = TITLES.get(path, f"`{'.'.join(path)}`")
        sections.append(f"### {title}\n\n{table(('key', 'value', 'default', 'meaning'), rows)}")
    return "\n\n".join(sections)


def not_yet() -> str:
    """What the grammar of a spec knows and this version refuses."""
    node_of = {path: node for path, node in NODES.items() if path}
    rows = []
    for entry in later.LATER:
        field = node_of.get(entry.path[:-1], Written).model_fields.get(entry.path[-1])
        meaning = _sentence((field.description or "") if field else "An option of the backend `spark`.")
        rows.append((f"`{'.'.join(entry.path)}`", f"`{entry.expected}`" if entry.expected else "nothing", meaning))
    names = [
        (f"`{family}`" if family != "backend" else "`engine.backend`", ", ".join(f"`{name}`" for name in later_names))
        for family, later_names in later.LATER_NAMES.items()
    ]
    names.append(("figures of the report, in `limits`", ", ".join(f"`{name}`" for name in later.LATER_FIGURES)))
    keys = table(("key", "accepted today", "meaning"), rows)
    return f"## Keys\n\n{keys}\n\n## Names\n\n{table(('where', 'names'), names)}"


def report_keys() -> str:
    """Every key of a report, block by block."""
    schema = report_schema()
    sections = []
    waiting = [("The top", schema)]
    while waiting:
        title, block = waiting.pop(0)
        rows = []
        for key, value in block["properties"].items():
            name = _reference(value)
            if name:
                inner = schema["$defs"][name]
                heading = f"`{key}.<column>`" if "additionalProperties" in value else f"`{key}`"
                waiting.append((heading if value.get("type") != "array" else f"an entry of `{key}`", inner))
                rows.append((f"`{key}`", "see below", inner["description"]))
            else:
                rows.append((f"`{key}`", _json_type(value), _sentence(value.get("description", ""))))
        sections.append(f"### {title}\n\n{block['description']}\n\n{table(('key', 'value', 'meaning'), rows)}")
    return "\n\n".join(sections)


def _reference(value: Mapping[str, Any]) -> str | None:
    extra = value.get("additionalProperties")
    for form in (value, value.get("items", {}), extra if isinstance(extra, dict) else {}):
        if "$ref" in form:
            return str(form["$ref"]).rpartition("/")[2]
    return None


def _json_type(value: Mapping[str, Any]) -> str:
    if "anyOf" in value:
        return " or ".join(dict.fromkeys(_json_type(form) for form in value["anyOf"]))
    names = {"object": "mapping", "string": "text", "integer": "whole number", "boolean": "true or false"}
    return names.get(value["type"], value["type"])


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
    if items := [f"* **{word}.** {' '.join(said.split())}" for word, said in pairs]:
        yield "\n".join(items)


def _options(part: type[Part], family: str) -> Iterator[str]:
    if family == "models":
        schema = Written.model_json_schema()
        yield f"Spec key: `privacy.{part.name}`, {words.describe(schema, ('privacy', part.name))}."
        return
    schema = part.model_json_schema()
    rows = [
        (f"`{key}`", words.describe(schema, (key,)) or "", _shown(field.get_default()), _sentence(field.description or ""))
        for key, field in part.model_fields.items()
    ]
    yield table(("option", "value", "default", "meaning"), rows) if rows else "It has no options."


def _facts(part: type[Part]) -> str:
    """What the part declares about itself for the engine to read."""
    declared = {name: getattr(part, name) for name in FACTS if hasattr(part, name)}
    lines = [f"* {_sentence(FACTS[name])[:-1]}: {_fact(value)}." for name, value in declared.items()]
    if load.__name__ and issubclass(part, CellMeasure):
        lines.insert(0, "* Can be minimised: yes.")
    return "\n".join(lines)


def _fact(value: object) -> str:
    return {True: "yes", False: "no"}.get(value, str(value)) if isinstance(value, bool) else str(value)
