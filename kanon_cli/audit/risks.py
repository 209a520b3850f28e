"""The chance that a guess hits a person's row: for who knows that the person is in the table, and for who does not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kanon_cli.audit.crossing import Axis, count
from kanon_cli.audit.gather import first_rows, row_count
from kanon_cli.audit.judge import risk
from kanon_cli.audit.reading import BoolArray, Kinds, Numeric, Reading, Table, read
from kanon_cli.errors import DataError, Mistake
from kanon_cli.models.evidence import Evidence
from kanon_cli.models.links import Ground
from kanon_cli.tables.columns import TextColumn

IntArray = npt.NDArray[np.int64]

OF_CLASSES = ("prosecutor_max", "prosecutor_mean", "prosecutor_at_risk", "marketer")
OF_POPULATION = ("journalist_max", "journalist_mean", "journalist_at_risk")  # where one is known
THRESHOLD = 0.2  # the share of rows above it is told where nobody asks for another


@dataclass(frozen=True)
class Population:
    """The people that a table was drawn from, seen from its classes."""

    rows: int
    matches: IntArray  # [class] people that its cells cover; never fewer than it has itself
    short: int  # classes that have more people than the population has for them
    not_understood: dict[str, int]  # rows of the table by column, where there are any


def risks(
    evidence: Evidence,
    threshold: float = THRESHOLD,
    population: Population | None = None,
    ground: Ground = "classes",
) -> dict[str, float]:
    """Find the risks of a table.

    Prosecutor: somebody who knows that a person is in the table guesses in their class, or where `ground` says.
    Journalist: somebody who does not know it guesses among the people of the population that the class covers.
    Marketer: the share of rows that are linked right when all are linked at random to one of those. `at_risk` is the
    share of rows above the threshold.
    """
    sizes = evidence.sizes
    at_risk = _at_risk(*evidence.crowds(ground), threshold)
    found = {"threshold": threshold, **risk(evidence, ground), "prosecutor_at_risk": at_risk}
    if population is None:
        return {**found, "marketer": found["prosecutor_mean"]}
    people = population.matches
    linked_right = float((sizes / people).sum() / sizes.sum())
    return {
        **found,
        "journalist_max": 1 / int(people.min()),
        "journalist_mean": max(linked_right, len(sizes) / int(people.sum())),
        "journalist_at_risk": _at_risk(people, sizes, threshold),
        "marketer": linked_right,
    }


def _at_risk(hidden_among: IntArray, sizes: IntArray, threshold: float) -> float:
    """Find the share of rows whose risk is above the threshold."""
    return int(sizes[1 / np.maximum(hidden_among, 1) > threshold].sum()) / int(sizes.sum())


def people_behind(
    released: Table, population: Mapping[str, TextColumn], kinds: Kinds, numeric: Numeric, evidence: Evidence
) -> Population:
    """Count for each class the people of a population that its cells cover."""
    readings = read(released, population, kinds, numeric)
    midpoints = [name for name, reading in readings.items() if reading.midpoint]
    if midpoints:
        what = "midpoints do not say what they cover, so they cannot be held against a population"
        raise DataError(*(Mistake(what, path=name) for name in midpoints))
    first_row = first_rows(evidence.class_of)
    people = row_count(population)
    axes = [_axis(reading, population[name], first_row) for name, reading in readings.items()]
    matches = count(axes, people)
    if matches is None:
        what = f"too many pairs to try: {len(first_row)} classes and {people} people"
        raise DataError(
            Mistake(what, where="--population", hint="a part of the population gives an upper limit of the risks")
        )
    own = evidence.people
    unknown = {name: reading.not_understood for name, reading in readings.items() if reading.not_understood}
    return Population(people, np.maximum(matches, own), int((matches < own).sum()), unknown)


def _axis(reading: Reading, people: TextColumn, first_row: IntArray) -> Axis:
    rank_of = reading.values.rank_of[people.code_of]

    def meets(part: slice) -> BoolArray:
        ranks = rank_of[part]
        found: BoolArray = (reading.first[:, None] <= ranks) & (ranks <= reading.last[:, None])
        for cell in np.flatnonzero(reading.scattered).tolist():
            found[cell] &= np.isin(ranks, np.asarray(reading.reach[cell], dtype=np.int64))
        return found

    return Axis(reading.cell_of[first_row], len(reading.covers), meets)
