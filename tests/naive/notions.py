"""Record-wise notions of anonymity by brute force: who could be whose, told from the cells of a release."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from tests import naive

Graph = list[list[int]]  # [original row] the released rows that cover it


def neighbours(table: naive.Table, released: Sequence[Sequence[str]]) -> Graph:
    """The released rows that each original row is consistent with."""
    return [
        [
            at
            for at, cells in enumerate(released)
            if all(naive.covers(kind, cell, value) for kind, cell, value in zip(table.columns, cells, row, strict=True))
        ]
        for row in table.rows
    ]


def is_perfect(graph: Graph) -> bool:
    """Whether each original row can have a released row of its own."""
    return naive.pairs(graph) == len(graph)


def matches(graph: Graph) -> Graph:
    """The neighbours of each row that some perfect matching gives to it: the pair is fixed, and the rest is tried."""
    return [[at for at in graph[row] if is_perfect(_fixed(graph, row, at))] for row in range(len(graph))]


def _fixed(graph: Graph, row: int, at: int) -> Graph:
    return [[at] if other == row else [one for one in graph[other] if one != at] for other in range(len(graph))]


def figures(graph: Graph) -> dict[str, int]:
    """The k of every notion."""
    one_k = min(map(len, graph))
    k1 = min(sum(at in found for found in graph) for at in range(len(graph)))
    return {"k1": k1, "1k": one_k, "kk": min(k1, one_k), "global_1k": min(map(len, matches(graph)))}


def is_diverse(graph: Graph, secrets: Sequence[str], diversity: Fraction) -> bool:
    """Whether no value has more than 1/l of the rows that could be a row's, missing ones counted with the commonest."""
    for found in graph:
        values = [secrets[at] for at in found]
        most = max((values.count(value) for value in set(values) - {""}), default=0)
        if (most + values.count("")) * diversity > len(values):
            return False
    return True


# The algorithms of Gionis, Mazza and Tassa 2008 from their text, on boxes as the sets of rows that made them.


# What a row costs that is released as the closure of some rows is handed in: ties depend on how prices are rounded.
Price = Callable[[Sequence[int]], int]


def by_nearest(table: naive.Table, k: int, price: Price) -> list[list[int]]:
    """Algorithm 3: each row with the k - 1 that are nearest to it."""
    places = _places(table)
    sets = []
    for row in range(len(table.rows)):
        others = [other for other in range(len(table.rows)) if other != row]
        costs = {other: (price([row, other]), places[other]) for other in others}
        sets.append([row, *sorted(others, key=costs.__getitem__)[: k - 1]])
    return sets


def by_expansion(table: naive.Table, k: int, price: Price) -> list[list[int]]:
    """Algorithm 4: each row with the next cheapest, again and again."""
    places = _places(table)
    sets = []
    for row in range(len(table.rows)):
        taken = [row]
        while len(taken) < k:
            left = [other for other in range(len(table.rows)) if other not in taken]
            costs = {other: (price([*taken, other]), places[other]) for other in left}
            taken.append(min(left, key=costs.__getitem__))
        sets.append(taken)
    return sets


def _places(table: naive.Table) -> list[int]:
    """The first row that is equal to each."""
    return [list(table.rows).index(row) for row in table.rows]


def covered(table: naive.Table, rows: Sequence[int]) -> set[int]:
    """The rows that the closure of some rows covers."""
    return {
        other
        for other in range(len(table.rows))
        if all(_is_in(table, column, rows, other) for column in range(len(table.columns)))
    }


def _is_in(table: naive.Table, column: int, rows: Sequence[int], other: int) -> bool:
    kind, values = table.columns[column], [table.rows[row][column] for row in rows]
    value = table.rows[other][column]
    present = [one for one in values if one is not None]
    if len(set(values)) == 1:
        return value == values[0] or (value is not None and isinstance(kind, naive.Numbers) and _same(value, values[0]))
    if len(present) < len(values):
        return True
    if isinstance(kind, naive.Numbers):
        return value is not None and min(map(float, present)) <= float(value) <= max(map(float, present))
    joint = next(label for label in kind.above(present[0]) if all(label in kind.above(one) for one in present))
    return joint not in kind.parent_of or (value is not None and joint in kind.above(value))


def _same(one: str, other: str | None) -> bool:
    return other is not None and float(one) == float(other)


def cover(table: naive.Table, sets: Sequence[Sequence[int]], k: int, price: Price) -> list[list[int]]:
    """Algorithm 5: each row joins the cheapest of the boxes that do not cover it, until k boxes do."""
    boxes = [list(rows) for rows in sets]
    for row in sorted(range(len(table.rows)), key=lambda row: (_places(table)[row], row)):
        short = k - sum(row in covered(table, box) for box in boxes)
        away = [at for at, box in enumerate(boxes) if row not in covered(table, box)]
        costs = {at: (price([*boxes[at], row]) - price(boxes[at]), at) for at in away}
        for at in sorted(away, key=costs.__getitem__)[: max(short, 0)]:
            boxes[at].append(row)
    return boxes
