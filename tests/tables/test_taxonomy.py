"""A tree's numbers say what its labels say."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings

from tests import naive
from tests.strategies import parents, taxonomy


@given(parent_of=parents())
@settings(max_examples=100, deadline=None)
def test_ranges_heights_and_joints_are_those_of_the_labels(parent_of: dict[str, str]) -> None:
    tree, twin = taxonomy(parent_of), naive.Tree(parent_of)
    leaves = [tree.label[node] for node in tree.leaf]
    for node, label in enumerate(tree.label):
        assert set(leaves[tree.first[node] : tree.last[node] + 1]) == twin.below(label)
        assert tree.height[node] == twin.height(label)
        assert tree.is_leaf(node) == (label in twin.leaves)
        assert tree.node_of[label] == node
        assert tree.parent[node] == (tree.node_of[parent_of[label]] if label in parent_of else -1)
    for lo in range(len(leaves)):
        for hi in range(lo + 1, len(leaves)):
            common = next(label for label in twin.above(leaves[lo]) if label in twin.above(leaves[hi]))
            assert tree.label[tree.joint[lo:hi].min()] == common
            assert tree.label[tree.cover(np.array([lo]), np.array([hi]))[0]] == common


@given(parent_of=parents())
@settings(max_examples=20, deadline=None)
def test_one_more_leaf_comes_last_under_the_root(parent_of: dict[str, str]) -> None:
    tree = taxonomy(parent_of)
    more = tree.with_leaf("missing")
    assert [more.label[node] for node in more.leaf] == [*(tree.label[node] for node in tree.leaf), "missing"]
    assert more.parent[more.leaf[-1]] == 0
    assert more.label[0] == tree.label[0]
