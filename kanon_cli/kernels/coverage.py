"""Boxes that grow until every record is covered by enough of them, and by boxes of different enough records."""

from __future__ import annotations

import numpy as np

from kanon_cli.kernels.crowds import add_row, count_crowd, shortfall_joined
from kanon_cli.kernels.jit import kernel, part_kernel
from kanon_cli.kernels.records import LOOK, ask_point, covers, extend, union_price
from kanon_cli.kernels.scans import BLOCK, add_unions

FAR = 1 << 40  # above every price of a row
HELPERS = 64  # cheapest boxes that are tried before all are


@part_kernel
def keep_least(cost, chosen, count, room, delta, box):
    """Put a box among the `room` cheapest, in their order; of equal ones the first stays. Return how many there are."""
    if count == room:
        if delta >= cost[count - 1]:
            return count
        count -= 1
    at = count
    while at > 0 and cost[at - 1] > delta:
        cost[at], chosen[at] = cost[at - 1], chosen[at - 1]
        at -= 1
    cost[at], chosen[at] = delta, box
    return count + 1


@part_kernel
def look(point, room, boxes, layers, rates, rank_of, question, total, found, cost, chosen):
    """Find the boxes that cover a point, and the `room` boxes that cover it at the least additional price.

    Write both into `found` and `chosen`; return how many there are of each.
    """
    strip, low, high, price = boxes.strip, boxes.low, boxes.high, boxes.price
    prices = (rates.how, rates.whole, rates.mass, rates.scale)
    ask_point(layers, point, question)
    covering, count = 0, 0
    is_slow = layers.quick < len(layers.full)
    for first in range(0, len(price), BLOCK):
        last = min(first + BLOCK, len(price))
        add_unions(
            *(strip.narrow, strip.wide, strip.lo, strip.hi, question, layers.narrow, len(layers.rise_at)),
            *(layers.lines, layers.quick, layers.full, layers.table, layers.table_at, layers.ranks),
            *(np.int64(0), first, last, total),
        )
        for start in range(first, last, LOOK):
            end = min(start + LOOK, last)
            sums, own = total[start - first : end - first], price[start:end]
            least = np.int32((1 << 31) - 1)
            for at in range(len(sums)):
                least = min(least, np.int32(sums[at] - own[at]))
            worst = cost[room - 1] if count == room else np.int64(FAR)
            if least > 0 and least >= worst:
                continue
            for box in range(start, end):
                delta = np.int64(total[box - first]) - price[box]
                if delta > 0 and delta >= worst:
                    continue
                if delta <= 0 and covers(low, high, box, rank_of, point):
                    found[covering] = box
                    covering += 1
                    continue
                if is_slow:
                    delta = union_price(*prices, low, high, box, rank_of, point) - price[box]
                count = keep_least(cost, chosen, count, room, delta, box)
                if count == room:
                    worst = cost[room - 1]
    return covering, count


@kernel
def cover(start, end, least, boxes, layers, rates, records, question):
    """Let boxes grow until each point from start to end is covered by at least `least`; return how many grew."""
    rows = len(boxes.price)
    total, found = np.empty(BLOCK, np.int32), np.empty(rows, np.int64)
    cost, chosen = np.empty(least, np.int64), np.empty(least, np.int64)
    grown = 0
    for point in range(start, end):
        covering, count = look(
            *(point, least, boxes, layers, rates, records.rank_of, question, total, found, cost, chosen)
        )
        for at in range(min(count, least - covering)):
            extend(boxes, chosen[at], rates, layers, records.rank_of, point)
            grown += 1
    return grown


@part_kernel
def cheapest_helper(point, short, crowd, is_found, boxes, layers, aim, rates, rank_of, question, total):
    """Return the box whose growth over a point costs least among those whose rows lower its shortfall, -1 if none.

    The question is the point already.
    """
    strip, price = boxes.strip, boxes.price
    prices = (rates.how, rates.whole, rates.mass, rates.scale)
    is_slow = layers.quick < len(layers.full)
    best, least = np.int64(-1), np.int64(FAR)
    for first in range(0, len(price), BLOCK):
        last = min(first + BLOCK, len(price))
        add_unions(
            *(strip.narrow, strip.wide, strip.lo, strip.hi, question, layers.narrow, len(layers.rise_at)),
            *(layers.lines, layers.quick, layers.full, layers.table, layers.table_at, layers.ranks),
            *(np.int64(0), first, last, total),
        )
        for box in range(first, last):
            delta = np.int64(total[box - first]) - price[box]
            if delta >= least or is_found[box]:
                continue
            if is_slow:
                delta = union_price(*prices, boxes.low, boxes.high, box, rank_of, point) - price[box]
            if delta < least and shortfall_joined(crowd, aim, box) < short:
                best, least = box, delta
    return best


@part_kernel
def serve(
    point,
    short,
    crowd,
    covering,
    count,
    chosen,
    found,
    is_found,
    boxes,
    layers,
    rates,
    rank_of,
    aim,
    left,
    question,
    total,
):
    """Let boxes grow over a point until the rows that could be its own keep the promise; return how many did.

    The cheapest box that helps is taken each time: from the `count` cheapest, which `chosen` holds in their order, or
    from all, which takes one off left[0]. -1 if none helps, or nothing is left.
    """
    grown = np.int64(0)
    while short > 0:
        box = np.int64(-1)
        for at in range(count):
            if not is_found[chosen[at]] and shortfall_joined(crowd, aim, chosen[at]) < short:
                box = chosen[at]
                break
        if box < 0 and left[0] > 0:
            left[0] -= 1
            box = cheapest_helper(*(point, short, crowd, is_found, boxes, layers, aim, rates, rank_of, question, total))
        if box < 0:
            return np.int64(-1)
        extend(boxes, box, rates, layers, rank_of, point)
        grown += 1
        found[covering] = box
        is_found[box] = True
        covering += 1
        short = shortfall_joined(crowd, aim, box)
        add_row(crowd, aim, box)
    for at in range(covering):
        is_found[found[at]] = False
    return grown


@kernel
def diversify(start, end, left, boxes, layers, rates, records, aim, crowd, question):
    """Let boxes grow until the rows that could be a point's keep the promise, for each point from start to end.

    Return how many grew; -1 if nothing helps, or all boxes would have to be looked at more often than left[0] times.
    """
    rows = len(boxes.price)
    total, found = np.empty(BLOCK, np.int32), np.empty(rows, np.int64)
    cost, chosen = np.empty(HELPERS, np.int64), np.empty(HELPERS, np.int64)
    is_found = np.zeros(rows, np.bool_)
    grown = np.int64(0)
    for point in range(start, end):
        covering, count = look(
            *(point, HELPERS, boxes, layers, rates, records.rank_of, question, total, found, cost, chosen)
        )
        short = count_crowd(crowd, aim, found, covering)
        if short == 0:
            continue
        for at in range(covering):
            is_found[found[at]] = True
        more = serve(
            *(point, short, crowd, covering, count, chosen, found, is_found),
            *(boxes, layers, rates, records.rank_of, aim, left, question, total),
        )
        if more < 0:
            return np.int64(-1)
        grown += more
    return grown
