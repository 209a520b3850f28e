"""The shape that algorithms, models, measures and backends share: a frozen typed model, found in a readable table."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict

from kanon_cli.errors import Mistake, SpecError


class Part(BaseModel):
    """Something a spec can name. Its fields are its YAML keys; its docstring is its manual page."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: ClassVar[str]


P = TypeVar("P", bound=Part)


def load(table: Mapping[str, str], name: str, family: type[P]) -> type[P]:
    """Import the class that `table` lists under `name` ("package.module:Class")."""
    if name not in table:
        raise SpecError(Mistake(f"unknown {family.__name__.lower()} {name!r}", expected=" | ".join(table)))
    module_name, _, class_name = table[name].partition(":")
    part: type[P] = getattr(import_module(module_name), class_name)
    return part
