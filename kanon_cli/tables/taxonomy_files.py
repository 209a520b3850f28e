"""Taxonomies from files: a tree of names in YAML, or a CSV file with the way from leaf to root on each line."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from kanon_cli import documents
from kanon_cli.documents import Document, Value, ValuePath
from kanon_cli.errors import Mistake, SpecError
from kanon_cli.tables.taxonomy import Taxonomy, grow

YAML_ENDINGS = (".yaml", ".yml")
SHOWN = 60  # characters of a label, and roots in a message


@dataclass(frozen=True)
class _Way:
    """The labels from a leaf up to the root, and where they are written."""

    labels: list[str]
    where: str


@dataclass
class _Tree:
    """Leaves and parents as far as they are read, and what is wrong with them."""

    leaves: dict[str, str] = field(default_factory=dict)  # label -> where
    parent_of: dict[str, str] = field(default_factory=dict)
    inner: set[str] = field(default_factory=set)
    tops: dict[str, str] = field(default_factory=dict)  # the last label of a way -> where
    mistakes: dict[str, Mistake] = field(default_factory=dict)  # by what it is about: each is said once

    def add(self, way: _Way) -> None:
        """Add a leaf and the way up from it; equal neighbours are one node."""
        labels = way.labels[:1] + [upper for lower, upper in pairwise(way.labels) if upper != lower]
        if "" in labels:
            self.mistakes[way.where] = Mistake("an empty label", where=way.where)
            return
        self.leaves.setdefault(labels[0], way.where)
        self.tops.setdefault(labels[-1], way.where)
        for child, parent in pairwise(labels):
            known = self.parent_of.setdefault(child, parent)
            self.inner.add(parent)
            if known != parent:
                what = f"{_quote(child)} has two parents, {_quote(known)} and {_quote(parent)}"
                self.mistakes.setdefault(what, Mistake(what, where=way.where, hint="a label stands in one place"))

    def finish(self, name: str) -> Taxonomy:
        """Check the whole and build it."""
        for leaf, where in self.leaves.items():
            if leaf in self.inner:
                what = f"{_quote(leaf)} is both a leaf and an inner node"
                self.mistakes.setdefault(what, Mistake(what, where=where, hint="give one of the two another name"))
        if not self.mistakes:
            self._check_root(name)
        if self.mistakes:
            raise SpecError(*self.mistakes.values())
        return grow(list(self.leaves), self.parent_of)

    def _check_root(self, name: str) -> None:
        roots = [top for top in self.tops if top not in self.parent_of]
        if not self.leaves:
            self.mistakes["root"] = Mistake("is empty", where=name)
        elif circle := self._circle():
            what = f"{_quote(circle)} stands above itself"
            self.mistakes["root"] = Mistake(what, where=name, hint="every way up ends at the root")
        elif len(roots) > 1:
            shown = ", ".join(map(_quote, roots[:5])) + (", ..." if len(roots) > 5 else "")
            hint = "put one label above them"
            self.mistakes["root"] = Mistake(f"has {len(roots)} roots: {shown}", where=self.tops[roots[1]], hint=hint)
        elif not self.inner:
            self.mistakes["root"] = Mistake("is a root alone", where=self.tops[roots[0]], expected="leaves below it")

    def _circle(self) -> str | None:
        """A label that is above itself."""
        checked: set[str] = set()
        for start in self.parent_of:
            label: str | None = start
            walked: set[str] = set()
            while label is not None and label not in checked:
                if label in walked:
                    return label
                walked.add(label)
                label = self.parent_of.get(label)
            checked |= walked
        return None


def load(path: Path) -> Taxonomy:
    """Read a taxonomy; everything that is wrong with it is said at once."""
    ending = path.suffix.lower()
    if ending in YAML_ENDINGS:
        ways = _ways_of_yaml(documents.read_file(path))
    elif ending == ".csv":
        ways = _ways_of_csv(documents.decode(documents.fetch(path), str(path)), str(path))
    else:
        raise SpecError(Mistake("is not a taxonomy file", where=str(path), expected="an ending .yaml, .yml or .csv"))
    return _collect(ways, str(path))


def _collect(ways: Iterable[_Way], name: str) -> Taxonomy:
    tree = _Tree()
    for way in ways:
        tree.add(way)
    return tree.finish(name)


def _ways_of_csv(text: str, name: str) -> Iterator[_Way]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text), strict=True)
    line = 1
    try:
        for row in reader:
            if any(cell.strip() for cell in row) or len(row) > 1:
                yield _Way(row, f"{name}:{line}")
            line = reader.line_num + 1
    except csv.Error as error:
        hint = "a cell that holds a quote or the delimiter stands in quotes, its own quotes doubled"
        raise SpecError(Mistake(f"not valid CSV: {error}", where=f"{name}:{line}", hint=hint)) from None


def _delimiter(text: str) -> str:
    """The first of ; tab and , that stands in the first line, outside of quotes."""
    line = text.lstrip("\r\n").partition("\n")[0]
    unquoted = re.sub(r'"[^"]*"', "", line)
    return next((delimiter for delimiter in ";\t," if delimiter in unquoted), ";")


def _ways_of_yaml(document: Document) -> Iterator[_Way]:
    root = document.value
    if not isinstance(root, dict) or len(root) != 1:
        count = f"{len(root)} of them" if isinstance(root, dict) else None
        mistake = Mistake("a taxonomy has one key at the top, its root", where=document.where(()), got=count)
        raise SpecError(mistake)
    yield from _ways_below(document, root, (), [])


def _ways_below(document: Document, value: Value, path: ValuePath, above: list[str]) -> Iterator[_Way]:
    """Walk a tree of names depth-first; `above` are the labels from the parent up to the root."""
    if isinstance(value, dict) and value:
        for label, below in value.items():
            inside = (*path, label)
            if below is None:
                yield _Way([label, *above], document.where_key(inside))
            else:
                yield from _ways_below(document, below, inside, [label, *above])
    elif isinstance(value, list) and value:
        for at, item in enumerate(value):
            inside = (*path, at)
            if isinstance(item, str):
                yield _Way([item, *above], document.where(inside))
            elif isinstance(item, dict):
                yield from _ways_below(document, item, inside, above)
            else:
                ...
    else:
        ...


def _quote(label: str) -> str:
    return repr(label if len(label) <= SHOWN else label[: SHOWN - 3] + "...")
