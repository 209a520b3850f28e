"""What the user wrote, in file and options: values by path, where each stands, and all that is wrong with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar, cast

from pydantic import BaseModel, ValidationError

from kanon_cli.composing import Place, Value, ValuePath
from kanon_cli.documents import Document
from kanon_cli.errors import Mistake, SpecError
from kanon_cli.spec.overrides import Override, put, show
from kanon_cli.spec.short_forms import lengthen
from kanon_cli.spec.variables import expand

N = TypeVar("N", bound=BaseModel)

LONGEST_QUOTE = 60
_AFTER_THE_FILE = 10**9  # mistakes of the command line come after those of the file


@dataclass
class Source:
    """A spec before it is typed. `spec` is its long form, with overrides and variables put in."""

    document: Document
    spec: dict[str, Value]
    overrides: dict[ValuePath, Override] = field(default_factory=dict)
    listed: list[Value] = field(default_factory=list)  # the quasi-identifiers, if they are a plain list of names
    mistakes: list[tuple[Place, Mistake]] = field(default_factory=list)
    wrong: set[ValuePath] = field(default_factory=set)

    def get(self, path: ValuePath) -> Value:
        """The value at a path; None if there is none."""
        value: Value = self.spec
        for step in path:
            if isinstance(value, dict) and step in value:
                value = value[str(step)]
            elif isinstance(value, list) and isinstance(step, int) and step < len(value):
                value = value[step]
            else:
                return None
        return value

    def mapping(self, key: str) -> Mapping[str, Value]:
        """The mapping under a key of the top; an empty one if there is none."""
        value = self.get((key,))
        return value if isinstance(value, dict) else {}

    def text(self, path: ValuePath) -> str | None:
        """The text at a path, if there is one and nothing is wrong with it."""
        value = self.get(path)
        return value if isinstance(value, str) and value and not self.is_wrong(path) else None

    def typed(self, node: type[N], path: ValuePath) -> N | None:
        """The mapping at a path, typed; None if there is none or if it has mistakes, which are noted already."""
        if self.is_wrong(path):
            return None
        try:
            return node.model_validate(self.get(path))
        except ValidationError:
            return None

    def is_wrong(self, path: ValuePath) -> bool:
        """Whether a mistake was found at a path or around it: it needs no second one."""
        return any(path[:depth] in self.wrong for depth in range(len(path) + 1))

    def complain(
        self, path: ValuePath, what: str, *, expected: str | None = None, hint: str | None = None, at_key: bool = False
    ) -> None:
        """Note a mistake, with its place and the text that was written there; one for each place is enough."""
        if self.is_wrong(path):
            return
        self.wrong.add(path)
        shown, got = self._written(path)
        label = self._override_at(path)
        where = label.label if label else self._where(path, at_key)
        place = Place(_AFTER_THE_FILE, 1) if label else self._place(path, at_key)
        mistake = Mistake(what, where, show(shown) or None, expected, None if at_key else got, hint)
        self.mistakes.append((place, mistake))

    def add(self, mistakes: Iterable[Mistake]) -> None:
        """Note mistakes that know their own place."""
        self.mistakes.extend((Place(_AFTER_THE_FILE, 1), mistake) for mistake in mistakes)

    def raise_if_wrong(self) -> None:
        """Say everything that is wrong, from the first line to the last."""
        if self.mistakes:
            raise SpecError(*(mistake for _, mistake in sorted(self.mistakes, key=lambda found: found[0])))

    def _override_at(self, path: ValuePath) -> Override | None:
        for depth in range(len(path), 0, -1):
            if path[:depth] in self.overrides:
                return self.overrides[path[:depth]]
        if path and path[0] not in cast("dict[str, Value]", self.document.value):  # it came with something set in it
            return next((o for o in self.overrides.values() if o.path[: len(path)] == path), None)
        return None

    def _in_file(self, path: ValuePath) -> ValuePath:
        if self.listed and path[:1] == ("quasi_identifiers",) and len(path) > 1 and path[1] in self.listed:
            return ("quasi_identifiers", self.listed.index(str(path[1])), *path[2:])
        return path

    def _where(self, path: ValuePath, at_key: bool) -> str:
        path = self._in_file(path)
        return self.document.where_key(path) if at_key else self.document.where(path)

    def _place(self, path: ValuePath, at_key: bool) -> Place:
        path = self._in_file(path)
        return self.document.place_of_key(path) if at_key else self.document.place(path)

    def _written(self, path: ValuePath) -> tuple[ValuePath, str | None]:
        """The path as far as it is written out, and the text there, before variables were put in."""
        override = self._override_at(path)
        value = override.value if override else self.document.value
        depth = len(override.path) if override else 0
        steps = path[depth:] if override else self._in_file(path)
        for step in steps:
            if isinstance(value, dict) and step in value:
                value = value[str(step)]
            elif isinstance(value, list) and isinstance(step, int) and step < len(value):
                value = value[step]
            elif isinstance(value, dict | list):
                return path, None  # the key is missing
            else:
                break  # a short form: what is written stands for the whole
            depth += 1
        return path[:depth], _quote(value)


def _quote(value: Value) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, str):
        text = value if len(value) <= LONGEST_QUOTE else value[: LONGEST_QUOTE - 3] + "..."
        return text if text.isprintable() and text.strip() else ascii(text)
    return f"{'a' if value else 'an empty'} {'mapping' if isinstance(value, dict) else 'list'}"


class _Unexpanded(str):
    """A text whose variables could not be put in; nobody minds if an override takes its place."""

    mistake: Mistake


def open_source(document: Document, overrides: Iterable[Override], environ: Mapping[str, str]) -> Source:
    """Put variables and overrides into a document and bring it to its long form."""
    if not isinstance(document.value, dict):
        what = "a spec is a mapping: keys with a colon, and their values"
        raise SpecError(Mistake(what, where=document.where(())))
    written = {key: _expanded(value, environ) for key, value in document.value.items()}
    listed = written.get("quasi_identifiers")
    source = Source(document, lengthen(written), listed=listed if isinstance(listed, list) else [])
    for override in overrides:
        source.overrides[override.path] = override
        try:
            put(source.spec, replace(override, value=_expanded(override.value, environ)))
        except SpecError as error:
            source.add(error.mistakes)
        source.spec = lengthen(source.spec)
    _complain_of_variables(source, source.spec, ())
    return source


def _expanded(value: Value, environ: Mapping[str, str]) -> Value:
    if isinstance(value, dict):
        return {key: _expanded(inner, environ) for key, inner in value.items()}
    if isinstance(value, list):
        return [_expanded(inner, environ) for inner in value]
    if value is None:
        return None
    try:
        return expand(value, environ)
    except SpecError as error:
        text = _Unexpanded(value)
        what = "; ".join(mistake.what for mistake in error.mistakes)
        text.mistake = replace(error.mistakes[0], what=what)
        return text


def _complain_of_variables(source: Source, value: Value, path: ValuePath) -> None:
    if isinstance(value, dict):
        for key, inner in value.items():
            _complain_of_variables(source, inner, (*path, key))
    elif isinstance(value, list):
        for at, inner in enumerate(value):
            _complain_of_variables(source, inner, (*path, at))
    elif isinstance(value, _Unexpanded):
        source.complain(path, value.mistake.what, expected=value.mistake.expected, hint=value.mistake.hint)
