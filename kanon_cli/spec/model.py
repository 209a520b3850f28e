"""The typed, frozen form of a spec: every key of the grammar, with its long form."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from kanon_cli.algorithms.base import EFFORTS, Algorithm
from kanon_cli.backends.base import Backend
from kanon_cli.measures.base import CellMeasure
from kanon_cli.models.base import Model
from kanon_cli.spec.nodes import Character, Node, Number, Positive, Text, Version, Width
from kanon_cli.spec.privacy import Privacy

_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}

DEFAULT_SEED = 0
TEXT_SUFFIXES = (".csv", ".tsv")
BINARY_SUFFIXES = (".parquet", ".arrow", ".feather")
SUFFIXES = TEXT_SUFFIXES + BINARY_SUFFIXES
COMPRESSIONS = (".gz", ".zst", ".bz2")  # of text; the other formats compress by themselves


class Input(Node):
    """Where the table is and how it is written."""

    path: Text
    """A file, a folder or a glob; a relative path starts at the spec's folder."""
    format: Literal["auto", "csv", "tsv", "parquet", "arrow"] = "auto"
    """How the table is written; auto: by its ending."""
    delimiter: Character | None = None  # None: by the format
    """What stands between the cells of a CSV line; default: by the format."""
    quote: Character = '"'
    """What stands around a cell that holds a delimiter."""
    encoding: Text = "utf-8"
    """The encoding of a CSV file."""
    null_values: tuple[str, ...] = ("",)
    """The texts that stand for a missing value."""


class Output(Node):
    """Where the release goes and how it is written."""

    path: Text
    """The release; its format goes by its ending."""
    report: Text | None = None  # None: the path with .report.json in place of its ending
    """The report; default: the release's path with .report.json in place of its ending."""
    html: Text | None = None
    """The report as a page for the browser; default: none."""
    order: Literal["sorted", "input"] = "sorted"
    """The order of the released rows: by their cells, which hides the input's order, or as in the input."""
    numeric: Literal["interval", "bounds", "midpoint"] = "interval"
    """How a numeric interval is written: "[28-37]", as two columns, or as its middle."""
    fairness: Text | None = None
    """A column by whose values the report tells the loss, to see whether some pay more; default: none."""

    @property
    def report_path(self) -> str:
        """Where the report goes: as given, or beside the release."""
        if self.report is not None:
            return self.report
        folder, slash, name = self.path.rpartition("/")
        for endings in (COMPRESSIONS, SUFFIXES):
            ending = next((e for e in endings if name.lower().endswith(e) and len(name) > len(e)), "")
            name = name[: len(name) - len(ending)]
        return f"{folder}{slash}{name}.report.json"


class TaxonomySource(Node):
    """Where a taxonomy comes from; exactly one of the four is given."""

    file: Text | None = None
    """A taxonomy file: nested YAML, or CSV with leaf;parent;...;root on each line."""
    mask: Annotated[int, Field(ge=1, le=64)] | None = None
    """Hide characters from the right, at most this many: 47918, 4791*, 479**, ..."""
    intervals: Annotated[tuple[Width, ...], Field(min_length=1)] | None = None
    """Nested intervals of these widths, each a multiple of the one before."""
    calendar: bool = False
    """Days, months, quarters, years."""


class QuasiIdentifier(Node):
    """A column that identifies people indirectly, and how its values may be generalized."""

    type: Literal["categorical", "numeric", "date"] = "categorical"
    """What its values are."""
    taxonomy: TaxonomySource | None = None
    """How its values are generalized; default: free intervals, or for categories kept or suppressed."""
    generalize: Literal["set"] | None = None
    """set: a group is released with the set of its values."""
    weight: Annotated[float, Field(ge=1e-6, le=1e6, allow_inf_nan=False)] = 1.0
    """How much a loss in this column counts, beside the others."""


class Sensitive(Node):
    """A column that nobody may learn about a person, and what its values are."""

    type: Literal["categorical", "numeric"] = "categorical"
    """What its values are: names, or numbers, which are near each other or far."""
    taxonomy: Text | None = None
    """A taxonomy file: values that it puts together are nearer to each other."""
    bins: Annotated[tuple[Number, ...], Field(min_length=1)] | None = None
    """Numbers in the same bin count as one value; each of these is the least number of a bin."""


class Engine(Node):
    """Where the work runs."""

    threads: Literal["auto"] | Annotated[int, Field(ge=1, le=1024)] = "auto"
    """How many threads work; auto: as many as there are processors. The release is the same."""
    shard_rows: Literal["auto"] | Annotated[int, Field(ge=1)] = "auto"
    """How many rows are worked on at a time."""
    memory: Text = "auto"
    """How much memory may be used."""


class Settings(Node):
    """What is the same in a spec as written and in one that is ready to run."""

    version: Version = 1
    """The version of this format."""
    name: str | None = None
    """What the release is called in its report."""
    input: Input
    """The table to anonymize."""
    output: Output | None = None  # None only where nothing is written (validate, audit)
    """The release."""
    quasi_identifiers: dict[str, QuasiIdentifier]
    """The columns that identify people indirectly."""
    sensitive: tuple[Text, ...] | dict[str, Sensitive] = ()
    """The columns that nobody may learn about a person; as a mapping, with what their values are."""
    identifiers: tuple[Text, ...] = ()
    """The columns that name a person; never released."""
    keep: tuple[Text, ...] = ()
    """The columns that are released unchanged."""
    unlisted: Literal["drop", "keep", "error"] = "drop"
    """What happens to the other columns."""
    privacy: Privacy
    """The promises."""
    effort: Literal["fast", "balanced", "thorough"] | Annotated[int, Field(ge=0)] = "balanced"
    """Units of work per record to lose less: fast (100), balanced (750), thorough (5000) or a count; 0: none."""
    seed: Annotated[int, Field(ge=0, lt=2**63)] = DEFAULT_SEED
    """Where random choices start: the same seed gives the same release."""
    time_limit: Annotated[str, Field(pattern=r"^[0-9]+(\.[0-9]+)?(ms|s|m|h)$", examples=["60s"])] | None = None
    """Stop improving the release so long after the start of the run: 500ms, 60s, 10m or 1h."""
    limits: dict[str, Positive] = Field({})
    """The largest loss that may be published, by measure."""


class Spec(Settings):
    """Everything a run needs to know, with its parts ready-built; `locate` makes its paths absolute."""

    sensitive: tuple[Text, ...] = ()
    meanings: dict[str, Sensitive] = Field({})  # what the values of sensitive columns are, where it is said
    source: Path  # the spec file itself
    given: frozenset[str]  # the keys of the top that are written, not left to their defaults
    sha256: str  # of its bytes, and of the texts of --set if there are any
    models: tuple[Model, ...]
    measure: CellMeasure
    algorithm: Algorithm
    engine: Engine = Engine()
    backend: Backend

    @property
    def work(self) -> int:
        """The effort as a count of work per record."""
        return EFFORTS[self.effort] if isinstance(self.effort, str) else self.effort

    @property
    def seconds(self) -> float:
        """The time after which the release is not improved any more."""
        if self.time_limit is None:
            return math.inf
        number = self.time_limit.rstrip("mhs")
        return float(number) * _SECONDS[self.time_limit[len(number) :]]

    @property
    def files(self) -> tuple[Path, ...]:
        """The spec and the paths that it names: a table, a folder or a glob, taxonomies, the release and its report."""
        taxonomies = [column.taxonomy.file for column in self.quasi_identifiers.values() if column.taxonomy]
        of_meanings = [meaning.taxonomy for meaning in self.meanings.values()]
        written = [self.output.path, self.output.report_path] if self.output else []
        named = [self.input.path, *taxonomies, *of_meanings, *written]
        return (self.source, *(self.locate(path) for path in named if path is not None))

    def locate(self, path: str) -> Path:
        """Where a path of the spec leads: relative paths start at the spec's folder."""
        whole = self.source.parent / path
        return whole.parent.resolve() / whole.name  # without ".." in it, and a link at its end is kept
