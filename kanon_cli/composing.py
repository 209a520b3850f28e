"""YAML events to values and where each stands; what a spec has no use for is refused."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NoReturn, TypeAlias, cast

import yaml

from kanon_cli.errors import Mistake, SpecError

Value: TypeAlias = "dict[str, Value] | list[Value] | str | None"
ValuePath: TypeAlias = tuple[str | int, ...]

DEEPEST = 50  # collections inside each other
MOST_COPIES = 10_000  # nodes that aliases add

_EMPTY = frozenset({"", "~", "null"})


@dataclass(frozen=True, order=True)
class Place:
    """A line and a column, both counted from 1."""

    line: int
    column: int


@dataclass
class Node:
    """A value, where it is written, and the nodes and keys in it."""

    place: Place
    value: Value
    children: dict[str | int, Node] = field(default_factory=dict)
    keys: dict[str, Place] = field(default_factory=dict)
    size: int = 1  # nodes, this one included


@dataclass
class _Open:
    """A collection whose end has not come yet."""

    node: Node
    anchor: str | None
    key: str | None = None  # the key that waits for its value


class Composer:
    """Builds nodes from YAML events, without recursion, and refuses what a spec has no use for."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.mistakes: list[Mistake] = []
        self.root: Node | None = None
        self.stack: list[_Open] = []
        self.anchors: dict[str, Node | None] = {}  # None while the collection is open
        self.copies = 0

    def take(self, event: yaml.Event) -> None:
        """Take the next event."""
        mark = event.start_mark
        place = Place(mark.line + 1, mark.column + 1) if mark else Place(1, 1)
        if isinstance(event, yaml.DocumentStartEvent):
            if self.root is not None:
                self.stop(place, "a second document begins here", "keep one document in a file")
        elif isinstance(event, yaml.ScalarEvent):
            self.refuse_tag(event.tag, place)
            self.scalar(event, place)
        elif isinstance(event, yaml.AliasEvent):
            self.alias(str(event.anchor), place)
        elif isinstance(event, yaml.CollectionStartEvent):
            self.refuse_tag(event.tag, place)
            self.begin(event, place)
        elif isinstance(event, yaml.CollectionEndEvent):
            closed = self.stack.pop()
            if closed.anchor is not None:
                self.anchors[closed.anchor] = closed.node
            self.add(closed.node)

    def scalar(self, event: yaml.ScalarEvent, place: Place) -> None:
        """Take a scalar, as a key or as a value."""
        plain = not event.style
        if self.awaits_key:
            if plain and event.value == "<<":
                self.refuse(place, "merge keys are not read", "write the keys out")
            self.set_key(event.value, place)
            node = Node(place, event.value)
        else:
            node = Node(place, None if plain and event.value in _EMPTY else event.value)
            self.add(node)
        if event.anchor is not None:
            self.anchors[event.anchor] = node

    def alias(self, anchor: str, place: Place) -> None:
        """Put the anchored node here once more."""
        if anchor not in self.anchors:
            self.stop(place, "an alias of nothing", "put the text in quotes if it begins with *")
        node = self.anchors[anchor]
        if node is None:
            self.stop(place, "an alias inside of what it stands for")
        self.copies += node.size
        if self.copies > MOST_COPIES:
            self.stop(place, f"the aliases stand for more than {MOST_COPIES:,} nodes")
        if not self.awaits_key:
            self.add(replace(node, place=place))
        elif isinstance(node.value, str):
            self.set_key(node.value, place)
        else:
            self.refuse(place, "a key must be a text")
            self.stack[-1].key = ""

    def begin(self, event: yaml.CollectionStartEvent, place: Place) -> None:
        """Open a mapping or a list."""
        if self.awaits_key:
            self.stop(place, "a key must be a text", "put it in quotes")
        if len(self.stack) >= DEEPEST:
            self.stop(place, f"is nested more than {DEEPEST} levels deep")
        value: Value = {} if isinstance(event, yaml.MappingStartEvent) else []
        self.stack.append(_Open(Node(place, value), event.anchor))
        if event.anchor is not None:
            self.anchors[event.anchor] = None

    @property
    def awaits_key(self) -> bool:
        """Whether the next node is the key of a mapping."""
        return bool(self.stack) and isinstance(self.stack[-1].node.value, dict) and self.stack[-1].key is None

    def set_key(self, key: str, place: Place) -> None:
        """Note the key of the value to come."""
        around = self.stack[-1]
        if key in around.node.keys:
            first = around.node.keys[key]
            self.refuse(place, "duplicate key", f"the first is on line {first.line}")
        around.node.keys.setdefault(key, place)
        around.key = key

    def add(self, node: Node) -> None:
        """Put a finished node into the collection that is open."""
        if not self.stack:
            self.root = node
            return
        around = self.stack[-1]
        around.node.size += node.size
        if isinstance(around.node.value, list):
            around.node.children[len(around.node.value)] = node
            around.node.value.append(node.value)
        else:
            key = cast(str, around.key)
            around.node.children[key] = node
            cast("dict[str, Value]", around.node.value)[key] = node.value
            around.key = None

    def refuse_tag(self, tag: str | None, place: Place) -> None:
        """Note a tag: what a text means is the spec's own business."""
        if tag is not None:
            self.refuse(place, "tags are not read", "put the text in quotes if it begins with !")

    def refuse(self, place: Place, what: str, hint: str | None = None) -> None:
        """Note a mistake after which reading can go on."""
        self.mistakes.append(Mistake(what, where=f"{self.name}:{place.line}:{place.column}", hint=hint))

    def stop(self, place: Place, what: str, hint: str | None = None) -> NoReturn:
        """Give up, with all mistakes so far."""
        self.refuse(place, what, hint)
        raise SpecError(*self.mistakes)
