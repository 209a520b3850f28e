"""What every backend keeps, whatever it is."""

from __future__ import annotations

import pytest

from kanon_cli import backends
from kanon_cli.backends.base import Backend
from kanon_cli.parts import load


@pytest.mark.parametrize("name", backends.TABLE)
def test_results_come_in_the_order_of_the_shards(name: str) -> None:
    backend = load(backends.TABLE, name, Backend)()
    assert backend.map(lambda shard: shard * shard, [3, 1, 2]) == [9, 1, 4]
    assert backend.map(str, []) == []
