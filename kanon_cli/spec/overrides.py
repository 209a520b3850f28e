"""`--set a.b=c`: one value of the spec, given on the command line."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from kanon_cli import documents
from kanon_cli.composing import Value, ValuePath
from kanon_cli.errors import Mistake, SpecError

_STEP = re.compile(r"""(?:"(?P<double>[^"]*)"|'(?P<single>[^']*)'|(?P<bare>[^."'=]+))(?P<end>[.=])""")
_QUOTED_OR_FLOW = ("[", "{", '"', "'")
LONGEST_KEY = 60  # characters in a message
_FORM = "--set key.key=value"


@dataclass(frozen=True)
class Override:
    """A value for a place in the spec, and what the user knows it by."""

    path: tuple[str, ...]
    value: Value
    label: str  # "--set privacy.k"


def read_set(text: str) -> Override:
    """Read a text of `--set`: keys with dots between them (in quotes if they hold a dot or =), = and a value.

    The value is taken as it is; a list, a mapping or a quoted text is read as YAML; ~ and null are an empty value.
    """
    steps: list[str] = []
    at = 0
    while match := _STEP.match(text, at):
        steps.append(match["bare"] or match["double"] or match["single"] or "")
        at = match.end()
        if match["end"] == "=":
            label = f"--set {text[: at - 1]}"
            return Override(tuple(steps), _read_value(text[at:], label), label)
    hint = "put a key that holds a dot or = in quotes"
    raise SpecError(Mistake("cannot be read", where=f"--set {text[:LONGEST_KEY]}", expected=_FORM, hint=hint))


def _read_value(text: str, label: str) -> Value:
    if text.strip() in {"", "~", "null"}:
        return None
    if not text.lstrip().startswith(_QUOTED_OR_FLOW):
        return text
    try:
        return documents.read_text(text, label).value
    except SpecError as error:
        raise SpecError(*(replace(mistake, where=label) for mistake in error.mistakes)) from None


def put(spec: dict[str, Value], override: Override) -> None:
    """Put the value into a spec in its long form, making the mappings on the way."""
    around = spec
    for depth, step in enumerate(override.path[:-1], start=1):
        if around.get(step) is None:
            around[step] = {}
        inner = around[step]
        if not isinstance(inner, dict):
            what = f"{show(override.path[:depth])} has no keys"
            raise SpecError(Mistake(what, where=override.label, hint="set its whole value"))
        around = inner
    around[override.path[-1]] = override.value


def show(path: ValuePath) -> str:
    """A path as a user writes it: privacy.k, sensitive[0], quasi_identifiers."a.b".type."""
    shown = ""
    for step in path:
        if isinstance(step, int):
            shown += f"[{step}]"
        else:
            shown += ("." if shown else "") + _show_key(step)
    return shown


def _show_key(key: str) -> str:
    key = key if len(key) <= LONGEST_KEY else key[: LONGEST_KEY - 3] + "..."
    if not key.isprintable():
        return ascii(key)
    return key if re.fullmatch(r"[^\s.\"'=\[\]]+", key) else f'"{key}"'
