"""Random examples: as many as `make test` has time for, twenty times that in `make soak`."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

from tests.counts import count

settings.register_profile(
    "charter", max_examples=count(100, 2000), suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("charter")
