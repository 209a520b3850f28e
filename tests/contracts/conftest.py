"""What all laws are tested with."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="package", autouse=True)
def _disk_without_waiting() -> Iterator[None]:
    """What survives a loss of power is not the question here, and thousands of releases are written."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        yield
