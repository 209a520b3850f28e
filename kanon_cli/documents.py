"""YAML text to plain values, each with its line and column: nothing is guessed, nothing is run, nothing grows."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NoReturn, TypeAlias, cast

import yaml

from kanon_cli.errors import Mistake, SpecError

Value: TypeAlias = "dict[str, Value] | list[Value] | str | None"
ValuePath: TypeAlias = tuple[str | int, ...]

LARGEST_FILE = 2**20  # bytes
DEEPEST = 50  # collections inside each other
MOST_COPIES = 10_000  # nodes that aliases add

_EMPTY = frozenset({"", "~", "null"})
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the one in C reads a megabyte at once
# What YAML does not allow in a text (its production c-printable); lone surrogates are among it.
_UNREADABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, order=True)
class Place:
    """A line and a column, both counted from 1."""

    line: int
    column: int


@dataclass
class _Node:
    """A value, where it is written, and the nodes and keys in it."""

    place: Place
    value: Value
    children: dict[str | int, _Node] = field(default_factory=dict)
    keys: dict[str, Place] = field(default_factory=dict)
    size: int = 1  # nodes, this one included


@dataclass(frozen=True)
class Document:
    """A YAML document: every scalar is the text that was written, or None if nothing was; and where each stands."""

    name: str
    value: Value
    _root: _Node

    def place(self, path: ValuePath) -> Place:
        """The place of a value; of the nearest one around it if there is none at this path."""
        return self._nearest(path).place

    def where(self, path: ValuePath) -> str:
        """The place of a value as "file:line:column"."""
        return self._say(self.place(path))

    def place_of_key(self, path: ValuePath) -> Place:
        """The place of the key that a path ends with; that of the value if it has none."""
        around = self._nearest(path[:-1])
        return around.keys.get(str(path[-1]), self.place(path)) if path else self.place(path)

    def where_key(self, path: ValuePath) -> str:
        """The place of a key as "file:line:column"."""
        return self._say(self.place_of_key(path))

    def _nearest(self, path: ValuePath) -> _Node:
        node = self._root
        for step in path:
            if step not in node.children:
                break
            node = node.children[step]
        return node

    def _say(self, place: Place) -> str:
        return f"{self.name}:{place.line}:{place.column}"


def fetch(path: Path, largest: int | None = None) -> bytes:
    """The bytes of a file of the user's, or a mistake that says why there are none."""
    try:
        with path.open("rb") as file:
            data = file.read(-1 if largest is None else largest + 1)
    except FileNotFoundError:
        raise SpecError(Mistake("there is no such file", where=str(path))) from None
    except IsADirectoryError:
        raise SpecError(Mistake("is a folder, not a file", where=str(path))) from None
    except PermissionError:
        raise SpecError(Mistake("there is no right to read it", where=str(path))) from None
    except (OSError, ValueError) as error:  # ValueError: the path has a null character
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise SpecError(Mistake(f"cannot be read: {why}", where=ascii(str(path))[1:-1])) from None
    if largest is not None and len(data) > largest:
        raise SpecError(Mistake("is too large", where=str(path), expected=f"at most {largest:,} bytes"))
    return data


def decode(data: bytes, name: str) -> str:
    """The text of a file: UTF-8, with or without a byte order mark."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - (data.rfind(b"\n", 0, error.start) + 1) + 1
        hint = "save it as UTF-8"
        raise SpecError(Mistake("is not UTF-8 text", where=f"{name}:{line}:{column}", hint=hint)) from None


def read_file(path: Path) -> Document:
    """Read one YAML document from a file."""
    return read_text(decode(fetch(path, LARGEST_FILE), str(path)), str(path))


def read_text(text: str, name: str) -> Document:
    """Read one YAML document from a text; mistakes call it by `name`."""
    if unreadable := _UNREADABLE.search(text):
        before = text[: unreadable.start()]
        where = f"{name}:{before.count(chr(10)) + 1}:{len(before) - before.rfind(chr(10))}"
        raise SpecError(Mistake("a character that YAML does not allow", where=where, got=ascii(unreadable.group())))
    composer = _Composer(name)
    try:
        for event in yaml.parse(text, Loader=_LOADER):
            composer.take(event)
    except yaml.YAMLError as error:
        composer.mistakes.append(_syntax_mistake(error, text, name))
    if not composer.mistakes and (composer.root is None or composer.root.value is None):
        composer.mistakes.append(Mistake("is empty", where=f"{name}:1:1"))
    if composer.mistakes or composer.root is None:
        raise SpecError(*composer.mistakes)
    return Document(name, composer.root.value, composer.root)


def _syntax_mistake(error: yaml.YAMLError, text: str, name: str) -> Mistake:
    mark = getattr(error, "problem_mark", None)
    problem = str(getattr(error, "problem", None) or getattr(error, "reason", None) or "it cannot be read")[:100]
    if mark is None:
        return Mistake(f"not valid YAML: {problem}", where=name)
    lines = text.splitlines()
    rest = lines[mark.line][mark.column :] if mark.line < len(lines) else ""
    hint = None
    if rest.startswith("\t"):
        hint = "indent with spaces, not with tabs"
    elif rest[:1] in {"*", "&", "@", "`", "%", "!", "|", ">"} or "alias" in str(getattr(error, "context", "")):
        hint = "put the text in quotes"
    return Mistake(f"not valid YAML: {problem}", where=f"{name}:{mark.line + 1}:{mark.column + 1}", hint=hint)


@dataclass
class _Open:
    """A collection whose end has not come yet."""

    node: _Node
    anchor: str | None
    key: str | None = None  # the key that waits for its value


class _Composer:
    """Builds nodes from YAML events, without recursion, and refuses what a spec has no use for."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.mistakes: list[Mistake] = []
        self.root: _Node | None = None
        self.stack: list[_Open] = []
        self.anchors: dict[str, _Node | None] = {}  # None while the collection is open
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
            node = _Node(place, event.value)
        else:
            node = _Node(place, None if plain and event.value in _EMPTY else event.value)
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
        self.stack.append(_Open(_Node(place, value), event.anchor))
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

    def add(self, node: _Node) -> None:
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
