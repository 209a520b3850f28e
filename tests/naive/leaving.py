"""Leaving rows out, by hand: what a release costs in which some rows say nothing."""

from __future__ import annotations

from collections.abc import Sequence

from tests import naive


def loss(table: naive.Table, groups: Sequence[Sequence[int]], measure: str) -> float:
    """The mean loss of a cell, a row that is in no group losing as much as one of which every cell is suppressed."""
    rows = len(table.rows)
    inside = sum(map(len, groups))
    lost = sum(
        weight * naive.released_loss(table, column, "*", measure) for column, weight in enumerate(table.weights)
    ) / sum(table.weights)
    grouped = sum(
        weight * len(members) * naive.cell_loss(table, column, members, measure)
        for members in groups
        for column, weight in enumerate(table.weights)
    ) / sum(table.weights)
    return (grouped + (rows - inside) * lost) / rows


def smallest_first(clusters: Sequence[Sequence[int]], most: int) -> list[Sequence[int]]:
    """The smallest clusters, the first of several, as many as have `most` rows together."""
    chosen: list[Sequence[int]] = []
    for cluster in sorted(clusters, key=len):
        if sum(map(len, chosen)) + len(cluster) <= most:
            chosen.append(cluster)
    return chosen
