"""What is left to do once rows have boxes of their own: who could be whose, for a judge, and rows to be left out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from kanon_cli import aiming, encoding
from kanon_cli.algorithms.base import Covering, RankArray, Terms, renumber
from kanon_cli.closing import recode
from kanon_cli.intake import Intake, evidence_of
from kanon_cli.models.base import Model, Notion
from kanon_cli.models.evidence import Evidence
from kanon_cli.models.links import Links
from kanon_cli.models.seen import among
from kanon_cli.problem import Problem
from kanon_cli.spec.model import Spec

BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]
Solve = Callable[[IntArray], Covering | None]  # rows to their boxes; None if they cannot keep the promises alone
Judge = Callable[[IntArray, RankArray, RankArray], BoolArray]  # rows, their boxes -> [row of the table] it is hidden

TRIES = 6  # times that the table is worked on again without some rows


@dataclass(frozen=True)
class Thinned:
    """Boxes [column, row] of all rows; those of the rows that are left out mean nothing."""

    covering: Covering
    left_out: BoolArray  # [row]


def settle(
    spec: Spec, intake: Intake, problem: Problem, covering: Covering, breakable: bool, most: int, terms: Terms
) -> Thinned:
    """Make sure of what algorithms can't count where rows have boxes of their own, and leave rows out."""

    def judge(rows: IntArray, lo: RankArray, hi: RankArray) -> BoolArray:
        return hidden_rows(spec, intake, problem, rows, lo, hi)

    def solve(rows: IntArray) -> Covering | None:
        part = part_of(spec, intake, problem, rows)
        coarsest = evidence_of(intake, np.zeros(len(rows), dtype=np.int64), spec.privacy.joint, rows)
        if not all(verdict.holds for model in spec.models for verdict in model.check(coarsest)):
            return None
        return settled(spec.algorithm.recode(part, terms), part, rows)

    def settled(found: Covering, part: Problem, rows: IntArray) -> Covering:
        if breakable and not judge(rows, found.lo, found.hi)[rows].all():
            return group_until_hidden(part, terms, lambda lo, hi: judge(rows, lo, hi)[rows])
        return found

    covering = settled(covering, problem, np.arange(problem.rows))
    return leave_out(problem, covering, min(most, problem.rows - 1), solve, judge)


def hidden_rows(
    spec: Spec, intake: Intake, problem: Problem, rows: IntArray, lo: RankArray, hi: RankArray
) -> BoolArray:
    """[row of the table] whether it is hidden as promised where some rows are released with these boxes."""
    evidence = evidence_of(intake, np.zeros(len(rows), dtype=np.int64), spec.privacy.joint, rows)
    links = links_of(problem, rows, lo, hi, evidence.unit_of)
    return hidden(evidence, links, spec.models)[points_of(problem)]


def part_of(spec: Spec, intake: Intake, problem: Problem, rows: IntArray) -> Problem:
    """The problem of some rows: what cells cost stays, what is promised is told of these rows alone."""
    secrets = {name: column.taking(rows) for name, column in intake.secrets.items()}
    unit = None if intake.unit is None else intake.unit.taking(rows)
    aim = aiming.aim_of(spec.models, secrets, len(rows), intake.meanings, unit)
    return replace(problem.part(rows), aim=aim, unit_of=encoding.units_of(unit))


def links_of(problem: Problem, rows: IntArray, lo: RankArray, hi: RankArray, unit_of: IntArray | None) -> Links:
    """Find which of the boxes lo[column, at] to hi, those of `rows`, cover which rows of the table.

    Rows that are alike are one, in the order in which they first occur; so are boxes that are.
    """
    from scipy.sparse.csgraph import connected_components

    from kanon_cli.algorithms import recordwise

    bench, boxes = recordwise.lay_out(problem), recode(problem.rank_of, Covering(lo, hi))
    found = recordwise.link(bench, recordwise.enclose(bench, boxes.lo, boxes.hi))
    points, count = bench.count, len(found.start) - 1
    own: IntArray = bench.records.point_of[rows].astype(np.int64)
    box_of: IntArray = boxes.box_of.astype(np.int64)
    point: IntArray = found.point.astype(np.int64)
    box: IntArray = np.repeat(np.arange(count), np.diff(found.start))
    tail = np.concatenate((point, box_of + points))  # from points to boxes, and from boxes to their own points
    head = np.concatenate((box + points, own))
    arcs = _graph(tail, head, (points + count, points + count))
    component = connected_components(arcs, directed=True, connection="strong")[1]
    is_match = component[point] == component[points + box]
    shape = (points, count)
    neighbours, matches = _graph(point, box, shape), _graph(point[is_match], box[is_match], shape)
    seekers = bench.records.weight.astype(np.int64)
    return Links(neighbours, matches, box_of, seekers, own, unit_of)


def _graph(tail: IntArray, head: IntArray, shape: tuple[int, int]) -> Any:
    from scipy.sparse import csr_array

    return csr_array((np.ones(len(tail), dtype=np.int64), (tail, head)), shape=shape)


def points_of(problem: Problem) -> IntArray:
    """[row] the number that it has with all rows that are alike."""
    from kanon_cli.kernels.records import distinct

    found: IntArray = distinct(problem.rank_of, problem.unit_of).point_of.astype(np.int64)
    return found


def group_until_hidden(problem: Problem, terms: Terms, judge: Callable[[RankArray, RankArray], BoolArray]) -> Covering:
    """Release groups, unified until every row is hidden as promised; judge(lo, hi)[row] says whether it is.

    It ends: in the worst case with all rows in one group, which has been judged before.
    """
    from kanon_cli.algorithms import recordwise
    from kanon_cli.kernels.clusters import gather
    from kanon_cli.kernels.layers import lay
    from kanon_cli.kernels.unions import unify_chosen

    group_of, bench = recordwise.group(problem, terms), recordwise.lay_out(problem)
    while True:
        covering = recordwise.release(recordwise.enclose_groups(bench, group_of), grouped=True)
        short = np.unique(group_of[~judge(covering.lo, covering.hi)])
        if not len(short) or int(group_of.max()) == 0:
            return covering
        layers = lay(problem.costs, problem.rank_of)
        clusters = gather(layers, problem.costs, problem.aim, group_of, int(group_of.max()) + 1)
        unify_chosen(clusters, layers, problem.costs, short)
        group_of = renumber(clusters.group_of)


def hidden(evidence: Evidence, links: Links, models: Sequence[Model]) -> BoolArray:
    """[point] whether its crowds keep what is promised: what could be its own, and what its boxes cover.

    A row that was left out may also be one that nothing could be. `evidence` is of the released rows.
    """
    notion = next(model for model in models if isinstance(model, Notion))
    evidence = replace(evidence, links=links)
    kept = np.ones(len(links.seekers), dtype=np.bool_)
    own = np.empty(0, dtype=np.int64) if links.point_of is None else links.point_of
    if set(notion.figures) & {"1k", "kk"}:
        kept &= ~links.is_there | (links.neighbours_by_point >= notion.k)
    kept[own[(links.persons_by_box < notion.covered)[links.box_of]]] = False
    if notion.ground == "matches":
        kept &= ~links.is_sought | (links.matches_by_point >= notion.k)
    seen = among(evidence, notion.ground)
    asked = np.flatnonzero(links.counts(notion.ground))
    for model in models:
        if model.about:
            kept[asked] &= model.kept(seen)
    if notion.ground == "matches" and any(model.about for model in models):
        kept &= ~links.is_there | (links.released > 0)  # left out, it could change places with others in their matches
    return kept


def leave_out(problem: Problem, covering: Covering, most: int, solve: Solve, judge: Judge) -> Thinned:
    """Leave out up to so many rows, where that loses less.

    What a row costs the others is told from the boxes; then the rest is worked on anew, and what that gives counts. A
    row that is left out must not be found among too few released ones either: such a row stays.
    """
    best = Thinned(covering, np.zeros(problem.rows, dtype=np.bool_))
    least, stays, wanted = _spent(problem, best), np.zeros(problem.rows, dtype=np.bool_), most
    for _ in range(TRIES):
        room = min(wanted, most - int(best.left_out.sum()))
        chosen = _dearest(problem, best, stays, room)
        if not len(chosen):
            break
        left_out = best.left_out.copy()
        left_out[chosen] = True
        rows = np.flatnonzero(~left_out)
        found = solve(rows)
        if found is None:
            wanted = len(chosen) // 2
            continue
        found_by_few = left_out & ~judge(rows, found.lo, found.hi)
        if found_by_few.any():
            stays |= found_by_few
            continue
        trial = Thinned(_spread(problem, rows, found), left_out)
        spent = _spent(problem, trial)
        if spent < least:
            best, least = trial, spent
        else:
            wanted = len(chosen) // 2
    return best


def _spread(problem: Problem, rows: IntArray, covering: Covering) -> Covering:
    """Put the boxes of some rows where the rows are in the table; the others keep their cells."""
    lo, hi = problem.rank_of.copy(), problem.rank_of.copy()
    lo[:, rows], hi[:, rows] = covering.lo, covering.hi
    return Covering(lo, hi, covering.facts, covering.losses)


def _spent(problem: Problem, thinned: Thinned) -> int:
    """What all cells cost; a row that is left out says nothing."""
    price_of = _prices(problem, thinned.covering)
    price_of[thinned.left_out] = int(problem.costs.full.sum())
    return int(price_of.sum())


def _prices(problem: Problem, covering: Covering) -> IntArray:
    """[row] what its box costs."""
    from kanon_cli.kernels.records import price_boxes, rates_of

    low, high = np.ascontiguousarray(covering.lo.T), np.ascontiguousarray(covering.hi.T)
    price_of = np.empty(problem.rows, dtype=np.int64)
    price_boxes(rates_of(problem.costs, problem.silent), low, high, price_of)
    return price_of


def _dearest(problem: Problem, thinned: Thinned, stays: BoolArray, most: int) -> IntArray:
    """Choose up to so many rows that seem to cost more than if they said nothing, the dearest first.

    Rows that are alike are left out together, or not at all.
    """
    from kanon_cli.algorithms import recordwise
    from kanon_cli.kernels import outliers

    rows = np.flatnonzero(~thinned.left_out)
    bench = recordwise.lay_out(problem)
    boxes = recordwise.enclose(bench, thinned.covering.lo[:, rows], thinned.covering.hi[:, rows])
    found = recordwise.link(bench, boxes)
    own = bench.records.point_of[rows]
    saved = np.zeros(bench.count, dtype=np.int64)
    outliers.add_savings(own, found.start, found.point, bench.rates, bench.records.rank_of, saved)
    np.add.at(saved, own, boxes.price.astype(np.int64) - int(problem.costs.full.sum()))
    saved[bench.records.point_of[stays | thinned.left_out]] = 0
    weight = bench.records.weight
    order = np.lexsort((np.arange(bench.count), -saved / weight))
    order = order[saved[order] > 0]
    order = order[np.cumsum(weight[order]) <= most]
    is_chosen = np.zeros(bench.count, dtype=np.bool_)
    is_chosen[order] = True
    chosen: IntArray = np.flatnonzero(is_chosen[bench.records.point_of])
    return chosen
