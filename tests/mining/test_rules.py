"""Association rules."""

from __future__ import annotations

import itertools

import numpy as np

from kanon_cli.mining.rules import LIFT, SUPPORT, find, hold_against


def test_rules_are_those_that_a_slow_search_finds() -> None:
    rng = np.random.default_rng(1)
    first, second, third = rng.integers(0, 3, (3, 400))
    class_of = np.where(rng.random(400) < 0.3, first, second) % 2
    item_of = np.concatenate([np.eye(3)[values] for values in (first, second, third)], axis=1)
    column_of = np.repeat([0, 1, 2], 3)
    found = find(item_of, column_of, class_of, 2)
    slow = set()
    for a, b in itertools.combinations_with_replacement(range(9), 2):
        if a != b and column_of[a] == column_of[b]:
            continue
        having = (item_of[:, a] > 0) & (item_of[:, b] > 0)
        for at in (0, 1):
            both = (having & (class_of == at)).mean()
            if both >= SUPPORT and both / having.mean() >= LIFT * (class_of == at).mean():
                slow.add((at, a, b))
    assert {tuple(rule) for rule in np.argwhere(found.holds).tolist()} == slow
    assert len(slow) > 4


def test_a_rule_survives_until_its_items_are_blurred() -> None:
    item_of = np.repeat(np.eye(2), 50, axis=0)
    class_of = np.repeat([0, 1], 50)
    original = find(item_of, np.array([0, 0]), class_of, 2)
    blurred = find(np.full((100, 2), 0.5), np.array([0, 0]), class_of, 2)
    assert hold_against(original, original) == {
        "rules": 2,
        "survive": 2,
        "share": 1.0,
        "new": 0,
        "confidence_change": 0.0,
    }
    assert hold_against(original, blurred)["survive"] == 0
    assert hold_against(original, blurred)["confidence_change"] == 0.5
    assert hold_against(blurred, original) == {
        "rules": 0,
        "survive": 0,
        "share": None,
        "new": 2,
        "confidence_change": None,
    }
