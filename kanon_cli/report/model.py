"""The report's shape, from which its published JSON Schema is made."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

Figure = int | float
ByColumn = Figure | dict[str, Figure]  # one number, or one for each sensitive column where there are several


class Block(BaseModel):
    """A mapping of the report."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class About(Block):
    """Who made the release."""

    version: str = Field(description="version of kanon")


class SpecFacts(Block):
    """The spec it was made from."""

    name: str | None = Field(description="the spec's own name for it")
    sha256: str = Field(description="checksum of the spec, with what --set changed")


class FileFacts(Block):
    """A table file."""

    path: str = Field(description="as written in the spec")
    rows: int = Field(description="rows in the table")
    sha256: str = Field(description="checksum of the file's bytes; of several files, of their checksums in order")


class Verified(Block):
    """What the spec required, what the finished file keeps, and whether it was read back and checked."""

    notion: str = Field(description="the notion of anonymity of the spec: k, (k,k), global-(1,k), (k,1) or (1,k)")
    weakness: str | None = Field(description="why this notion is not safe by itself; null if it is")
    required: dict[str, Figure] = Field(description="the promises of the spec: k or the figures of its notion, l")
    achieved: dict[str, ByColumn] = Field(
        description="k, l_frequency, l_distinct, l_entropy of the file as read back; k1, 1k, kk and global_1k where it "
        "was held against the original for that, and l then as the notion says"
    )
    risk: dict[str, Figure] = Field(description="chance that a guess about one person's row is right")
    verified: bool = Field(description="true only if the file was read back and every promise holds on its cells")
    truthful: bool | None = Field(description="whether every cell covers its original value; null without an original")


class ClassBin(Block):
    """Classes of similar size."""

    from_: int = Field(alias="from", description="smallest size")
    to: int = Field(description="largest size")
    classes: int = Field(description="classes of these sizes")
    rows: int = Field(description="rows in them")


class Classes(Block):
    """The sizes of the classes: rows with equal quasi-identifier cells."""

    count: int = Field(description="classes in all")
    min: int = Field(description="rows of the smallest")
    mean: float = Field(description="rows of a class on average")
    max: int = Field(description="rows of the largest")
    histogram: list[ClassBin] = Field(description="classes and rows by size")


class Attribute(Block):
    """One quasi-identifier."""

    loss: float | None = Field(description="mean loss of its cells by the spec's measure; null where cells don't tell")
    distinct_in: int = Field(description="different values before, a missing one included")
    distinct_out: int = Field(description="different cells after")
    suppressed: int = Field(description="cells that say nothing any more")
    missing: int = Field(description="values that were missing in the input")
    type: str = Field(description="categorical, numeric or date")
    weight: float = Field(description="as in the spec")


class BoundFacts(Block):
    """How it is known what any release loses at least."""

    kind: str = Field(description="exact-k1, pair or sampled")
    rows: int = Field(description="rows that were worked out one by one")
    confidence: float = Field(description="chance that the bound is right at least; 1 unless it is sampled")


class AlgorithmFacts(Block):
    """How the classes were found."""

    model_config = ConfigDict(frozen=True, extra="allow")

    name: str = Field(description="the algorithm, also where the spec says auto")
    parameters: dict[str, Any] = Field(description="its options, defaults included")
    seed: int = Field(description="as in the spec")
    measure: str = Field(description="the measure that was minimised")


class Report(Block):
    """What is known about a release. All but `timing` and `environment` is the same whenever it is made again."""

    kanon: About
    spec: SpecFacts
    input: FileFacts
    output: FileFacts
    privacy: Verified
    classes: Classes
    suppressed_rows: int = Field(description="rows of the input that were left out")
    utility: dict[str, float | dict[str, float] | dict[str, dict[str, float | BoundFacts]] | None] = Field(
        description="the loss by each measure, null where cells don't tell; under `bound` what any release loses at "
        "least by the spec's measure; further figures under `details`"
    )
    attributes: dict[str, Attribute]
    algorithm: AlgorithmFacts
    timing: dict[str, float] = Field(description="seconds by stage, and in total")
    environment: dict[str, str] = Field(description="when and on what it was made")

    def text(self) -> str:
        """The report as it is written to a file."""
        return json.dumps(self.model_dump(by_alias=True), indent=2, ensure_ascii=False) + "\n"


def report_schema() -> dict[str, Any]:
    """The JSON Schema of the report."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **Report.model_json_schema(by_alias=True, mode="serialization"),
    }
