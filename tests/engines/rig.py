"""What every rig is: ports and a scratch folder taken at the start, everything ended and given back at the stop."""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import TracebackType
from typing import Self

from tests.engines.ports import Ports, claim_ports
from tests.engines.scratch import Scratch


class Rig(ABC):
    """A context manager; or call `start()` and `stop()`. A start that fails has stopped what it started.

    scratch: the folder and processes. ports: `port_count` free ones, in a row. A subclass fills in `_start`.
    """

    name: str
    port_count: int
    scratch: Scratch
    ports: tuple[int, ...]
    _held: Ports | None = None

    def start(self) -> None:
        """Start everything and wait until it is ready. EngineError: what did not start, with the end of its log."""
        self._held = claim_ports(self.port_count)
        self.ports = self._held.numbers
        try:
            self.scratch = Scratch(self.name)
            self._start()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """End every process, give ports and users back, remove the folder. A second call does nothing."""
        held, self._held = self._held, None
        if held is None:
            return
        try:
            if hasattr(self, "scratch"):
                self.scratch.close()
        finally:
            held.release()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @abstractmethod
    def _start(self) -> None:
        """Start the daemons, each ready before the next needs it."""
