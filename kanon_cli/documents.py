"""YAML text to plain values, each with its line and column: nothing is guessed, nothing is run, nothing grows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import yaml

from kanon_cli.composing import Composer, Node, Place, Value, ValuePath
from kanon_cli.errors import Mistake, SpecError

LARGEST_FILE = 2**20  # bytes

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the one in C reads a megabyte at once
# What YAML does not allow in a text (its production c-printable); lone surrogates are among it.
_UNREADABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class Document:
    """A YAML document: every scalar is the text that was written, or None if nothing was; and where each stands."""

    name: str
    value: Value
    _root: Node

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

    def _nearest(self, path: ValuePath) -> Node:
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
    composer = Composer(name)
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
