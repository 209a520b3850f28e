"""How figures are written."""

from __future__ import annotations

import pytest

from kanon_cli.report.figures import percent, times_the_least


@pytest.mark.parametrize(
    ("share", "said"),
    [(0, "0 %"), (0.12345, "12.3 %"), (1, "100 %"), (-16.6, "-1,660 %"), (1e-7, "0.00001 %")],
)
def test_a_share_is_written_without_an_exponent(share: float, said: str) -> None:
    assert percent(share) == said


@pytest.mark.parametrize(
    ("loss", "least", "times"),
    [
        (1 / 3, 0.333333333, 1.0),  # the bound is what it was rounded down to
        (0.1 + 0.2, 0.3, 1.0),
        (1 / 12, 0.083333206, 1.0),  # and prices are rounded, too
        (0.0153999999999, 0.015399999, 1.0),
        (0.3, 0.3000001, 1.0),
        (0.3001, 0.3, 1.01),
        (0.5, 0.4, 1.25),
        (0.0, 0.0, None),
        (0.5, 0.0, None),
    ],
)
def test_a_release_that_loses_as_little_as_its_bound_allows_is_once_the_least(
    loss: float, least: float, times: float | None
) -> None:
    assert times_the_least(loss, least) == times
