"""Boxes that shrink as far as every record keeps enough boxes, every box enough records, and each promise holds."""

from __future__ import annotations

import numpy as np

from kanon_cli.kernels.crowds import count_crowd
from kanon_cli.kernels.jit import kernel, part_kernel
from kanon_cli.kernels.records import covers, join_point, start_box, union_price, whole_price


@part_kernel
def may_lose(point, box, begin, box_of, is_live, aim, rows, crowd):
    """Say whether the rows that could be a point's still keep the promise without one of them."""
    count = 0
    for link in range(begin[point], begin[point + 1]):
        if is_live[link] and box_of[link] != box:
            rows[count] = box_of[link]
            count += 1
    return count_crowd(crowd, aim, rows, count) == 0


@part_kernel
def holds(lo, hi, first, last, points, records, enough, seen, stamp):
    """Say whether the box lo to hi covers rows of enough people among some points."""
    stamp[0] += 1
    held = 0
    for link in range(first, last):
        point = points[link]
        if covers(lo, hi, 0, records.rank_of, point):
            for place in range(records.person_at[point], records.person_at[point + 1]):
                if seen[records.person[place]] != stamp[0]:
                    seen[records.person[place]] = stamp[0]
                    held += 1
                    if held >= enough:
                        return True
    return held >= enough


@kernel
def lacks_people(boxes, start, points, records, enough):
    """Say whether a box covers rows of fewer people than it has to."""
    seen, stamp = np.zeros(records.people, np.int64), np.zeros(1, np.int64)
    for box in range(len(boxes.price)):
        lo, hi = boxes.low[box : box + 1], boxes.high[box : box + 1]
        if not holds(lo, hi, start[box], start[box + 1], points, records, enough, seen, stamp):
            return True
    return False


@part_kernel
def take_cheapest(lo, hi, first, last, points, rates, rank_of):
    """Let the box lo to hi cover the cheapest of some points that it does not cover; return its price."""
    prices = (rates.how, rates.whole, rates.mass, rates.scale)
    best, least = np.int64(-1), np.int64(0)
    for link in range(first, last):
        if not covers(lo, hi, 0, rank_of, points[link]):
            joined = union_price(*prices, lo, hi, 0, rank_of, points[link])
            if best < 0 or joined < least:
                best, least = np.int64(points[link]), joined
    return join_point(*prices, lo, hi, 0, rank_of, best)


@kernel
def tighten(
    boxes, start, points, begin, box_of, component, is_global, rates, records, aim, crowd, least_held, least_covering
):
    """Let each box shrink to the cheapest box that is found within it, until none does; return how often one did.

    A box must go on covering its own point, all points that no more than `least_covering` boxes cover or whose promise
    needs its row, and rows of `least_held` people; where matches count, also every point that it is a match of. It
    starts from the closure of the points that it must cover, and takes the cheapest of its other points until it has
    enough people.
    So nothing is covered that was not before. `start` and `points` are the points of the boxes, `begin` and `box_of`
    the boxes of the points; the former are overwritten, and the strip is left as it was.
    """
    low, high, price_of = boxes.low, boxes.high, boxes.price
    rank_of, point_of = records.rank_of, records.point_of
    prices = (rates.how, rates.whole, rates.mass, rates.scale)
    is_judged = len(aim.values) > 0 and not is_global
    live = begin[1:] - begin[:-1]  # [point] boxes that cover it
    is_live = np.ones(len(box_of), np.bool_)  # [place in box_of]
    end = start[1:].copy()  # [box] its points beyond are cut off
    rows = np.empty(len(point_of) if is_judged else 0, np.int64)
    lo, hi = np.empty((1, low.shape[1]), np.int32), np.empty((1, low.shape[1]), np.int32)  # the box that is tried
    seen, stamp = np.zeros(records.people, np.int64), np.zeros(1, np.int64)
    shrunk, before = 0, -1
    while shrunk > before:
        before = shrunk
        for box in range(len(point_of)):
            first, last, own = start[box], end[box], point_of[box]
            start_box(rates.how, rates.whole, rank_of, own, lo, hi, 0)
            total = whole_price(*prices, lo, hi, 0)
            for link in range(first, last):
                point = points[link]
                if covers(lo, hi, 0, rank_of, point):
                    continue
                must = live[point] <= least_covering or (is_global and component[point] == component[own])
                if is_judged and not must:
                    must = not may_lose(point, box, begin, box_of, is_live, aim, rows, crowd)
                if must:
                    total = join_point(*prices, lo, hi, 0, rank_of, point)
            while total < price_of[box] and not holds(lo, hi, first, last, points, records, least_held, seen, stamp):
                total = take_cheapest(lo, hi, first, last, points, rates, rank_of)
            if total >= price_of[box]:
                continue
            kept = first
            for link in range(first, last):
                point = points[link]
                if covers(lo, hi, 0, rank_of, point):
                    points[kept] = point
                    kept += 1
                    continue
                live[point] -= 1
                is_live[begin[point] + np.searchsorted(box_of[begin[point] : begin[point + 1]], box)] = False
            end[box] = kept
            low[box], high[box] = lo[0], hi[0]
            price_of[box] = total
            shrunk += 1
    return shrunk
