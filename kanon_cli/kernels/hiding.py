"""For every record the least price at which it looks like k records: an exact search over all records at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kanon_cli.kernels.costs import Costs, price
from kanon_cli.kernels.jit import inner_kernel, kernel
from kanon_cli.kernels.levels import Levels
from kanon_cli.kernels.windows import Line, cheapest, room_for

# What a pending entry says: its slice of the order, the column to generalize next, the depth there, the cost so far,
# how far the order is in use; and in a line the slice of the interval before, and how many rows that held.
START, END, COLUMN, DEPTH, COST, USED, FIRST, LAST, HELD = range(9)


class Search(NamedTuple):
    """Boxes of records that are generalized alike, and how the search goes on with each."""

    order: npt.NDArray[np.int32]  # the records: the box of each pending entry is a slice
    moved: npt.NDArray[np.int32]  # the records of a box while it is sorted
    pending: npt.NDArray[np.int64]  # [place, START .. HELD]; the next one last
    waiting: npt.NDArray[np.int64]  # [0] how many entries are pending
    best: npt.NDArray[np.int64]  # [record] the least price so far; -1 if nobody asks for it
    rest: npt.NDArray[np.int32]  # [column, record] what this and later columns cost it at least
    line: Line
    room: npt.NDArray[np.int64]  # [node or rank] zeros
    held: npt.NDArray[np.int64]  # [node] zeros


class Table(NamedTuple):
    """What is searched: records that are all different, each with the number of rows that are equal to it."""

    rank_of: npt.NDArray[np.int32]  # [column, record] in the order of the levels
    weight: npt.NDArray[np.int64]  # [record]
    k: np.int64
    levels: Levels


def prepare(table: Table, costs: Costs) -> Search:
    """Make room, and find what no record escapes in any one column."""
    columns, records = table.rank_of.shape
    lines = columns - int(table.levels.trees)
    most = max(int(table.levels.node.max(initial=0)), int(table.levels.ranks.max())) + 1
    depths = int(table.levels.deepest.sum()) + columns + 2
    search = Search(
        order=np.empty(records * (lines + 1), dtype=np.int32),
        moved=np.empty(records, dtype=np.int32),
        pending=np.zeros((records + depths, HELD + 1), dtype=np.int64),
        waiting=np.zeros(1, dtype=np.int64),
        best=np.full(records, -1, dtype=np.int64),
        rest=np.zeros((columns + 1, records), dtype=np.int32),
        line=room_for(max(records, most)),
        room=np.zeros(most, dtype=np.int64),
        held=np.zeros(most, dtype=np.int64),
    )
    fill_rest(search, table, costs)
    return search


def ask(search: Search, table: Table, costs: Costs, records: npt.NDArray[np.int64]) -> None:
    """Begin with one box of all records, to find what these ones cost."""
    everything = len(search.best)
    search.order[:everything] = np.arange(everything)
    search.best[:] = -1
    search.best[records] = int(costs.full[table.levels.column_of].sum())
    search.pending[0] = (0, everything, 0, table.levels.deepest[0], 0, everything, -1, -1, 0)
    search.waiting[0] = 1


@kernel
def fill_rest(search, table, costs):
    """Write what no record escapes: in one column by itself it has to look like k records."""
    levels, rest = table.levels, search.rest
    columns, records = table.rank_of.shape
    for column in range(columns - 1, -1, -1):
        rows_of = np.zeros(levels.ranks[column], dtype=np.int64)
        for record in range(records):
            rows_of[table.rank_of[column, record]] += table.weight[record]
        least = np.zeros(levels.ranks[column], dtype=np.int64)
        if column < levels.trees:
            climb(search, table, column, rows_of, least)
        else:
            widen(search.line, costs, levels.column_of[column], table.k, rows_of, least)
        for record in range(records):
            rest[column, record] = rest[column + 1, record] + least[table.rank_of[column, record]]


@inner_kernel
def climb(search, table, column, rows_of, least):
    """Write for every leaf of a tree the price of the lowest node above it that holds k rows."""
    levels, held, ranks = table.levels, search.held, len(rows_of)
    for depth in range(levels.deepest[column] + 1):  # the lowest comes last
        base = levels.level_at[column] + depth * ranks
        for rank in range(ranks):
            held[levels.node[base + rank]] += rows_of[rank]
        for rank in range(ranks):
            if held[levels.node[base + rank]] >= table.k:
                least[rank] = levels.price[base + rank]
        for rank in range(ranks):
            held[levels.node[base + rank]] = 0


@inner_kernel
def widen(line, costs, column, k, rows_of, least):
    """Write for every rank of a line the price of the cheapest interval around it that holds k rows."""
    places = np.int64(0)
    for rank in range(len(rows_of)):
        if rows_of[rank] > 0:
            line.rank[places] = rank
            line.before[places + 1] = line.before[places] + rows_of[rank]
            places += 1
    cheapest(line, places, costs, column, k)
    for place in range(places):
        least[line.rank[place]] = line.least[place]


@inner_kernel
def slack(search, start, end, column):
    """Return what a box must cost less than so far if one of its records shall still get cheaper than it is."""
    most = np.int64(-1)
    for at in range(start, end):
        record = search.order[at]
        most = max(most, search.best[record] - search.rest[column, record])
    return most


@inner_kernel
def push(search, start, end, column, depth, cost, used):
    """Put a box on top of the pending ones."""
    at = search.waiting[0]
    pending = search.pending
    pending[at, START], pending[at, END], pending[at, COLUMN], pending[at, DEPTH] = start, end, column, depth
    pending[at, COST], pending[at, USED] = cost, used
    pending[at, FIRST], pending[at, LAST], pending[at, HELD] = -1, -1, 0
    search.waiting[0] += 1


@inner_kernel
def take_out(search, start, end):
    """Remember the records of a box, which then can be put in another order."""
    for at in range(start, end):
        search.moved[at - start] = search.order[at]


@inner_kernel
def divide(search, table, start, end, column, depth, cost, used):
    """Sort a box by the nodes of one level and push the box of each node that holds k records.

    Below them goes what is left to do, the level above; where all records share a node that would only cost more.
    """
    order, room, held, levels = search.order, search.room, search.held, table.levels
    base = levels.level_at[column] + depth * levels.ranks[column]
    ranks = table.rank_of[column]
    for at in range(start, end):
        record = order[at]
        node = levels.node[base + ranks[record]]
        room[node] += 1
        held[node] += table.weight[record]
    take_out(search, start, end)
    moved = search.moved[: end - start]
    level = base + ranks[moved[0]]
    if room[levels.node[level]] < end - start or levels.is_repeated[level]:
        push(search, start, end, column, depth - 1, cost, used)
    at = start
    for record in moved:  # a node gets its slice when its first record is met; `held` then says where it goes on
        level = base + ranks[record]
        node = levels.node[level]
        if room[node] > 0:
            first, at = at, at + room[node]
            if held[node] >= table.k and not levels.is_repeated[level]:
                push(search, first, at, column + 1, levels.deepest[column + 1], cost + levels.price[level], used)
            held[node] = first
            room[node] = 0
        order[held[node]] = record
        held[node] += 1
    for record in moved:
        held[levels.node[base + ranks[record]]] = 0


@inner_kernel
def sort_line(search, ranks, start, end):
    """Sort a box by its ranks on a line: by counting, or where there are few records by insertion."""
    order, room = search.order, search.room
    lo = hi = ranks[order[start]]
    for at in range(start, end):
        lo = min(lo, ranks[order[at]])
        hi = max(hi, ranks[order[at]])
    take_out(search, start, end)
    moved = search.moved[: end - start]
    size = end - start
    if size * size // 4 < hi - lo:
        for at in range(size):
            place = start + at
            while place > start and ranks[order[place - 1]] > ranks[moved[at]]:
                order[place] = order[place - 1]
                place -= 1
            order[place] = moved[at]
        return
    for record in moved:
        room[ranks[record]] += 1
    at = start
    for rank in range(lo, hi + 1):
        at, room[rank] = at + room[rank], at
    for record in moved:
        order[room[ranks[record]]] = record
        room[ranks[record]] += 1
    for rank in range(lo, hi + 1):
        room[rank] = 0


@inner_kernel
def finish_line(search, table, costs, start, end, column, cost):
    """Give the records of a box the cheapest intervals of the last column, a line."""
    line, order, ranks = search.line, search.order, table.rank_of[column]
    sort_line(search, ranks, start, end)
    places = np.int64(0)
    for at in range(start, end):
        rank = ranks[order[at]]
        if places == 0 or line.rank[places - 1] != rank:
            line.rank[places] = rank
            line.before[places + 1] = line.before[places]
            places += 1
        line.before[places] += table.weight[order[at]]
    cheapest(line, places, costs, table.levels.column_of[column], table.k)
    place = 0
    for at in range(start, end):
        record = order[at]
        if line.rank[place] != ranks[record]:
            place += 1
        search.best[record] = min(search.best[record], cost + line.least[place])


@inner_kernel
def cut_line(search, table, costs, start, end, column, cost, used, first, last, held):
    """Push the box of a line's next interval that is worth it, below it what is left to do; return records visited.

    Intervals start and end at ranks that occur in the box; `first` to `last` is the slice of the one before.
    """
    order, ranks, number = search.order, table.rank_of[column], table.levels.column_of[column]
    visits = 2 * (end - start)
    if first < 0:
        sort_line(search, ranks, start, end)
        first = last = start
    limit = slack(search, first, end, column + 1)
    while first < end:
        low = np.int64(ranks[order[first]])
        high = np.int64(ranks[order[last]]) if last < end else np.int64(-1)
        spent = cost + (price(costs, number, low, high) if high >= 0 else limit)
        if spent >= limit:  # longer ones only cost more: on to the next start
            while first < end and ranks[order[first]] == low:
                first += 1
            last, held = first, np.int64(0)
            limit = slack(search, first, end, column + 1)
            visits += end - first
            continue
        while last < end and ranks[order[last]] == high:
            held += table.weight[order[last]]
            last += 1
        visits += last - first
        if held >= table.k and slack(search, first, last, column + 1) > spent:
            at = search.waiting[0]
            push(search, start, end, column, 0, cost, used)
            search.pending[at, FIRST], search.pending[at, LAST], search.pending[at, HELD] = first, last, held
            for place in range(first, last):
                order[used + place - first] = order[place]
            push(search, used, used + last - first, column + 1, 0, spent, used + last - first)
            break
    return visits


@kernel
def search_on(search, table, costs, visits):
    """Work on pending boxes until none is left or `visits` records have been looked at; return the visits left."""
    columns, trees, levels = table.rank_of.shape[0], table.levels.trees, table.levels
    pending, best = search.pending, search.best
    while search.waiting[0] > 0 and visits > 0:
        search.waiting[0] -= 1
        at = search.waiting[0]
        start, end, column, depth = pending[at, START], pending[at, END], pending[at, COLUMN], pending[at, DEPTH]
        cost, used = pending[at, COST], pending[at, USED]
        visits -= end - start
        if column == columns:
            for place in range(start, end):
                record = search.order[place]
                best[record] = min(best[record], cost)
        elif pending[at, FIRST] < 0 and slack(search, start, end, column) <= cost:
            continue
        elif column >= trees and column == columns - 1:
            visits -= 2 * (end - start)
            finish_line(search, table, costs, start, end, column, cost)
        elif column >= trees:
            first, last, held = pending[at, FIRST], pending[at, LAST], pending[at, HELD]
            visits -= cut_line(search, table, costs, start, end, column, cost, used, first, last, held)
        elif depth > 0:
            visits -= end - start
            divide(search, table, start, end, column, depth, cost, used)
        else:
            root = cost + levels.price[levels.level_at[column]]
            push(search, start, end, column + 1, levels.deepest[column + 1], root, used)
    return visits
