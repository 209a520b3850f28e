"""Prices of single intervals, which kernels ask for inside of other kernels only."""

from __future__ import annotations

from typing import Any

from kanon_cli.kernels import costs as kernels
from kanon_cli.kernels.costs import Costs
from kanon_cli.kernels.jit import kernel

_price: Any = kernels.price
_ancestor: Any = kernels.ancestor


@kernel
def price(costs: Costs, column: int, lo: int, hi: int) -> int:
    """Return what a cell costs that covers the ranks lo to hi."""
    found: int = _price(costs, column, lo, hi)
    return found


@kernel
def ancestor(costs: Costs, column: int, lo: int, hi: int) -> int:
    """Return the nearest common ancestor of the leaves lo < hi of a tree column."""
    found: int = _ancestor(costs, column, lo, hi)
    return found
