"""A taxonomy with one more level: what finer steps between its nodes could be worth."""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import Decimal

from kanon_cli.tables.domains import Domain
from kanon_cli.tables.taxonomy import Taxonomy, grow

FEWEST = 4  # children that a node must have to be given groups of them


def deepen(domain: Domain) -> Domain | None:
    """Put a level between each node and its children: groups of neighbours, about as many as each has members.

    Nobody has said what belongs together, so neighbours in the order of the taxonomy are taken. None where that adds
    nothing: columns on a line, and nodes that have only a few children.
    """
    tree = domain.tree
    if tree is None:
        return None
    children: dict[int, list[int]] = {}
    for node in sorted(range(1, len(tree.label)), key=lambda node: int(tree.first[node])):
        children.setdefault(int(tree.parent[node]), []).append(node)
    parent_of = {tree.label[node]: tree.label[int(tree.parent[node])] for node in range(1, len(tree.label))}
    bounds = dict(domain.node_bounds)
    added = 0
    for node, below in children.items():
        if len(below) < FEWEST:
            continue
        size = math.ceil(math.sqrt(len(below)))
        for start in range(0, len(below), size):
            group = below[start : start + size]
            label = f"\0group {added}"
            added += 1
            parent_of |= {tree.label[child]: label for child in group}
            parent_of[label] = tree.label[node]
            _add_bounds(bounds, domain, tree, label, group)
    if not added:
        return None
    leaves = [tree.label[node] for node in tree.leaf.tolist()]
    return replace(domain, tree=grow(leaves, parent_of), node_bounds=bounds)


def _add_bounds(
    bounds: dict[str, tuple[Decimal, Decimal]], domain: Domain, tree: Taxonomy, label: str, group: list[int]
) -> None:
    """Say from where to where a group of numbers or dates goes; one that holds the missing value has no width."""
    position = domain.position
    if position is None:
        return
    known = []
    for node in group:
        if tree.label[node] in domain.node_bounds:
            known.append(domain.node_bounds[tree.label[node]])
        elif tree.is_leaf(node) and int(tree.first[node]) < len(position):
            at = Decimal(float(position[int(tree.first[node])]))
            known.append((at, at))
        else:
            known.append((Decimal(float(position[0])), Decimal(float(position[-1]))))
    bounds[label] = min(low for low, _ in known), max(high for _, high in known)
