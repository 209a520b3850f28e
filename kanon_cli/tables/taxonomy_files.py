"""Taxonomies from files: a tree of names in YAML, or a CSV file with the way from leaf to root on each line."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from kanon_cli import documents
from kanon_cli.composing import Value, ValuePath
from kanon_cli.documents import Document
from kanon_cli.errors import Mistake, SpecError
from kanon_cli.tables.taxonomy import Taxonomy, grow

YAML_ENDINGS = (".yaml", ".yml")
SHOWN = 60  # characters of a label in a message
MOST = 20  # mistakes that are said of one file


@dataclass
class _Tree:
    """Leaves and parents as far as they are read, and what is wrong with them."""

    leaves: dict[str, str] = field(default_factory=dict)  # label -> where
    parent_of: dict[str, str] = field(default_factory=dict)
    inner: set[str] = field(default_factory=set)
    tops: dict[str, str] = field(default_factory=dict)  # the last label of a way -> where
    mistakes: dict[str, Mistake] = field(default_factory=dict)  # by what it is about: each is said once

    def add(self, way: list[str], where: str) -> None:
        """Add a leaf and the labels above it, up to the root; equal neighbours are one node."""
        labels = way[:1] + [upper for lower, upper in pairwise(way) if upper != lower]
        if "" in labels:
            self.refuse("an empty label", where)
            return
        allowed = [self.allows(label, where) for label in labels]
        if not all(allowed):
            return
        self.leaves.setdefault(labels[0], where)
        self.tops.setdefault(labels[-1], where)
        for child, parent in pairwise(labels):
            known = self.parent_of.setdefault(child, parent)
            self.inner.add(parent)
            if known != parent:
                what = f"{_quote(child)} has two parents, {_quote(known)} and {_quote(parent)}"
                self.refuse(what, where, "a label stands in one place", about=what)

    def allows(self, label: str, where: str) -> bool:
        """Whether no character of the label is invisible; a tab is let through."""
        if any(unicodedata.category(character) == "Cc" and character != "\t" for character in label):
            what = f"{_quote(label)} holds a control character"
            self.refuse(what, where, "remove it, or check the file's quotes", about=what)
            return False
        return True

    def refuse(self, what: str, where: str, hint: str | None = None, about: str | None = None) -> None:
        """Note a mistake; one is enough for each place, or for each thing that it is about."""
        self.mistakes.setdefault(about or where, Mistake(what, where=where, hint=hint))

    def finish(self, name: str) -> Taxonomy:
        """Check the whole and build it."""
        for leaf, where in self.leaves.items():
            if leaf in self.inner:
                what = f"{_quote(leaf)} is both a leaf and an inner node"
                self.refuse(what, where, "give one of the two another name", about=what)
        self._check_root(name)
        if self.mistakes:
            raise SpecError(*self._shown(name))
        return grow(list(self.leaves), self.parent_of)

    def _shown(self, name: str) -> list[Mistake]:
        """The first mistakes, and how many there are if there are many more."""
        found = list(self.mistakes.values())
        more = len(found) - MOST
        return found if more <= 0 else [*found[:MOST], Mistake(f"and {more} more mistakes", where=name)]

    def _check_root(self, name: str) -> None:
        roots = [top for top in self.tops if top not in self.parent_of]
        if circle := self._circle():
            self.refuse(f"{_quote(circle)} stands above itself", name, "every way up ends at the root", about="root")
        elif len(roots) > 1:
            shown = ", ".join(map(_quote, roots[:5])) + (", ..." if len(roots) > 5 else "")
            self.refuse(
                f"has {len(roots)} roots: {shown}", self.tops[roots[1]], "put one label above them", about="root"
            )
        elif not self.inner and not self.mistakes:
            self.refuse("has no leaves", name, "write the root's children below it", about="root")

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
    tree = _Tree()
    ending = path.suffix.lower()
    if ending in YAML_ENDINGS:
        _add_yaml(tree, documents.read_file(path))
    elif ending == ".csv":
        _add_csv(tree, documents.decode(documents.fetch(path), str(path)), str(path))
    else:
        raise SpecError(Mistake("is not a taxonomy file", where=str(path), expected="an ending .yaml, .yml or .csv"))
    return tree.finish(str(path))


def _add_csv(tree: _Tree, text: str, name: str) -> None:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text), strict=True)
    line = 1
    try:
        for row in reader:
            if len(row) > 1 or "".join(row).strip():
                tree.add(row, f"{name}:{line}")
            line = reader.line_num + 1
    except csv.Error as error:
        hint = "a cell that holds a quote or the delimiter stands in quotes, its own quotes doubled"
        tree.refuse(f"not valid CSV: {error}", f"{name}:{line}", hint)


def _delimiter(text: str) -> str:
    """The first of ; tab and , that stands in the first line, outside of quotes."""
    line = text.lstrip("\r\n").partition("\n")[0]
    unquoted = re.sub(r'"[^"]*"', "", line)
    return next((delimiter for delimiter in ";\t," if delimiter in unquoted), ";")


def _add_yaml(tree: _Tree, document: Document) -> None:
    root = document.value
    if isinstance(root, dict) and len(root) == 1:
        _add_below(tree, document, root, (), [])
    else:
        tree.refuse("a taxonomy has one key at the top, its root", document.where(()))


def _add_below(tree: _Tree, document: Document, value: Value, path: ValuePath, above: list[str]) -> None:
    """Walk a tree of names depth-first; `above` are the labels from the parent up to the root."""
    if isinstance(value, dict) and value:
        for label, below in value.items():
            inside = (*path, label)
            tree.allows(label, document.where_key(inside))  # said here, since its leaves may be on other lines
            if below is None:
                tree.add([label, *above], document.where_key(inside))
            else:
                _add_below(tree, document, below, inside, [label, *above])
    elif isinstance(value, list) and value:
        for at, item in enumerate(value):
            inside = (*path, at)
            if isinstance(item, str):
                tree.add([item, *above], document.where(inside))
            elif isinstance(item, dict):
                _add_below(tree, document, item, inside, above)
            else:
                tree.refuse("a label is a text", document.where(inside), 'put it in quotes: "null", "~", ""')
    else:
        tree.refuse("an inner node has a list or a mapping below it", document.where(path), "for example [one, other]")


def _quote(label: str) -> str:
    return repr(label if len(label) <= SHOWN else label[: SHOWN - 3] + "...")
