"""How random examples are drawn in all tests."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# A busy machine makes no test fail: how long something takes is measured by benchmarks.
settings.register_profile("kanon", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("kanon")
