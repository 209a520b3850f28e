"""The typed, frozen form of a spec: every key of the grammar, with its long form."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from kanon_cli.algorithms.base import Algorithm
from kanon_cli.backends.base import Backend
from kanon_cli.measures.base import Measure
from kanon_cli.models.base import Model

Text = Annotated[str, Field(min_length=1)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0, le=1)]


class Node(BaseModel):
    """A mapping of the spec: frozen, and strict about its keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Input(Node):
    """Where the table is and how it is written."""

    path: Text
    format: Literal["auto", "csv", "tsv", "parquet", "arrow"] = "auto"
    delimiter: Annotated[str, Field(min_length=1, max_length=1)] | None = None  # None: by the format
    quote: Annotated[str, Field(min_length=1, max_length=1)] = '"'
    encoding: Text = "utf-8"
    null_values: tuple[str, ...] = ("",)


class Output(Node):
    """Where the release goes and how it is written."""

    path: Text
    report: Text | None = None  # None: the path with .report.json in place of its ending
    html: Text | None = None
    order: Literal["sorted", "input"] = "sorted"
    numeric: Literal["interval", "bounds", "midpoint"] = "interval"


class TaxonomySource(Node):
    """Where a taxonomy comes from; exactly one of the four is given."""

    file: Text | None = None
    mask: Annotated[int, Field(ge=1, le=64)] | None = None
    intervals: tuple[Decimal, ...] | None = None
    calendar: bool = False


class QuasiIdentifier(Node):
    """A column that identifies people indirectly, and how its values may be generalized."""

    type: Literal["categorical", "numeric", "date"] = "categorical"
    taxonomy: TaxonomySource | None = None
    generalize: Literal["set"] | None = None
    weight: Positive = 1.0


class Recursive(Node):
    """Recursive (c, l)-diversity."""

    c: Positive
    l: Annotated[int, Field(ge=1)]  # noqa: E741  the spec's own name


class Diversity(Node):
    """Further kinds of l-diversity."""

    distinct: Annotated[int, Field(ge=1)] | None = None
    entropy: Annotated[float, Field(ge=1)] | None = None
    recursive: Recursive | None = None


class Rows(Node):
    """A limit as a count of rows."""

    rows: Annotated[int, Field(ge=0)]


class Privacy(Node):
    """The promises, as written; `Spec.models` holds them ready-built."""

    k: Annotated[int, Field(ge=2)]
    unit: Text | None = None
    notion: Literal["k", "(k,k)", "global-(1,k)", "(k,1)", "(1,k)"] = "k"
    accept_weak: bool = False
    l: Annotated[float, Field(ge=1, allow_inf_nan=False)] | None = None  # noqa: E741  the spec's own name
    diversity: Diversity | dict[str, Diversity] | None = None
    t: Share | None = None
    joint: bool = False
    suppression: Share | Rows = 0.0


class Engine(Node):
    """Where the work runs."""

    threads: Literal["auto"] | Annotated[int, Field(ge=1)] = "auto"
    shard_rows: Literal["auto"] | Annotated[int, Field(ge=1)] = "auto"
    memory: Text = "auto"


class Spec(Node):
    """Everything a run needs to know, with its parts ready-built and its paths made absolute."""

    source: Path  # the spec file itself
    sha256: str  # of its bytes
    version: Literal[1] = 1
    name: str | None = None
    input: Input
    output: Output | None = None  # None only where nothing is written (validate, audit)
    quasi_identifiers: dict[str, QuasiIdentifier]
    sensitive: tuple[Text, ...] = ()
    identifiers: tuple[Text, ...] = ()
    keep: tuple[Text, ...] = ()
    unlisted: Literal["drop", "keep", "error"] = "drop"
    privacy: Privacy
    models: tuple[Model, ...]
    measure: Measure
    algorithm: Algorithm
    effort: Literal["fast", "balanced", "thorough"] | Annotated[int, Field(ge=1)] = "balanced"
    seed: Annotated[int, Field(ge=0, lt=2**63)] = 0
    time_limit: Text | None = None
    limits: dict[str, Positive] = {}
    engine: Engine = Engine()
    backend: Backend

    def locate(self, path: str) -> Path:
        """Where a path of the spec leads: relative paths start at the spec's folder."""
        return self.source.parent / path
