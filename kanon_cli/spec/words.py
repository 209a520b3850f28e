"""What pydantic finds, in plain words: what a value is wrong about, and what was expected in its place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from kanon_cli.composing import ValuePath
from kanon_cli.errors import suggest
from kanon_cli.spec.later import REFUSED
from kanon_cli.spec.source import Source

Schema = Mapping[str, Any]

# By pydantic's name of the error, or the end of it.
_WHAT = {
    "missing": "is missing",
    "literal_error": "is not known",
    "greater_than": "is too small",
    "greater_than_equal": "is too small",
    "less_than": "is too large",
    "less_than_equal": "is too large",
    "string_too_short": "is too short",
    "string_too_long": "is too long",
    "too_short": "is too short",
    "int_parsing_size": "has too many digits",
    "decimal_max_digits": "has too many digits",
    "finite_number": "is not a finite number",
    "string_unicode": "is not valid text",
    "string_pattern_mismatch": "is not written as it should be",
}
_HINTS: dict[tuple[str, ...], str] = {
    ("privacy", "suppression"): "it is a share of the rows; a count of rows is written {rows: n}",
    ("input", "delimiter"): 'a tab is written "\\t", in double quotes',
    ("input", "null_values", "*"): 'put it in quotes if you mean the text: "null", "~", ""',
    ("quasi_identifiers",): "write `column: type` lines, or a plain list of names",
    ("quasi_identifiers", "*"): "write for example `column: numeric`",
    ("time_limit",): "write a number with a unit: 500ms, 60s, 10m or 1h",
    ("version",): "this kanon reads version 1",
}


def report(source: Source, error: ValidationError, schema: Schema, at: ValuePath = ()) -> None:
    """Note everything that pydantic found; `at` is where the validated value stands, `schema` what describes it."""
    found: dict[ValuePath, ErrorDetails] = {}
    for detail in error.errors(include_url=False, include_context=False):
        found.setdefault(_real_path(source, at, detail), detail)
    for path, detail in found.items():
        deeper = any(other != path and other[: len(path)] == path for other in found)
        if not deeper:  # a value that may take several forms has a mistake for each form that it is not
            _note(source, path, detail, schema, path[len(at) :])


def _note(source: Source, path: ValuePath, detail: ErrorDetails, schema: Schema, inside: ValuePath) -> None:
    if detail["type"] == "extra_forbidden":
        unknown_key(source, path, properties(schema, inside[:-1]))
        return
    expected = describe(schema, inside)
    what = "is empty" if detail["input"] is None else _WHAT.get(detail["type"], "does not fit")
    choices = _choices(schema, inside)
    near = suggest(detail["input"], choices) if isinstance(detail["input"], str) and choices else None
    hint = f"did you mean {near}?" if near else _hint(path)
    source.complain(path, what, expected=expected, hint=None if detail["type"] == "missing" else hint)


def unknown_key(source: Source, path: ValuePath, known: list[str]) -> None:
    """Note a key that is not in the grammar, with the known one that is nearest."""
    there = [key for key in known if (*path[:-1], key) not in REFUSED]
    near = suggest(str(path[-1]), there)
    expected = None if near else " | ".join(there) or "no keys"
    source.complain(path, "unknown key", expected=expected, hint=f"did you mean {near}?" if near else None, at_key=True)


def _hint(path: ValuePath) -> str | None:
    for pattern, hint in _HINTS.items():
        if len(pattern) == len(path) and all(p in ("*", step) for p, step in zip(pattern, path, strict=True)):
            return hint
    return None


def _real_path(source: Source, at: ValuePath, detail: ErrorDetails) -> ValuePath:
    """Leave out of pydantic's path what names one form of a value that may take several."""
    path = at
    for step in detail["loc"]:
        value = source.get(path)
        if (isinstance(value, dict) and step in value) or (isinstance(value, list) and isinstance(step, int)):
            path = (*path, step)
    if detail["type"] == "missing":
        path = (*path, detail["loc"][-1])
    return path


def describe(schema: Schema, path: ValuePath) -> str | None:
    """What is expected at a path: "a whole number of at least 2", "csv | tsv"."""
    texts = dict.fromkeys(text for form in _forms(schema, path) if (text := _describe_form(form)))
    return " or ".join(texts) or None


def properties(schema: Schema, path: ValuePath) -> list[str]:
    """The keys that a mapping may have."""
    return [key for form in _forms(schema, path) for key in form.get("properties", {})]


def _choices(schema: Schema, path: ValuePath) -> list[str]:
    return [str(choice) for form in _forms(schema, path) for choice in form.get("enum", [])]


def _forms(schema: Schema, path: ValuePath) -> list[Schema]:
    """The schemas of all the forms that a value at the path may take."""
    forms = list(_alternatives(schema, schema))
    for step in path:
        inner: list[Schema] = []
        for form in forms:
            if isinstance(step, int):
                below = form.get("items")
            else:
                below = form.get("properties", {}).get(step) or form.get("additionalProperties")
            if isinstance(below, dict):
                inner += _alternatives(below, schema)
        forms = inner
    return forms


def _alternatives(form: Schema, schema: Schema) -> Iterator[Schema]:
    if "$ref" in form:
        yield from _alternatives(schema["$defs"][form["$ref"].rpartition("/")[2]], schema)
    elif "anyOf" in form:
        for alternative in form["anyOf"]:
            yield from _alternatives(alternative, schema)
    else:
        yield form


def _describe_form(form: Schema) -> str | None:
    if "enum" in form:
        return " | ".join(map(str, form["enum"]))
    if "const" in form:
        return str(form["const"])
    kind = form.get("type")
    if kind in ("integer", "number"):
        return ("a whole number" if kind == "integer" else "a number") + _range(form)
    if kind == "object" and form.get("required"):
        return f"a mapping with {', '.join(form['required'])}"
    text = f"a text like {form['examples'][0]}" if "examples" in form else "a text"
    words = {
        "string": "one character" if form.get("maxLength") == 1 else text,
        "boolean": "true or false",
        "array": "a list that is not empty" if form.get("minItems") else "a list",
        "object": "a mapping",
    }
    return words.get(str(kind))


def _range(form: Schema) -> str:
    if "minimum" in form and "maximum" in form:
        return f" from {form['minimum']:g} to {form['maximum']:g}"
    bounds = {"minimum": "of at least", "exclusiveMinimum": "greater than", "maximum": "of at most"}
    texts = [f"{word} {form[bound]:g}" for bound, word in bounds.items() if bound in form]
    if "exclusiveMaximum" in form:
        texts.append(f"less than {form['exclusiveMaximum']}")  # in full: seeds go up to 2**63
    return f" {' and '.join(texts)}" if texts else ""
