"""The report's shape, from which its published JSON Schema is made."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

Figure = int | float
ByColumn = (
    Figure | None | dict[str, Figure | None]
)  # null: no limit; one number, or one for each sensitive column where there are several


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
    required: dict[str, Figure] = Field(description="the promises of the spec: k or what its notion asks, and others")
    achieved: dict[str, ByColumn] = Field(
        description="what the file as read back keeps of each promise: k, l_frequency, l_distinct, l_entropy, "
        "recursive_c (with l = 2), alpha, t, beta, beta_enhanced, delta, delta_present; null: without limit. Where "
        "another notion than k is asked for, k1, 1k, kk and global_1k, too, and the others among the rows that could "
        "be a person's"
    )
    risk: dict[str, Figure] = Field(
        description="chances that a guess about one person's row is right, and the share of rows above a threshold"
    )
    risk_before: dict[str, Figure] | None = Field(default=None, description="that of the original; null without it")
    verified: bool = Field(description="true only if the file was read back and every promise holds on its cells")
    truthful: bool | None = Field(description="whether every cell covers its original value; null without an original")


class LeftOut(Block):
    """The rows with one sensitive value."""

    rows: int = Field(description="rows of the original with the value")
    left_out: int = Field(description="how many of them were left out")


class Suppressed(Block):
    """The rows that were left out, and whether some sensitive values are hit harder. No value is named."""

    rows: int = Field(description="rows that were left out")
    most: int = Field(description="rows that the spec allows to be left out")
    overrepresented: ByColumn = Field(
        description="how many times more frequent a sensitive value is among them than in the table, at most"
    )
    distance: ByColumn = Field(description="share of them that would need another sensitive value to be like the table")
    by_value: dict[str, list[LeftOut]] = Field(
        description="by sensitive column: each value, the most frequent first, those after the 20th together"
    )


class ClassBin(Block):
    """Classes of similar size."""

    from_: int = Field(alias="from", description="smallest size")
    to: int = Field(description="largest size")
    classes: int = Field(description="classes of these sizes")
    rows: int = Field(description="rows in them")


class ShareBin(Block):
    """Classes in which the most frequent sensitive value has a similar share."""

    from_: float = Field(alias="from", description="smallest share, which belongs to the bin before")
    to: float = Field(description="largest share")
    classes: int = Field(description="classes of these shares")
    rows: int = Field(description="rows in them")


class Classes(Block):
    """The sizes of the classes: rows with equal quasi-identifier cells."""

    count: int = Field(description="classes in all")
    min: int = Field(description="rows of the smallest")
    mean: float = Field(description="rows of a class on average")
    max: int = Field(description="rows of the largest")
    histogram: list[ClassBin] = Field(description="classes and rows by size")
    sizes: list[ClassBin] = Field(default=[], description="the same in bins of one width, the last one without an end")
    sensitive: dict[str, list[ShareBin]] = Field(
        default={}, description="by sensitive column: classes and rows by the share of the most frequent value"
    )


class PrecisionBin(Block):
    """Cells that span a similar share of their column's domain."""

    from_: float = Field(alias="from", description="smallest share, which belongs to the bin before")
    to: float = Field(description="largest share; 0 is an unchanged cell, 1 to 1 a cell that says nothing")
    rows: int = Field(description="rows with such a cell")


class Attribute(Block):
    """One quasi-identifier."""

    loss: float | None = Field(description="mean loss of its cells by the spec's measure; null where cells don't tell")
    distinct_in: int = Field(description="different values before, a missing one included")
    distinct_out: int = Field(description="different cells after")
    suppressed: int = Field(description="cells that say nothing any more")
    missing: int = Field(description="values that were missing in the input")
    precision: list[PrecisionBin] | None = Field(
        default=None, description="rows by how much of the domain their cell spans; null where cells don't tell"
    )
    counts_in: list[int] | None = Field(
        description="rows of the input in up to 20 bins: of numbers and dates quantiles, of categories the frequent "
        "values and the rest"
    )
    counts_out: list[float] | None = Field(
        description="the same as the release tells it, a cell standing for its values in equal parts"
    )
    means: tuple[float, float] | None = Field(
        description="the mean of numbers, or of dates as days since the year 1, before and after; a cell counts as "
        "its middle"
    )
    type: str = Field(description="categorical, numeric or date")
    weight: float = Field(description="as in the spec")


class BoundFacts(Block):
    """How it is known what any release loses at least."""

    kind: str = Field(description="exact-k1, pair or sampled")
    rows: int = Field(description="rows that were worked out one by one")
    confidence: float = Field(description="chance that the bound is right at least; 1 unless it is sampled")
    gap: float | None = Field(description="how much more the release loses: the most that a better grouping could win")


class SizeLoss(Block):
    """The rows in classes of similar size, or those that were left out."""

    rows: int = Field(description="rows in them")
    loss: float | None = Field(description="their mean loss by the spec's measure")


class PairTold(Block):
    """What two columns tell about each other, in bits: their mutual information, values put into up to 20 bins."""

    before: float = Field(description="in the original")
    after: float = Field(description="in the release, a cell standing for its values in equal parts")


class GroupLoss(Block):
    """The rows with one value of a column, or of several that are rare."""

    rank: int = Field(description="1 for the largest group; values are not told")
    rows: int = Field(description="rows in it, those that were left out included")
    loss: float | None = Field(description="their mean loss by the spec's measure; a row that was left out loses all")
    values: int = Field(description="how many values it has")
    left_out: int = Field(description="how many of the rows are not in the release")


class Fairness(Block):
    """Whether some pay more than others: the loss by the values of the column `output.fairness`."""

    column: str = Field(description="the column")
    gap: float | None = Field(description="the largest loss of a group less the smallest")
    groups: list[GroupLoss] = Field(description="the largest first; rows with values that fewer than k have are one")


Details = dict[str, dict[str, float | BoundFacts]]
Entry = float | None | Fairness | dict[str, SizeLoss] | dict[str, dict[str, PairTold]] | Details | dict[str, float]


class AlgorithmFacts(Block):
    """How the classes were found."""

    model_config = ConfigDict(frozen=True, extra="allow")

    name: str = Field(description="the algorithm, also where the spec says auto")
    parameters: dict[str, Any] = Field(description="its options, defaults included")
    seed: int | None = Field(description="as in the spec; null where it has to stay secret")
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
    suppressed: Suppressed | None = Field(description="what is known of them; null if there are none")
    utility: dict[str, Entry] = Field(
        description="the loss by each measure, null where cells don't tell; under `bound` what any release loses at "
        "least by the spec's measure; further figures under `details`; `by_size`: the loss by the size of a row's "
        "class and of those left out; `fairness`: by the values of the chosen column; `pairs`: what columns "
        "tell about each other"
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
