"""Short forms of a spec, turned into the long ones they stand for."""

from __future__ import annotations

from kanon_cli.composing import Value

Mapping = dict[str, Value]


def lengthen(written: Mapping) -> Mapping:
    """The same spec in its long form; what fits no form is left as it is, for the checks to find."""
    spec = dict(written)
    for key, short in (("input", "path"), ("output", "path"), ("measure", "name"), ("algorithm", "name")):
        if key in spec:
            spec[key] = _as_mapping(spec[key], short)
    for key, default in (("measure", "lm"), ("algorithm", "auto")):
        choice = spec.get(key)
        if isinstance(choice, dict):
            spec[key] = {"name": default, **choice}
    for key in ("sensitive", "identifiers", "keep"):
        if key in spec:
            spec[key] = _as_list(spec[key])
    sensitive = spec.get("sensitive")
    if isinstance(sensitive, dict):
        spec["sensitive"] = {name: _as_mapping(column, "type") or {} for name, column in sensitive.items()}
    privacy = spec.get("privacy")
    if isinstance(privacy, dict):
        forms = {"beta": "basic", "delta": "strict"}
        spec["privacy"] = {
            key: _as_mapping(value, forms[key]) if key in forms else value for key, value in privacy.items()
        }
    source = spec.get("input")
    if isinstance(source, dict) and "null_values" in source:
        spec["input"] = {**source, "null_values": _as_list(source["null_values"])}
    if "quasi_identifiers" in spec:
        spec["quasi_identifiers"] = _columns(spec["quasi_identifiers"])
    return spec


def _as_mapping(value: Value, key: str) -> Value:
    return {key: value} if isinstance(value, str) else value


def _as_list(value: Value) -> Value:
    return [value] if isinstance(value, str) else value


def _columns(value: Value) -> Value:
    if isinstance(value, list) and all(isinstance(name, str) for name in value):
        return {str(name): {"type": "categorical"} for name in value}
    if isinstance(value, dict):
        return {name: _column(column) for name, column in value.items()}
    return value


def _column(value: Value) -> Value:
    column = _as_mapping(value, "type")
    if not isinstance(column, dict) or not isinstance(column.get("taxonomy"), str):
        return column
    taxonomy = column["taxonomy"]
    return {**column, "taxonomy": {"calendar": "true"} if taxonomy == "calendar" else {"file": taxonomy}}
