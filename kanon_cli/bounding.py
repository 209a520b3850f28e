"""A lower limit of the loss that any release of a table has, as long as it leaves out no row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from kanon_cli.problem import Problem, kept_prices

if TYPE_CHECKING:  # numba is loaded only when a bound is worked out
    from kanon_cli.kernels.costs import Costs
    from kanon_cli.kernels.hiding import Search, Table

IntArray = npt.NDArray[np.int64]

NAME = "bound"  # of the kernels, once they have been compiled
DEFAULT_WORK = 160_000_000  # records looked at: about a second
VISITS = 1 << 24  # between two looks at the outside world: a tenth of a second
FIRST_BATCH = 64  # rows of the first sample; each one after it has up to ...
GROWTH = 4  # ... so many times as many
CHANCES = 1000.0  # a sampled limit is wrong with a chance of one in so many at the most
LOG_CHANCES = 6.907755278982137
PAIRS_A_VISIT = 8  # prices of pairs that take as long as looking at a record
ROUNDING = 2  # units that the price of a cell may be above its loss: both ends of an interval are rounded
DECIMALS = 10**9  # a limit is rounded down to so many parts of 1


@dataclass(frozen=True)
class Bound:
    """What any release loses at least, by the measure that is minimised.

    `kind` says how it was found: `exact-k1`: each row pays the least price of looking like k rows, the others being
    free (the optimal (k,1)-anonymization); `pair`: each row pays what it takes to look like its (k-1)-th nearest, or
    more; `sampled`: every row pays a cheap limit, and what is above it was worked out for some rows only.
    """

    loss: float
    kind: str
    rows: int  # whose own price was worked out
    confidence: float  # that the loss can't be below the bound; 1 unless it is sampled


@dataclass(frozen=True)
class _Drawn:
    """The limits of rows that were drawn without replacement, with how many were planned before each was drawn."""

    kind: str
    least: IntArray
    planned: IntArray


@dataclass(frozen=True)
class Hunt:
    """A search over some columns of a problem, in which rows that are equal there are one record."""

    table: Table
    costs: Costs
    search: Search
    record_of: IntArray  # [row]

    def least(self, records: IntArray, work: int) -> tuple[IntArray | None, int]:
        """What these records pay at least, if that can be found with so much work; and what work is left."""
        from kanon_cli.kernels import hiding

        hiding.ask(self.search, self.table, self.costs, records)
        while self.search.waiting[0] > 0 and work > 0:
            step = min(work, VISITS)
            work -= step - int(hiding.search_on(self.search, self.table, self.costs, step))
        return (self.search.best[records] if self.search.waiting[0] == 0 else None), work

    @property
    def all_records(self) -> IntArray:
        """The number of every record."""
        return np.arange(len(self.table.weight))


def lower_bound(problem: Problem, seed: int, work: int = DEFAULT_WORK, sets: Sequence[bool] = ()) -> Bound:
    """Work out what any k-anonymization, (k,1)- or (k,k)-anonymization of a problem loses at least.

    Whatever else the groups have to keep only makes them lose more. It holds for releases that leave out no row. `sets`
    says of which columns any set of values can be a cell. `work` counts records that are looked at: it decides whether
    all rows or a sample is worked out, so the same input gives the same bound, however fast the machine is.
    """
    from kanon_cli.kernels.bounds import never_falling

    costs = never_falling(problem.costs, sets)
    trees, lines = _in_order(problem, costs)
    if not trees and not lines:
        return Bound(0.0, "exact-k1", problem.rows, 1.0)
    hunt = hunt_in(problem, costs, trees, lines)
    floor = hunt.search.rest[0][hunt.record_of].astype(np.int64)
    kept = kept_prices(costs, problem.rank_of)
    left = work
    if len(lines) < 2:
        least, left = hunt.least(hunt.all_records, work - work // 5)
        left += work // 5
        if least is not None:
            drawn = _Drawn("exact-k1", least[hunt.record_of], floor)
            return _conclude(problem, kept, floor, drawn, np.arange(problem.rows))
    else:  # one line is easily searched; in the others a row pays what it can't escape
        easy = hunt_in(problem, costs, trees, lines[-1:])
        least, left = easy.least(easy.all_records, work // 2)
        if least is not None:
            rest = hunt.search.rest
            escaped = rest[len(trees)] - rest[len(trees) + len(lines) - 1]
            floor = np.maximum(floor, least[easy.record_of] + escaped[hunt.record_of])
        left += work - work // 2
    order = np.random.default_rng(seed).permutation(problem.rows)
    drawn = _draw(hunt, order, left) or _draw_pairs(hunt, order, work // 4)
    return _conclude(problem, kept, floor, drawn, order)


def use_all(problem: Problem) -> None:
    """Use every kernel of a bound, which compiles them."""
    from kanon_cli.kernels.bounds import never_falling
    from kanon_cli.kernels.costs import TREE

    lower_bound(problem, 0)
    lower_bound(problem, 0, 0)
    never_falling(problem.costs._replace(form=np.full_like(problem.costs.form, TREE)))  # trees too large for a table


def _draw(hunt: Hunt, order: IntArray, work: int) -> _Drawn | None:
    """Work out rows in batches, as many as the work is enough for; None if it isn't even for the first."""
    rows = len(order)
    least_of = np.full(len(hunt.table.weight), -1, dtype=np.int64)  # [record]
    planned: list[IntArray] = []
    done, size = 0, min(FIRST_BATCH, rows)
    while size > 0:
        records = np.unique(hunt.record_of[order[done : done + size]])
        records = records[least_of[records] < 0]
        least, left = hunt.least(records, work)
        if least is None:
            break
        least_of[records] = least
        planned.append(np.full(size, done + size, dtype=np.int64))
        done += size
        affordable = left * size // max(work - left, 1)  # a larger batch costs less a row
        work = left
        if affordable >= rows - done:
            size = rows - done
        else:
            size = min(GROWTH * done, affordable // 2) if affordable >= size else 0
    if not done:
        return None
    kind = "exact-k1" if done == rows else "sampled"
    return _Drawn(kind, least_of[hunt.record_of[order[:done]]], np.concatenate(planned))


def _draw_pairs(hunt: Hunt, order: IntArray, work: int) -> _Drawn:
    """Work out the nearest of as many rows as the work is enough for."""
    from kanon_cli.kernels.pairs import nearest_of

    table = hunt.table
    rows = len(order)
    cost = table.rank_of.size // PAIRS_A_VISIT + 1
    affordable = max(work // cost, 1)
    kind = "sampled"
    if affordable >= len(table.weight):
        kind, affordable = "pair", rows
    drawn = hunt.record_of[order[:affordable]]
    records, record_at = np.unique(drawn, return_inverse=True)
    least = np.empty(len(records), dtype=np.int64)
    step = max(VISITS // cost, 1)
    for start in range(0, len(records), step):
        asked = records[start : start + step]
        part = least[start : start + step]
        nearest_of(asked, table.rank_of, table.weight, table.k, hunt.costs, table.levels.column_of, part)
    return _Drawn(kind, least[record_at], np.full(len(drawn), len(drawn), dtype=np.int64))


def _conclude(problem: Problem, kept: int, floor: IntArray, drawn: _Drawn, order: IntArray) -> Bound:
    """Add up what rows pay at least: by `floor` all of them, and what is above it where it was worked out.

    `kept` is what they would pay if every cell were kept, which is no loss.
    """
    from kanon_cli.kernels.bounds import least_total

    rows, columns = problem.rows, len(problem.rank_of)
    worked_out = len(drawn.least)
    floor_drawn = floor[order[:worked_out]]
    above = np.maximum(drawn.least - floor_drawn, 0)
    confidence = 1.0
    if worked_out == rows:
        units = int(floor.sum()) + int(above.sum())
    else:
        most = int(problem.costs.full.sum())
        units = int(floor.sum()) + int(least_total(above, drawn.planned, most, rows, CHANCES, LOG_CHANCES))
        confidence = 1 - 1 / CHANCES
    units = max(units - kept - ROUNDING * rows * columns, 0)
    loss = units * DECIMALS // (int(problem.costs.unit) * rows * columns) / DECIMALS
    return Bound(loss, drawn.kind, worked_out, confidence)


def _in_order(problem: Problem, costs: Costs) -> tuple[list[int], list[int]]:
    """The columns in which anything can be lost: trees, the most different values first; lines, most ranks last."""
    trees: list[tuple[int, int]] = []
    lines: list[tuple[int, int]] = []
    for column, ranks in enumerate(costs.ranks.tolist()):
        if ranks > 1 and costs.full[column] > 0:
            if costs.is_tree[column]:
                alike = int((np.bincount(problem.rank_of[column]).astype(np.int64) ** 2).sum())  # pairs of equal rows
                trees.append((alike, column))
            else:
                lines.append((ranks, column))
    return [column for _, column in sorted(trees)], [column for _, column in sorted(lines)]


def hunt_in(problem: Problem, costs: Costs, trees: Sequence[int], lines: Sequence[int]) -> Hunt:
    """Prepare a search over these columns."""
    from kanon_cli.kernels.hiding import Table, prepare
    from kanon_cli.kernels.levels import lay_out

    columns = [*trees, *lines]
    key = np.zeros(problem.rows, dtype=np.int64)
    values = 1
    for column in columns:  # equal rows get equal keys; they are numbered anew before they leave 64 bits
        ranks = int(costs.ranks[column])
        if values * ranks >= 2**62:
            found, key = np.unique(key, return_inverse=True)
            values = len(found)
        key = key * ranks + problem.rank_of[column]
        values *= ranks
    _, first, record_of, weight = np.unique(key, return_index=True, return_inverse=True, return_counts=True)
    rank_of = np.ascontiguousarray(problem.rank_of[columns][:, first])
    table = Table(rank_of, weight.astype(np.int64), np.int64(problem.aim.k), lay_out(costs, trees, lines))
    return Hunt(table, costs, prepare(table, costs), record_of)
