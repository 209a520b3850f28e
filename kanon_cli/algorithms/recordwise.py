"""What the algorithms share that give each row a box of its own: the steps, each from boxes to boxes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from kanon_cli.algorithms.base import Covering, GroupArray, RankArray, Terms
from kanon_cli.problem import Problem

if TYPE_CHECKING:  # numba is loaded only when an algorithm runs
    from kanon_cli.kernels.crowds import Crowd
    from kanon_cli.kernels.layers import Layers
    from kanon_cli.kernels.links import Links
    from kanon_cli.kernels.records import Boxes, Rates, Records, Strip

IntArray = npt.NDArray[np.int64]

STEP = 2048  # points that are worked on between two looks at the outside world
SERVED_PRICES = 10**10  # prices that may be looked up to make neighbours differ ...
PASSES = 50  # ... and passes over all records; beyond these groups are released
LARGE = 200  # points of a component for each step that it may be in at a time
ROUNDS = 1000  # of an upgrade; beyond it groups are released


@dataclass(frozen=True)
class Bench:
    """A problem laid out for work on boxes of single rows."""

    problem: Problem
    records: Records
    rates: Rates
    layers: Layers
    points: Strip
    crowd: Crowd
    question: Any

    @property
    def count(self) -> int:
        """How many different rows there are."""
        return len(self.records.weight)

    @property
    def least_held(self) -> int:
        """Of how many people a box has to cover rows: all there are, if values need more rows than that."""
        return min(self.problem.aim.k, len(np.unique(self.records.person)))

    @property
    def is_guarded(self) -> bool:
        """Whether something is promised about sensitive values, or people are counted."""
        return len(self.problem.aim.values) > 0


def lay_out(problem: Problem) -> Bench:
    """Find the different rows of a problem and lay them out for scans."""
    from kanon_cli.kernels import crowds, records

    found = records.distinct(problem.rank_of, problem.unit_of)
    layers = records.layers_of(problem.costs, found)
    points = records.strip_of(problem.costs, found.rank_of, found.rank_of)
    rates = records.rates_of(problem.costs, problem.silent)
    crowd = crowds.new_crowd(problem.aim, problem.unit_of)
    return Bench(problem, found, rates, layers, points, crowd, records.new_question(layers))


def expand(bench: Bench, by_nearest: bool, terms: Terms) -> Boxes:
    """Give each row a box with rows of k people: (k,1)-anonymization by nearest neighbours or by expansion."""
    from kanon_cli.kernels import expansion, records
    from kanon_cli.kernels.bounds import never_falling

    found, costs = bench.records, bench.problem.costs
    floor = never_falling(costs)
    layers = records.layers_of(floor, found)
    strip = records.strip_of(floor, found.rank_of, found.rank_of)
    low, high = np.empty_like(found.rank_of), np.empty_like(found.rank_of)
    guess = costs.unit
    for start in range(0, bench.count, STEP):
        end = min(start + STEP, bench.count)
        guess = expansion.expand(
            *(start, end, guess, bench.least_held, by_nearest, strip, layers, costs.unit),
            *(bench.rates, found, bench.question, low, high),
        )
        terms.progress(end / bench.count, f"boxes around {end:,} of {bench.count:,} records")
    return records.boxes_of(costs, bench.rates, low[found.point_of], high[found.point_of])


def enclose(bench: Bench, lo: RankArray, hi: RankArray) -> Boxes:
    """Lay out boxes lo[column, row] to hi[column, row], as what their cells really cover."""
    from kanon_cli.kernels import records

    low, high = np.ascontiguousarray(lo.T), np.ascontiguousarray(hi.T)
    records.widen_all(bench.rates, low, high)
    return records.boxes_of(bench.problem.costs, bench.rates, low, high)


def enclose_groups(bench: Bench, group_of: GroupArray) -> Boxes:
    """Give each row the closure of its group."""
    rank_of = bench.problem.rank_of
    lo = np.full((len(rank_of), int(group_of.max()) + 1), np.iinfo(np.int32).max, dtype=np.int32)
    hi = np.zeros_like(lo)
    for column, ranks in enumerate(rank_of):
        np.minimum.at(lo[column], group_of, ranks)
        np.maximum.at(hi[column], group_of, ranks)
    return enclose(bench, lo[:, group_of], hi[:, group_of])


def cover(bench: Bench, boxes: Boxes, terms: Terms) -> int:
    """Let boxes grow until each row is covered by k of them; give how many grew."""
    from kanon_cli.kernels import coverage

    grown = 0
    for start in range(0, bench.count, STEP):
        end = min(start + STEP, bench.count)
        grown += coverage.cover(
            start, end, bench.problem.aim.k, boxes, bench.layers, bench.rates, bench.records, bench.question
        )
        terms.progress(end / bench.count, f"{end:,} of {bench.count:,} records covered")
    return grown


def diversify(bench: Bench, boxes: Boxes) -> int | None:
    """Let boxes grow until the rows that could be any row's keep the promise; give how many grew.

    None if that takes too much: groups serve better then.
    """
    from kanon_cli.kernels import coverage

    if not bench.is_guarded:
        return 0
    left = np.array([SERVED_PRICES // boxes.low.size + 1], dtype=np.int64)
    grown = 0
    for _ in range(PASSES):
        more = int(
            coverage.diversify(
                *(0, bench.count, left, boxes, bench.layers),
                *(bench.rates, bench.records, bench.problem.aim, bench.crowd, bench.question),
            )
        )
        grown += more
        if more <= 0:
            return grown if more == 0 else None
    return None


def link(bench: Bench, boxes: Boxes, asked: IntArray | None = None) -> Links:
    """Find the points that boxes cover: all boxes, or those that are asked for."""
    from kanon_cli.kernels import links

    every = np.arange(len(boxes.price)) if asked is None else asked
    return links.links_of(every, boxes, bench.points, bench.layers, bench.records)


def tighten(bench: Bench, boxes: Boxes, least_covering: int, component: GroupArray | None = None) -> tuple[Boxes, int]:
    """Let boxes shrink; give them, and how often one did.

    So many boxes cover a row at the least. With components, boxes stay the matches that they are.
    """
    from kanon_cli.kernels import links, records, tightening

    found = link(bench, boxes)
    begin, box_of = links.turn(found.start, found.point, bench.count)
    given = np.zeros(bench.count, dtype=np.int32) if component is None else component
    shrunk = tightening.tighten(
        *(boxes, found.start, found.point, begin, box_of, given, component is not None),
        *(bench.rates, bench.records, bench.problem.aim, bench.crowd, bench.least_held, least_covering),
    )
    return records.boxes_of(bench.problem.costs, bench.rates, boxes.low, boxes.high), int(shrunk)


def lacks_people(bench: Bench, boxes: Boxes) -> bool:
    """Say whether a box covers rows of fewer people than it has to."""
    from kanon_cli.kernels import tightening

    if not len(bench.problem.unit_of):
        return False
    found = link(bench, boxes)
    return bool(tightening.lacks_people(boxes, found.start, found.point, bench.records, bench.least_held))


def upgrade(bench: Bench, boxes: Boxes, terms: Terms) -> tuple[GroupArray, int] | None:
    """Let boxes grow until every row has k matches that keep the promise; give the components, and how many grew.

    None if that takes too much: groups serve better then.
    """
    from kanon_cli.kernels import links, records

    found, grown = link(bench, boxes), 0
    point_of = bench.records.point_of
    own = np.argsort(point_of, kind="stable")
    own_start = np.append(0, np.cumsum(bench.records.weight)).astype(np.int64)
    cost, grows, over, chosen = (np.empty(bench.count, dtype=np.int64) for _ in range(4))
    for _ in range(ROUNDS):
        begin, box_of = links.turn(found.start, found.point, bench.count)
        component = links.strong_components(begin, box_of, point_of)
        lacking, _ = links.find_steps(
            *(begin, box_of, component, own_start, own, boxes, bench.rates, bench.records),
            *(bench.problem.aim, bench.crowd, bench.problem.aim.k, cost, grows, over),
        )
        if lacking == 0:
            return component, grown
        terms.progress(1 - lacking / bench.count, f"{lacking:,} records lack matches")
        order = np.argsort(cost, kind="stable")
        steps = chosen[: links.choose_steps(order, component, cost, over, LARGE, chosen)]
        if len(steps) == 0:
            more = diversify(bench, boxes)  # all its neighbours are matches, and yet it lacks some: it needs others
            if not more:
                return None
            found, grown = link(bench, boxes), grown + more
            continue
        for point in steps:
            records.extend(boxes, grows[point], bench.rates, bench.layers, bench.records.rank_of, over[point])
        grown += len(steps)
        changed = np.unique(grows[steps])
        found = links.replaced(found, changed, link(bench, boxes, changed))
    return None


def release(boxes: Boxes, **facts: int | float | bool) -> Covering:
    """Hand the boxes over."""
    return Covering(np.ascontiguousarray(boxes.low.T), np.ascontiguousarray(boxes.high.T), facts)


def group(problem: Problem, terms: Terms) -> GroupArray:
    """Put the rows into groups that keep all that is promised."""
    from kanon_cli.algorithms.lns import Lns

    return Lns().partition(problem, terms).group_of


def release_groups(problem: Problem, terms: Terms) -> Covering:
    """Release groups: what they keep is more than any notion of boxes asks."""
    return release(enclose_groups(lay_out(problem), group(problem, terms)), grouped=True)
