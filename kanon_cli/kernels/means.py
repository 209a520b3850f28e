"""The means of the two sides of a group, and what its rows cost with each."""

# The inner kernels are inlined, so that the tuple of arrays is not handed over: see jit.py.

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kanon_cli.kernels.boxes import Tariff, add_box, box_price, coordinates, tariff
from kanon_cli.kernels.climbs import Climbs, climbs, mean_prices
from kanon_cli.kernels.costs import Costs
from kanon_cli.kernels.jit import inner_kernel, part_kernel

HIGHEST, LOWEST = np.int32(2147483647), np.int32(-1)  # above and below all coordinates
NONE = -1  # no place, and no coordinate


class Ground(NamedTuple):
    """The table as the halving reads it."""

    coordinate: npt.NDArray[np.int32]  # [row, column] positions on lines, ranks elsewhere: see boxes.py
    missing: npt.NDArray[np.int32]  # [column] the coordinate of a missing value, or NONE
    ranks: npt.NDArray[np.int64]  # [column]
    is_tree: npt.NDArray[np.bool_]  # [column]
    tariff: Tariff
    climbs: Climbs


def ground(costs: Costs, rank_of: npt.NDArray[np.int32]) -> Ground:
    """Lay the table out."""
    last = (costs.ranks - 1).astype(np.int32).reshape(-1, 1)
    missing = np.where(costs.has_missing, coordinates(costs, last)[0], NONE).astype(np.int32)
    return Ground(coordinates(costs, rank_of), missing, costs.ranks, costs.is_tree, tariff(costs), climbs(costs))


@part_kernel
def number(values, rank_room, code, present):
    """Write the values' own numbers, in their order, into code, and the values themselves into present; count them.

    rank_room[value] is scratch, all NONE before and after.
    """
    count = 0
    for value in values:
        if rank_room[value] == NONE:
            rank_room[value] = 0
            present[count] = value
            count += 1
    present[:count].sort()
    for i in range(count):
        rank_room[present[i]] = i
    for place in range(len(values)):
        code[place] = rank_room[values[place]]
    for i in range(count):
        rank_room[present[i]] = NONE
    return count


@inner_kernel
def summarize(coordinate, missing, side, rows, column, summary):
    """Write the lowest and highest coordinate of each side, and the sum and the number of those that are there."""
    start = np.uint64(column * rows)
    for s in range(2):
        low, high = HIGHEST, LOWEST
        total = present = np.int64(0)
        for place in range(rows):
            value = coordinate[start + place]
            is_here = side[place] == s
            low = min(low, value if is_here else HIGHEST)
            high = max(high, value if is_here else LOWEST)
            is_there = is_here and value != missing
            total += value if is_there else 0
            present += is_there
        summary[s, 0], summary[s, 1], summary[s, 2], summary[s, 3] = low, high, total, present


class Group(NamedTuple):
    """A group that is being halved: its rows, column by column, and the two centres."""

    coordinate: npt.NDArray[np.int32]  # [column * rows + place]; in trees the number among the present values
    present: npt.NDArray[np.int64]  # [present_at[column] + number] the ranks of a tree that rows of the group have
    present_at: npt.NDArray[np.int64]  # [column], [columns] the end; lines have none
    tally: npt.NDArray[np.int64]  # [side, present_at[column] + number] rows that the centre is made of
    mean: npt.NDArray[np.int64]  # [side, present_at[column] + number] what a row with this value costs with the centre
    centre: npt.NDArray[np.int32]  # [side, column] of lines
    size: npt.NDArray[np.int64]  # [side] rows that the centre is made of
    total: npt.NDArray[np.int32]  # [side * rows + place] what the row costs with the centre
    side: npt.NDArray[np.uint8]  # [place]
    summary: npt.NDArray[np.int64]  # scratch: see `summarize`
    rows_below: npt.NDArray[np.int64]  # scratch: see `mean_prices`


@part_kernel
def lay_out(ground, order, start, end, room):
    """Bring the rows order[start:end] together."""
    rows, columns = end - start, len(ground.missing)
    coordinate = np.empty(columns * rows, dtype=np.int32)
    for place in range(rows):
        for column in range(columns):
            coordinate[column * rows + place] = ground.coordinate[order[start + place], column]
    present_at = np.zeros(columns + 1, dtype=np.int64)
    present = np.empty(columns * rows, dtype=np.int64)
    for column in range(columns):
        first = present_at[column]
        present_at[column + 1] = first
        if ground.is_tree[column]:
            codes = coordinate[column * rows : (column + 1) * rows]
            present_at[column + 1] += number(codes.copy(), room, codes, present[first:])
    return Group(
        coordinate,
        present,
        present_at,
        np.zeros((2, present_at[columns]), dtype=np.int64),
        np.empty((2, present_at[columns]), dtype=np.int64),
        np.empty((2, columns), dtype=np.int32),
        np.ones(2, dtype=np.int64),
        np.empty(2 * rows, dtype=np.int32),
        np.empty(rows, dtype=np.uint8),
        np.empty((2, 4), dtype=np.int64),
        np.zeros(ground.climbs.most, dtype=np.int64),
    )


@inner_kernel
def draw_centres(group, is_tree, visit, rows):
    """Make the first two rows of visit the centres."""
    for column in range(len(is_tree)):
        for s in range(2):
            value = group.coordinate[column * rows + visit[s]]
            group.centre[s, column] = value
            if is_tree[column]:
                group.tally[s, group.present_at[column] + value] = 1


@inner_kernel
def compare(group, is_tree, how, whole, mass, scale, climb_at, above, price, rows):
    """Write what each row costs with each centre into total."""
    coordinate, total, mean = group.coordinate, group.total, group.mean
    for at in range(2 * rows):
        total[at] = 0
    for column in range(len(is_tree)):
        first, last = group.present_at[column], group.present_at[column + 1]
        for s in range(2):
            to = np.uint64(s * rows)
            if is_tree[column]:
                base, tally, size = climb_at[column], group.tally[s], group.size[s]
                mean_prices(above, price, base, group.present, first, last, tally, size, group.rows_below, mean[s])
                for place in range(rows):
                    total[to + place] += np.int32(mean[s, first + coordinate[column * rows + place]])
            else:
                centre = group.centre[s, column]
                add_box(how, whole, mass, scale, column, centre, centre, coordinate, rows, rows, total, to)


@inner_kernel
def settle(group, is_tree, missing, how, whole, mass, scale, rows):
    """Make the sides' means the centres; return what the rows of both sides cost as two groups."""
    coordinate, present, tally, summary = group.coordinate, group.present, group.tally, group.summary
    cost = np.int64(0)
    for column in range(len(is_tree)):
        first, last = group.present_at[column], group.present_at[column + 1]
        if is_tree[column]:
            for at in range(first, last):
                tally[0, at] = tally[1, at] = 0
            for place in range(rows):
                tally[group.side[place], first + coordinate[column * rows + place]] += 1
        else:
            summarize(coordinate, missing[column], group.side, rows, column, summary)
        for s in range(2):
            if is_tree[column]:
                low, high = first, last - 1
                while tally[s, low] == 0:
                    low += 1
                while tally[s, high] == 0:
                    high -= 1
                summary[s, 0], summary[s, 1] = present[low], present[high]
            else:
                there = summary[s, 3]
                most_are = 2 * there >= group.size[s]
                group.centre[s, column] = (2 * summary[s, 2] + there) // (2 * there) if most_are else missing[column]
            cost += group.size[s] * box_price(how, whole, mass, scale, column, summary[s, 0], summary[s, 1])
    return cost
