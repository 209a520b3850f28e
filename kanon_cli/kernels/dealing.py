"""Rows that are left over join finished clusters, each the one that is nearest to it."""

from __future__ import annotations

from kanon_cli.kernels.clusters import JOINS, NOBODY, shortfall_with
from kanon_cli.kernels.growth import NEAREST, look, union_price
from kanon_cli.kernels.jit import kernel
from kanon_cli.kernels.unions import unify


@kernel
def deal(clusters, growth, layers, costs, aim, metric, finished):
    """Unify each cluster from `finished` on, of one row, with the nearest of those before that keeps its promise then.

    All are places of `growth`, the finished ones first. A row that would break the promise of all that are remembered
    stays alone.
    """
    for c in range(finished, len(growth.head)):
        look(growth, layers, costs, metric, c, c + 1)
        for at in range(NEAREST):
            other = growth.near[c, at]
            if other == NOBODY:
                break
            row = clusters.head[c]
            if other < finished and shortfall_with(clusters, aim, other, NOBODY, row, JOINS) == 0:
                unify(clusters, layers, other, c, union_price(clusters.closures, layers, costs, other, c))
                growth.head[other] = min(growth.head[other], row)
                break
