"""How often a test that draws its inputs draws: a sample in every run, the full count in `make soak`."""

from __future__ import annotations

import os

SOAK = os.environ.get("CHARTER_SOAK") == "1"


def count(sample: int, full: int) -> int:
    """`sample`, or `full` in a soak."""
    return full if SOAK else sample
