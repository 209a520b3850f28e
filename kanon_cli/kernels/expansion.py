"""Boxes around each record that hold rows of k people: its nearest ones, or the next cheapest row again and again."""

# A scan finds what each point costs together with a record: no box around the record with that point in it costs less.
# So the search for the cheapest rows looks only at a pool of points below a limit, and is exact as long as what it
# takes stays below the limit; else the limit is raised. The limit of the record before is the first guess.

from __future__ import annotations

import numpy as np

from kanon_cli.kernels.boxes import FORM, FULL, RANKS, START
from kanon_cli.kernels.costs import FLAT, LINE, TABLE
from kanon_cli.kernels.jit import inner_kernel, kernel, part_kernel
from kanon_cli.kernels.records import LOOK, PLACES, ask_point, first_covered, last_covered, rate
from kanon_cli.kernels.scans import BLOCK, add_unions

TAKEN = 1 << 30  # above every price of a row
NO_LIMIT = (1 << 31) - 1


@part_kernel
def add_prices(rates, column, lo, hi, sign, ranks, count, total):
    """Add (sign 1) or take away (-1) the prices of a column once each of the points has joined a box lo..hi."""
    how, whole = rates.how, rates.whole
    form, full = how[column, FORM], how[column, FULL]
    if form == FLAT:
        for at in range(count):
            total[at] += np.int32(sign * full * ((lo != ranks[at]) | (hi != ranks[at])))
    elif form == LINE:
        base = how[column, PLACES]
        for at in range(count):
            rank = np.int64(ranks[at])
            total[at] += np.int32(sign * min(np.int64(whole[base + max(hi, rank)] - whole[base + min(lo, rank)]), full))
    elif form == TABLE:
        base, width = how[column, START], how[column, RANKS]
        for at in range(count):
            rank = np.int64(ranks[at])
            total[at] += np.int32(sign * whole[base + min(lo, rank) * width + max(hi, rank)])
    else:
        mass, scale = rates.mass, rates.scale
        for at in range(count):
            rank = np.int64(ranks[at])
            total[at] += np.int32(sign * rate(how, whole, mass, scale, column, min(lo, rank), max(hi, rank)))


@part_kernel
def collect(total, limit, pool):
    """Write the points whose sums are not above the limit into the pool, in their order; return how many."""
    count = 0
    for start in range(0, len(total), LOOK):
        sums = total[start : min(start + LOOK, len(total))]
        least = np.int32(NO_LIMIT)
        for at in range(len(sums)):
            least = min(least, sums[at])
        if least > limit:
            continue
        for at in range(len(sums)):
            if sums[at] <= limit:
                pool[count] = start + at
                count += 1
    return count


@part_kernel
def gather_pool(point, pool, count, rates, records, ranks, total, place, low, high):
    """Start a point's box from the point alone, and price the points of the pool together with it.

    place[at] is where the people of a point of the pool start that are not in the box yet.
    """
    how, whole = rates.how, rates.whole
    for column in range(len(low)):
        for at in range(count):
            ranks[column, at] = records.rank_of[pool[at], column]
        own = np.int64(records.rank_of[point, column])
        low[column], high[column] = first_covered(how, whole, column, own, own), own
    total[:count] = 0
    for column in range(len(low)):
        add_prices(rates, column, np.int64(low[column]), np.int64(high[column]), 1, ranks[column], count, total)
    for at in range(count):
        place[at] = records.person_at[pool[at]]


@inner_kernel
def next_person(person, place, end, seen, stamp):
    """Return where the next of some people stands who has not been seen; the end if all have."""
    while place < end and seen[person[place]] == stamp:
        place += 1
    return place


@part_kernel
def grow(point, k, by_nearest, limit, pool, count, rates, records, ranks, total, place, seen, stamp, low, high):
    """Let a point's box take rows of k - 1 further people of the pool, the cheapest first; return its price.

    -1 if they are not in the pool. By nearest, what a row costs is its price together with the record alone; else with
    all that has been taken.
    """
    how, whole, person, person_at = rates.how, rates.whole, records.person, records.person_at
    gather_pool(point, pool, count, rates, records, ranks, total, place, low, high)
    seen[person[person_at[point]]] = stamp
    taken = 1
    while taken < k:
        best, least = -1, np.int32(TAKEN)
        for at in range(count):
            if total[at] < least:
                best, least = at, total[at]
        if best < 0 or least > limit:
            return np.int64(-1)
        end = person_at[pool[best] + 1]
        place[best] = next_person(person, place[best], end, seen, stamp)
        if place[best] == end:
            total[best] += TAKEN
            continue
        seen[person[place[best]]] = stamp
        taken += 1
        for column in range(len(low)):
            rank, before_lo, before_hi = np.int64(ranks[column, best]), np.int64(low[column]), np.int64(high[column])
            if before_lo <= rank <= before_hi:
                continue
            lo = first_covered(how, whole, column, min(before_lo, rank), max(before_hi, rank))
            hi = last_covered(how, whole, column, min(before_lo, rank), max(before_hi, rank))
            low[column], high[column] = lo, hi
            if not by_nearest:
                add_prices(rates, column, lo, hi, 1, ranks[column], count, total)
                add_prices(rates, column, before_lo, before_hi, -1, ranks[column], count, total)
    spent = np.int64(0)
    for column in range(len(low)):
        lo, hi = np.int64(low[column]), np.int64(high[column])
        spent += rate(how, whole, rates.mass, rates.scale, column, lo, hi)
    return spent


@kernel
def expand(start, end, guess, k, by_nearest, strip, layers, unit, rates, records, question, low, high):
    """Find the boxes of the points from start to end; return a guess at the limit of the next.

    `layers` and `strip` are of prices that never fall as a box grows. low[point, column] and high get the boxes.
    """
    points = len(records.weight)
    total = np.empty(points, np.int32)
    pool, place, cost = np.empty(points, np.int64), np.empty(points, np.int64), np.empty(points, np.int32)
    ranks = np.empty((low.shape[1], points), np.int32)
    seen, stamp = np.zeros(records.people, np.int64), np.int64(0)
    for point in range(start, end):
        ask_point(layers, point, question)
        for first in range(0, points, BLOCK):
            last = min(first + BLOCK, points)
            add_unions(
                *(strip.narrow, strip.wide, strip.lo, strip.hi, question, layers.narrow, len(layers.rise_at)),
                *(layers.lines, layers.quick, layers.full, layers.table, layers.table_at, layers.ranks),
                *(np.int64(0), first, last, total[first:last]),
            )
        limit, spent = guess, np.int64(-1)
        while spent < 0:
            count = collect(total, limit, pool)
            if count == points:
                limit = np.int64(NO_LIMIT)
            stamp += 1
            spent = grow(
                *(point, k, by_nearest, limit, pool, count, rates, records, ranks, cost, place, seen, stamp),
                *(low[point], high[point]),
            )
            if spent < 0:
                limit = min(limit + limit // 4 + unit // 16 + 1, np.int64(NO_LIMIT))
        guess = (guess + spent) // 2 + spent // 16
    return guess
