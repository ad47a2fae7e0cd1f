"""Time, injected: the loop and the tests hold the same protocol."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from reconciler.errors import UsageError

VARIABLE = "CHARTER_NOW"
_YEARS = (2000, 2199)


class Clock(Protocol):
    """What time it is; `injected` says that it was set from outside and proves nothing."""

    @property
    def injected(self) -> bool:
        """True where the moment came from outside."""

    def now(self) -> datetime:
        """Aware UTC, whole seconds."""

    def monotonic(self) -> float:
        """Seconds from an arbitrary start, never backwards."""


@dataclass(frozen=True, slots=True)
class SystemClock:
    """The machine's clock."""

    injected: bool = False

    def now(self) -> datetime:
        """Aware UTC, whole seconds."""
        return datetime.now(UTC).replace(microsecond=0)

    def monotonic(self) -> float:
        """time.monotonic()."""
        return time.monotonic()


@dataclass(frozen=True, slots=True)
class InjectedClock:
    """A wall clock that stands still, for demonstrations and tests."""

    moment: datetime
    injected: bool = True

    def now(self) -> datetime:
        """The injected moment."""
        return self.moment

    def monotonic(self) -> float:
        """time.monotonic(): deadlines stay real."""
        return time.monotonic()


def clock(*, may_inject: bool) -> Clock:
    """The system's clock, or $CHARTER_NOW where that is allowed. Raises UsageError elsewhere."""
    text = os.environ.get(VARIABLE)
    if text is None:
        return SystemClock()
    if not may_inject:
        raise UsageError(f"${VARIABLE} sets the clock only where the file target is the only one; unset it")
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(f"${VARIABLE}={text!r} is not ISO 8601; write 2026-12-01T08:00:00Z") from None
    if moment.tzinfo is None:
        raise UsageError(f"${VARIABLE}={text!r} has no zone; append Z")
    if not _YEARS[0] <= moment.year <= _YEARS[1]:
        raise UsageError(
            f"${VARIABLE}={text!r} is out of range; write a year from {_YEARS[0]} to {_YEARS[1]}"
        )
    return InjectedClock(moment.astimezone(UTC).replace(microsecond=0))
