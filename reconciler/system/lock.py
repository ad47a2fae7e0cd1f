"""One writer at a time on this host, and the deadline of its open intent."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from reconciler.errors import Locked, Stale, Terminal
from reconciler.system.clock import Clock


@contextmanager
def exclusive(state_dir: Path) -> Iterator[None]:
    """Hold state_dir's lock; it goes with the process, whatever kills it. Raises Locked when another holds it."""
    try:
        state_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle = os.open(state_dir / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise Terminal(
            f"{state_dir}: cannot be used as state_dir ({error.strerror}); name a writable folder"
        ) from None
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Locked(f"{state_dir}: another reconciler is at work here; wait for it to end") from None
        yield
    finally:
        os.close(handle)


@dataclass(frozen=True, slots=True)
class Deadline:
    """The fence of an intent: no action begins once `until` (monotonic seconds) has passed."""

    clock: Clock
    until: float

    def remaining(self) -> float:
        """Seconds left, never below zero."""
        return max(0.0, self.until - self.clock.monotonic())

    def check(self) -> None:
        """Raise Stale when the deadline has passed."""
        if self.remaining() <= 0:
            raise Stale("the deadline of this apply has passed; the next run carries on from what is live")
