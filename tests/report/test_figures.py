"""How figures are written."""

from __future__ import annotations

import pytest

from kanon_cli.report.figures import percent


@pytest.mark.parametrize(
    ("share", "said"),
    [(0, "0 %"), (0.12345, "12.3 %"), (1, "100 %"), (-16.6, "-1,660 %"), (1e-7, "0.00001 %")],
)
def test_a_share_is_written_without_an_exponent(share: float, said: str) -> None:
    assert percent(share) == said
