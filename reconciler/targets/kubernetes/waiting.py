"""Waiting for the cluster's own controllers, within what the fence leaves."""

from __future__ import annotations

from collections.abc import Callable

from reconciler.targets.contract import Fence

_LONGEST_SECONDS = 120.0
_SHARE = 0.5
_PAUSE_SECONDS = 0.5


def until(done: Callable[[], bool], fence: Fence, sleep: Callable[[float], None]) -> bool:
    """Ask `done` until it holds. False after two minutes, or when half of what the fence left at first is used:
    the rest of the apply, its reading back and its seal need the other half."""
    floor = fence.remaining() - min(_LONGEST_SECONDS, _SHARE * fence.remaining())
    while not done():
        if fence.remaining() - _PAUSE_SECONDS <= floor:
            return False
        sleep(_PAUSE_SECONDS)
    return True
