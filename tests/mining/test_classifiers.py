"""Classifiers, and what is called lost."""

from __future__ import annotations

import numpy as np
import pytest

from kanon_cli.mining.classifiers import CLASSIFIERS, cross_validate, lost


@pytest.mark.parametrize("name", sorted(CLASSIFIERS))
@pytest.mark.parametrize("classes", [2, 3])
def test_what_can_be_learned_is_learned_and_noise_is_not(name: str, classes: int) -> None:
    rng = np.random.default_rng(0)
    class_of = np.arange(240) % classes
    clear = np.eye(classes)[class_of] + rng.normal(0, 0.1, (240, classes))
    noise = rng.normal(0, 1, (240, classes))
    good = cross_validate(name, clear, clear, class_of, 3, 0)
    assert good.accuracy > 0.95
    assert good.auc is not None
    assert good.auc > 0.95
    bad = cross_validate(name, noise, noise, class_of, 3, 0)
    assert bad.accuracy < 1 / classes + 0.15
    mixed = cross_validate(name, clear, noise, class_of, 3, 0)
    assert mixed.accuracy < 0.8


def test_lost_is_the_share_of_what_was_above_chance() -> None:
    assert lost(0.9, 0.7, 0.5) == pytest.approx(0.5)
    assert lost(0.9, 0.9, 0.5) == 0
    assert lost(0.51, 0.5, 0.5) is None
    assert lost(None, 0.5, 0.5) is None
