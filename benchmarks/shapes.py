"""What a picture shows: which numbers of which rows, along what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from benchmarks.results import Value


@dataclass(frozen=True)
class Panel:
    """One set of axes: a curve for each value of `by`."""

    x: str
    y: str
    by: str
    title: str
    where: Mapping[str, Value] = field(default_factory=dict)  # only rows that were taken there
    is_log_x: bool = False
    is_log_y: bool = False
    starts_at_0: bool = True  # the y axis
    levels: Mapping[str, str] = field(default_factory=dict)  # numbers of a curve's rows drawn across, with line styles
    curves: Mapping[str, str] = field(default_factory=dict)  # numbers of rows that make a curve of their own: labels
