"""What the grammar of a spec knows and this version of kanon cannot do yet: refused, never ignored."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import TypeAdapter, ValidationError

from kanon_cli.composing import Value
from kanon_cli.spec.model import Engine
from kanon_cli.spec.nodes import Node
from kanon_cli.spec.source import Source

NOT_YET = "is not available yet"


@dataclass(frozen=True)
class Later:
    """A key that comes later, or of which only some values are there."""

    node: type[Node]
    path: tuple[str, ...]
    allowed: tuple[object, ...] = ()  # the values that are there already; none: leave the key out
    expected: str | None = None


LATER = (
    Later(Engine, ("engine", "shard_rows"), ("auto",), "auto"),
    Later(Engine, ("engine", "memory"), ("auto",), "auto"),
    Later(Engine, ("engine", "master")),
    Later(Engine, ("engine", "remote")),
    Later(Engine, ("engine", "conf")),
)
REFUSED = frozenset(later.path for later in LATER if not later.allowed)  # keys that cannot be given at all

# Names of parts that come later; a test holds that none is in its family's table.
LATER_NAMES: dict[str, tuple[str, ...]] = {
    "algorithm": (),
    "backend": ("spark",),
    "measure": (),
}


def refuse(source: Source) -> None:
    """Note every key and value of the spec that comes later. To be called before the spec is typed."""
    for later in LATER:
        value = source.get(later.path)
        if value is not None and not _is_there(later, value):
            source.complain(later.path, NOT_YET, expected=later.expected, hint=_hint(later))


def _is_there(later: Later, value: Value) -> bool:
    if not later.allowed:
        return False
    field = later.node.model_fields[later.path[-1]]
    try:
        typed: object = TypeAdapter(field.rebuild_annotation()).validate_python(value)
    except ValidationError:
        return True  # it is something else that is wrong with it, and the typed spec will say what
    return typed in later.allowed


def _hint(later: Later) -> str:
    return "leave the key out" if not later.allowed else f"leave the key out, or write {later.expected}"
