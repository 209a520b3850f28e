"""The JSON Schema of a spec as it is written, short forms included, for editors and for checks before a run."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from kanon_cli import algorithms, backends, measures, parts
from kanon_cli.parts import Part
from kanon_cli.spec.build import minimisable
from kanon_cli.spec.later import LATER
from kanon_cli.spec.model import BINARY_SUFFIXES, COMPRESSIONS, TEXT_SUFFIXES
from kanon_cli.spec.written import Written

Schema = dict[str, Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_VARIABLE: Schema = {
    "type": "string",
    "pattern": r"\$\{",
    "description": "A text with environment variables: ${NAME} or ${NAME:-default}.",
}
_TEXT: Schema = {"type": "string", "minLength": 1}


def spec_schema() -> Schema:
    """Build the schema from the typed spec and from the parts that there are."""
    schema = Written.model_json_schema()
    definitions, keys = schema["$defs"], schema["properties"]
    _leave_out_what_comes_later(schema)
    _allow_short_forms(definitions, keys)
    keys["measure"] = _choice(keys["measure"], {name: measures.TABLE[name] for name in minimisable()}, "measures")
    auto = {"auto": algorithms.TABLE[algorithms.AUTO]}
    keys["algorithm"] = _choice(keys["algorithm"], {**auto, **algorithms.TABLE}, "algorithms")
    keys["engine"] = _engine(keys["engine"], definitions["WrittenEngine"])
    keys["limits"]["propertyNames"] = {"pattern": f"^({'|'.join(measures.TABLE)})$"}
    schema = _with_variables(_plain(schema))
    schema["$defs"] = {"Variable": _VARIABLE, **_used(schema)}
    return {"$schema": DIALECT, **schema, "title": "kanon spec", "description": "What `kanon run` reads."}


def _leave_out_what_comes_later(schema: Schema) -> None:
    for later in LATER:
        owner = schema
        for key in later.path[:-1]:
            owner = _definition(schema, owner["properties"][key])
        key = later.path[-1]
        if key in owner["properties"] and later.allowed:
            description = owner["properties"][key]["description"]
            plain = [value for value in later.allowed if isinstance(value, str | bool | int | float)]
            owner["properties"][key] = {"enum": plain, "description": description}
        else:
            owner["properties"].pop(key, None)  # a backend's own option is not there at all


def _definition(schema: Schema, reference: Schema) -> Schema:
    """The definition that a property refers to, straight or as one of several forms."""
    name = next(form["$ref"] for form in (reference, *reference.get("anyOf", ())) if "$ref" in form)
    found: Schema = schema["$defs"][name.rpartition("/")[2]]
    return found


def _allow_short_forms(definitions: Schema, keys: Schema) -> None:
    text, packed, others = map(_any_case, (TEXT_SUFFIXES, COMPRESSIONS, BINARY_SUFFIXES))
    release = {**_TEXT, "pattern": rf"({text}({packed})?|{others})$|\$\{{"}
    definitions["Output"]["properties"]["path"].update(release)
    keys["input"] = _or_short(keys["input"], _TEXT)
    keys["output"] = _or_short(keys["output"], release)
    for key in ("identifiers", "keep"):
        keys[key]["uniqueItems"] = True
        keys[key] = _or_short(keys[key], _TEXT)
    names, columns = keys["sensitive"]["anyOf"]
    names["uniqueItems"] = True
    kinds = {"enum": definitions["Sensitive"]["properties"]["type"]["enum"], "description": "What its values are."}
    columns["additionalProperties"] = {"anyOf": [kinds, {"type": "null"}, columns["additionalProperties"]]}
    keys["sensitive"] = _or_short(keys["sensitive"], _TEXT)
    privacy = definitions["Privacy"]["properties"]
    for key in ("beta", "delta"):
        privacy[key] = _or_short(privacy[key], {"type": "number", "exclusiveMinimum": 0})
    nulls = definitions["Input"]["properties"]["null_values"]
    nulls["items"] = {"type": ["string", "number", "boolean"]}  # 99 and no are texts to kanon, quoted or not
    definitions["Input"]["properties"]["null_values"] = _or_short(nulls, nulls["items"])
    column = definitions["QuasiIdentifier"]["properties"]
    source = definitions["TaxonomySource"]
    source.update(minProperties=1, maxProperties=1)
    column["taxonomy"] = _or_short(column["taxonomy"], {**_TEXT, "description": "calendar, or a taxonomy file."})
    columns = keys["quasi_identifiers"]
    types = {"enum": column["type"]["enum"], "description": column["type"]["description"]}
    columns["additionalProperties"] = {"anyOf": [types, columns["additionalProperties"]]}
    columns["minProperties"] = 1
    names = {"type": "array", "items": _TEXT, "minItems": 1, "uniqueItems": True, "description": "All categorical."}
    keys["quasi_identifiers"] = _or_short(columns, names)


def _any_case(endings: tuple[str, ...]) -> str:
    """Write a pattern for endings in capitals or not; JavaScript has no switch for that."""
    letters = (re.sub("[a-z]", lambda letter: f"[{letter[0]}{letter[0].upper()}]", ending) for ending in endings)
    return "(" + "|".join(letters).replace(".", r"\.") + ")"


def _or_short(long: Schema, short: Schema) -> Schema:
    inner = {key: value for key, value in long.items() if key not in ("description", "default")}
    forms = [form for form in inner.get("anyOf", [inner]) if form != {"type": "null"}]
    return {"description": long["description"], "anyOf": [short, *forms]}


def _choice(key: Schema, table: Mapping[str, str], family: str) -> Schema:
    """A part by its name, or as a mapping with its name and options."""
    forms: list[Schema] = [{"enum": list(table)}]
    for name in table:
        options = _options(parts.load(table, name, Part), f"see `kanon {family} {name}`")
        named = {"name": {"const": name, "description": "Which one."}, **options}
        required = [] if name == "auto" else ["name"]
        forms.append({"type": "object", "properties": named, "required": required, "additionalProperties": False})
    return {"description": key["description"], "anyOf": forms}


def _engine(key: Schema, common: Schema) -> Schema:
    forms = []
    for name in backends.TABLE:
        options = _options(parts.load(backends.TABLE, name, Part), f"an option of the backend {name}")
        named = {**common["properties"], **options}
        named["backend"] = {"const": name, "description": named["backend"]["description"]}
        forms.append({"type": "object", "properties": named, "additionalProperties": False})
    return {"description": key["description"], "anyOf": forms}


def _options(part: type[Part], fallback: str) -> Schema:
    options: Schema = part.model_json_schema().get("properties", {})
    return {name: {"description": fallback, **option} for name, option in options.items()}


def _plain(schema: Any) -> Any:
    """Leave out pydantic's titles, and null as a value: a key that has none is left out of a spec."""
    if isinstance(schema, list):
        return [_plain(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    plain = {key: _plain(value) for key, value in schema.items() if not (key == "title" and isinstance(value, str))}
    if "anyOf" in plain:
        forms = [form for form in plain.pop("anyOf") if form != {"type": "null"}]
        plain = {**forms[0], **plain} if len(forms) == 1 else {**plain, "anyOf": forms}
    return {key: value for key, value in plain.items() if not (key == "default" and value is None)}


def _with_variables(schema: Any) -> Any:
    """Allow a text with variables wherever something else than a text is expected, or a text that is none."""
    if isinstance(schema, list):
        return [_with_variables(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {key: _with_variables(value) for key, value in schema.items()}
    pattern = inner.get("pattern")
    typed = inner.get("type") in ("integer", "number", "boolean") or (
        isinstance(pattern, str) and not re.search(pattern, "${NAME}")
    )
    if not typed and not isinstance(inner.get("enum"), list):
        return inner
    outer = {key: inner.pop(key) for key in ("description", "default") if key in inner}
    return {**outer, "anyOf": [inner, {"$ref": "#/$defs/Variable"}]}


def _used(schema: Schema) -> Schema:
    """The definitions that something refers to."""
    used: Schema = {}
    waiting = [value for key, value in schema.items() if key != "$defs"]
    while waiting:
        item = waiting.pop()
        if isinstance(item, list):
            waiting += item
        elif isinstance(item, dict):
            waiting += item.values()
            name = str(item.get("$ref", "")).rpartition("/")[2]
            if name in schema["$defs"] and name not in used:
                used[name] = schema["$defs"][name]
                waiting.append(used[name])
    return used
