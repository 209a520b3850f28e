"""Which box covers which record, and which of these pairs are part of a perfect matching."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kanon_cli.kernels.crowds import count_crowd, shortfall_joined
from kanon_cli.kernels.jit import kernel, part_kernel
from kanon_cli.kernels.layers import Layers
from kanon_cli.kernels.records import Boxes, Records, Strip, covers, union_price
from kanon_cli.kernels.scans import BLOCK, MIXED

IntArray = npt.NDArray[np.int64]
RankArray = npt.NDArray[np.int32]

ROOM = 32  # links a box that room is made for at first
FAR = 1 << 40  # above every price of a row


class Links(NamedTuple):
    """The points that each box covers: point[start[box] : start[box + 1]], ascending."""

    start: IntArray  # one longer than the boxes
    point: RankArray


@part_kernel
def find_points(boxes, box, points, layers, rank_of, missed, found):
    """Write the points that a box covers into `found`; return how many. Columns that part few points are SIMD loops."""
    strip = boxes.strip
    count = 0
    for first in range(0, len(rank_of), BLOCK):
        last = min(first + BLOCK, len(rank_of))
        miss = missed[: last - first]
        miss[:] = 0
        for layer in range(layers.narrow):
            label = strip.narrow[layer, box]
            if label != MIXED:
                labels = points.narrow[layer, first:last]
                for at in range(len(miss)):
                    miss[at] |= np.int16(labels[at] != label)
        for layer in range(len(layers.rise_at) - layers.narrow):
            wide = strip.wide[layer, box]
            if wide != MIXED:
                others = points.wide[layer, first:last]
                for at in range(len(miss)):
                    miss[at] |= np.int16(others[at] != wide)
        for span in range(len(layers.full)):
            lo, hi, values = strip.lo[span, box], strip.hi[span, box], points.lo[span, first:last]
            for at in range(len(miss)):
                miss[at] |= np.int16((values[at] < lo) | (values[at] > hi))
        for at in range(len(miss)):
            if miss[at] == 0 and covers(boxes.low, boxes.high, box, rank_of, first + at):
                found[count] = first + at
                count += 1
    return count


@kernel
def fill_links(asked, done, boxes, points, layers, rank_of, start, point):
    """Write the links of the boxes that are asked for, from asked[done] on, until there is no room; return how far."""
    missed, found = np.empty(BLOCK, np.int16), np.empty(len(rank_of), np.int32)
    while done < len(asked):
        count = find_points(boxes, asked[done], points, layers, rank_of, missed, found)
        if start[done] + count > len(point):
            return done
        point[start[done] : start[done] + count] = found[:count]
        start[done + 1] = start[done] + count
        done += 1
    return done


def links_of(asked: IntArray, boxes: Boxes, points: Strip, layers: Layers, records: Records) -> Links:
    """Find the points that each of the boxes covers that are asked for."""
    start = np.zeros(len(asked) + 1, dtype=np.int64)
    point = np.empty(len(asked) * ROOM + len(records.weight), dtype=np.int32)
    done = 0
    while True:
        done = int(fill_links(asked, done, boxes, points, layers, records.rank_of, start, point))
        if done == len(asked):
            return Links(start, point[: start[-1]])
        point = np.concatenate([point, np.empty_like(point)])


def replaced(links: Links, changed: IntArray, by: Links) -> Links:
    """The links with those of some boxes, ascending, replaced."""
    sizes = np.diff(links.start)
    kept = np.ones(len(sizes), dtype=np.bool_)
    kept[changed] = False
    old = np.repeat(kept, sizes)
    sizes[changed] = np.diff(by.start)
    start = np.append(0, np.cumsum(sizes))
    point = np.empty(start[-1], dtype=np.int32)
    is_old = np.repeat(kept, sizes)
    point[is_old] = links.point[old]
    point[~is_old] = by.point
    return Links(start, point)


@kernel
def turn(start, point, points):
    """Return the boxes of each point, ascending, from the points of each box: as start[point] and box."""
    begin = np.zeros(points + 1, np.int64)
    for link in range(len(point)):
        begin[point[link] + 1] += 1
    for at in range(points):
        begin[at + 1] += begin[at]
    place = begin[:-1].copy()
    box_of = np.empty(len(point), np.int32)
    for box in range(len(start) - 1):
        for link in range(start[box], start[box + 1]):
            box_of[place[point[link]]] = box
            place[point[link]] += 1
    return begin, box_of


@kernel
def strong_components(start, arc, point_of):
    """Number the strongly connected components of points, with arcs from a point to those of the boxes that cover it.

    Each box covers its own point, and these pairs are a perfect matching; so a box may be another point's in some
    perfect matching if and only if its point is in that point's component (Tarjan's algorithm).
    """
    points = len(start) - 1
    component = np.full(points, -1, np.int32)
    met, reach = np.full(points, -1, np.int64), np.empty(points, np.int64)
    path, stack, at = np.empty(points, np.int64), np.empty(points, np.int64), start[:-1].copy()
    clock, components, depth, waiting = 0, 0, 0, 0
    for root in range(points):
        if met[root] >= 0:
            continue
        path[0], depth = root, 1
        while depth > 0:
            here = path[depth - 1]
            if met[here] < 0:
                met[here] = reach[here] = clock
                clock += 1
                stack[waiting] = here
                waiting += 1
            deeper = False
            while at[here] < start[here + 1]:
                there = point_of[arc[at[here]]]
                if met[there] < 0:
                    path[depth] = there
                    depth += 1
                    deeper = True
                    break
                if component[there] < 0:
                    reach[here] = min(reach[here], reach[there])
                at[here] += 1
            if deeper:
                continue
            depth -= 1
            if reach[here] == met[here]:
                while True:
                    waiting -= 1
                    component[stack[waiting]] = components
                    if stack[waiting] == here:
                        break
                components += 1
    return component


@kernel
def find_steps(start, box_of, component, own_start, own, boxes, rates, records, aim, crowd, least, cost, grows, over):
    """Find the cheapest way to give each point a further match, where it has too few or their values are too alike.

    A box that covers the point, but is no match, becomes one if the point's own box grows over the box's own point.
    Write the price, the box that grows and the point that it grows over; return how many points lack matches, and how
    many of these have no way. Where only values are wanting, a box that helps is preferred.
    """
    low, high, price, point_of, rank_of = boxes.low, boxes.high, boxes.price, records.point_of, records.rank_of
    prices = (rates.how, rates.whole, rates.mass, rates.scale)
    matches = np.empty(len(point_of), np.int64)
    lacking = stuck = 0
    for point in range(len(start) - 1):
        cost[point] = FAR
        count, short = 0, np.int64(0)
        for link in range(start[point], start[point + 1]):
            if component[point_of[box_of[link]]] == component[point]:
                matches[count] = box_of[link]
                count += 1
        if len(aim.values) > 0:
            short = count_crowd(crowd, aim, matches, count)
        if count >= least and short == 0:
            continue
        lacking += 1
        best_helps = False
        for link in range(start[point], start[point + 1]):
            other = point_of[box_of[link]]
            if component[other] == component[point]:
                continue
            helps = short == 0 or shortfall_joined(crowd, aim, box_of[link]) < short
            if best_helps and not helps:
                continue
            for place in range(own_start[point], own_start[point + 1]):
                delta = union_price(*prices, low, high, own[place], rank_of, other) - price[own[place]]
                if delta < cost[point] or (helps and not best_helps):
                    cost[point], grows[point], over[point] = delta, own[place], other
                    best_helps = helps
        stuck += cost[point] == FAR
    return lacking, stuck


@kernel
def choose_steps(order, component, cost, over, large, chosen):
    """Choose the points whose steps are taken together, in an order: no component is in two of them.

    So a step serves both components that it unites, where they lack matches. Components of more points than `large`
    may be in any number of steps: else all would wait for the one that grows largest.
    """
    room = np.zeros(len(component), np.int64)
    for point in range(len(component)):
        room[component[point]] += 1
    for one in range(len(component)):
        room[one] = 1 + room[one] // large
    count = 0
    for point in order:
        if cost[point] == FAR:
            break
        one, other = component[point], component[over[point]]
        if room[one] > 0 and room[other] > 0:
            room[one] -= 1
            room[other] -= 1
            chosen[count] = point
            count += 1
    return count
