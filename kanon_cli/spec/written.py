"""A spec as it is written, in its long form: parts are names with options, not yet built."""

from __future__ import annotations

from pydantic import ConfigDict

from kanon_cli.spec.model import Engine, Settings
from kanon_cli.spec.nodes import Node, Text


class Choice(Node):
    """A part by its name, with its options beside it."""

    model_config = ConfigDict(extra="allow")  # the part itself knows its options

    name: Text
    """Which one."""


class WrittenEngine(Engine):
    """Where the work runs, and the backend's own options beside it."""

    model_config = ConfigDict(extra="allow")  # the backend itself knows its options

    backend: Text = "local"
    """Which backend runs the work."""


class Written(Settings):
    """The keys of a spec."""

    measure: Choice = Choice(name="lm")
    """The loss that is minimised."""
    algorithm: Choice = Choice(name="auto")
    """How records are put into groups; auto: kanon's choice."""
    engine: WrittenEngine = WrittenEngine()
    """Where the work runs."""
