"""Free TCP ports, in blocks that parallel test runs cannot take twice.

Ports below the ephemeral range only (it starts at 32768): an outgoing connection can hold any port above, and a daemon
then fails with "Address already in use" now and then. A block is held by a file lock, which the kernel releases
when its holder dies; a port inside the block that something else listens on is passed over.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import socket
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from tests.engines.errors import EngineError

FIRST, LAST, BLOCK = 20_000, 32_000, 128


@dataclass(frozen=True, slots=True)
class Ports:
    """Consecutive free ports. `release()`, or leaving the `with` block, gives them back."""

    numbers: tuple[int, ...]
    lock: int

    def release(self) -> None:
        """Give the block back; a second call does nothing."""
        with contextlib.suppress(OSError):
            os.close(self.lock)

    def __enter__(self) -> Ports:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


def claim_ports(count: int) -> Ports:
    """`count` consecutive free ports, at most a block's 128. EngineError: too many, or no block is free."""
    if not 1 <= count <= BLOCK:
        raise EngineError(f"{count} ports in a row were asked for; between 1 and {BLOCK} can be given")
    for start in range(FIRST, LAST - BLOCK + 1, BLOCK):
        lock = _lock(start)
        if lock is None:
            continue
        run = next(_free_runs(start, count), None)
        if run is not None:
            return Ports(run, lock)
        os.close(lock)
    raise EngineError(f"no {count} free ports in a row between {FIRST} and {LAST}: stop what listens there")


def is_free(port: int) -> bool:
    """Whether nothing listens on this port of the loopback address or of all addresses."""
    for host in ("127.0.0.1", "0.0.0.0"):  # noqa: S104 - probed, never served
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, port))
            except OSError:
                return False
    return True


def _free_runs(start: int, count: int) -> Iterator[tuple[int, ...]]:
    run: list[int] = []
    for port in range(start, start + BLOCK):
        run = [*run, port] if is_free(port) else []
        if len(run) == count:
            yield tuple(run)


def _lock(start: int) -> int | None:
    folder = Path(tempfile.gettempdir()) / "charter-ports"
    folder.mkdir(exist_ok=True)
    descriptor = os.open(folder / str(start), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor
