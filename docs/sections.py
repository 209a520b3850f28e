"""Sections of the manual about files: the keys of specs and reports, formats, exit codes, examples."""

from __future__ import annotations

import inspect
import itertools
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from kanon_cli.audit.judge import REQUIRABLE
from kanon_cli.errors import KanonError
from kanon_cli.report.model import report_schema
from kanon_cli.spec import later, words
from kanon_cli.spec.model import Input, Output, QuasiIdentifier, Sensitive, TaxonomySource
from kanon_cli.spec.nodes import Node
from kanon_cli.spec.privacy import Beta, Delta, Diversity, Privacy
from kanon_cli.spec.schema import spec_schema
from kanon_cli.spec.written import Written, WrittenEngine
from kanon_cli.tables.sources import COMPRESSION_OF, DELIMITER_OF, FORMAT_OF

ROOT = Path(__file__).resolve().parent.parent
# Where a mapping of the spec stands, and the class that types it.
NODES: Mapping[tuple[str, ...], type[Node]] = MappingProxyType(
    {
        (): Written,
        ("input",): Input,
        ("output",): Output,
        ("quasi_identifiers", "*"): QuasiIdentifier,
        ("quasi_identifiers", "*", "taxonomy"): TaxonomySource,
        ("sensitive", "*"): Sensitive,
        ("privacy",): Privacy,
        ("privacy", "diversity"): Diversity,
        ("privacy", "beta"): Beta,
        ("privacy", "delta"): Delta,
        ("engine",): WrittenEngine,
    }
)
TITLES = {
    (): "The top",
    ("quasi_identifiers", "*"): "`quasi_identifiers.<column>`",
    ("sensitive", "*"): "`sensitive.<column>`",
    ("quasi_identifiers", "*", "taxonomy"): "`quasi_identifiers.<column>.taxonomy`",
}
SIGNALS = ((130, "stopped", "Ctrl-C (SIGINT) ended the work."), (143, "stopped", "SIGTERM ended the work."))


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table."""
    cells = [list(head), *(list(row) for row in rows)]
    lines = ["| " + " | ".join(cell.replace("|", r"\|") for cell in row) + " |" for row in cells]
    lines.insert(1, "|" + "---|" * len(cells[0]))
    return "\n".join(lines)


def shown(default: Any) -> str:
    """A default as it would be written in a spec."""
    if isinstance(default, Node):
        return f"`{next(iter(default.model_dump().values()))}`" if "name" in type(default).model_fields else ""
    if default is None or default == {}:
        return ""
    return f"`{json.dumps(default, ensure_ascii=False) if not isinstance(default, str) else default}`"


def spec_keys() -> str:
    """Every key of a spec that can be given, mapping by mapping."""
    schema = spec_schema()
    schema["$defs"]["Variable"] = {}  # a variable may stand anywhere: it is not said for each key
    hidden = {entry.path for entry in later.LATER}
    sections = []
    for path, node in NODES.items():
        rows = []
        for key, field in node.model_fields.items():
            if (*path, key) in hidden:
                continue
            default = "required" if field.is_required() else shown(field.get_default())
            expected = words.describe(schema, (*path, key)) or ""
            rows.append((f"`{key}`", expected, default, field.description or ""))
        title = TITLES.get(path, f"`{'.'.join(path)}`")
        sections.append(f"### {title}\n\n{table(('key', 'value', 'default', 'meaning'), rows)}")
    return "\n\n".join(sections)


def not_yet() -> str:
    """What the grammar of a spec knows and this version refuses."""
    node_of = {path: node for path, node in NODES.items() if path}
    rows = []
    for entry in later.LATER:
        field = node_of.get(entry.path[:-1], Written).model_fields.get(entry.path[-1])
        meaning = (field.description or "") if field else "An option of the backend `spark`."
        rows.append((f"`{'.'.join(entry.path)}`", f"`{entry.expected}`" if entry.expected else "nothing", meaning))
    names = [
        (f"`{family}`" if family != "backend" else "`engine.backend`", ", ".join(f"`{name}`" for name in later_names))
        for family, later_names in later.LATER_NAMES.items()
        if later_names
    ]
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
                rows.append((f"`{key}`", _json_type(value), value.get("description", "")))
        sections.append(f"### {title}\n\n{block['description']}\n\n{table(('key', 'value', 'meaning'), rows)}")
    return "\n\n".join(sections)


def _reference(value: Mapping[str, Any]) -> str | None:
    extra = value.get("additionalProperties")
    for form in (value, value.get("items", {}), extra if isinstance(extra, dict) else {}, *value.get("anyOf", ())):
        if "$ref" in form:
            return str(form["$ref"]).rpartition("/")[2]
    return None


def _json_type(value: Mapping[str, Any]) -> str:
    if "$ref" in value:
        return "mapping"
    if "anyOf" in value:
        return " or ".join(dict.fromkeys(_json_type(form) for form in value["anyOf"]))
    names = {"object": "mapping", "string": "text", "integer": "whole number", "boolean": "true or false"}
    return names.get(value["type"], str(value["type"]))


def exit_codes() -> str:
    """Every way to end, from the classes of errors and the signals."""
    kinds: list[type[KanonError]] = [KanonError, *KanonError.__subclasses__()]
    meaning = {KanonError: "A defect in kanon, or too little memory. Please report a defect."}
    rows = [(0, "", "Done.")]
    rows += [(kind.exit_code, kind.kind, meaning.get(kind, inspect.getdoc(kind) or "")) for kind in kinds]
    rows = sorted([*rows, *SIGNALS], key=lambda row: row[0])
    return table(
        ("code", "kind", "meaning"), [(f"{code}", f"`{kind}`" if kind else "", said) for code, kind, said in rows]
    )


def requirements() -> str:
    """What `kanon audit --require` understands."""
    rows = [(f"`{name}`", f"`privacy.achieved.{figure}`") for name, figure in REQUIRABLE.items()]
    return table(("name", "figure of the report"), rows)


def formats() -> str:
    """Formats and compressions of tables, by the ending of the file."""
    endings: dict[str, list[str]] = {}
    for ending, name in FORMAT_OF.items():
        endings.setdefault(name, []).append(f"`{ending}`")
    packed = ", ".join(f"`{ending}`" for ending in COMPRESSION_OF)
    rows = [
        (name, ", ".join(found), packed if name in DELIMITER_OF else "within the file")
        for name, found in endings.items()
    ]
    return table(("format", "ending", "compressed"), rows)


def examples() -> str:
    """Every spec of the folder `configs`, with the comment that it begins with."""
    rows = []
    for path in sorted((ROOT / "configs").glob("*.yaml")):
        lines = path.read_text(encoding="utf-8").splitlines()
        comment = [
            line.removeprefix("#").strip() for line in itertools.takewhile(lambda line: line.startswith("#"), lines)
        ]
        rows.append((f"[{path.name}](../configs/{path.name})", " ".join(comment)))
    return table(("spec", "what it shows"), rows)
