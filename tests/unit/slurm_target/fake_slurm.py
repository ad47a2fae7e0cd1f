"""A client that answers from a table and remembers what was written, and a fence that never falls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from reconciler.errors import Stale, Unreachable
from reconciler.targets.slurm.client import Client


class FakeClient(Client):
    """`answers` maps the words of a read, joined by blanks, to its output; an answer of None: slurmctld is away."""

    def __init__(self, answers: Mapping[str, str | None] | None = None) -> None:
        super().__init__(Path("/nowhere"), 5)
        self.answers = dict(answers or {})

    def read(self, *argv: str) -> str:
        """The answer whose key begins the command."""
        command = " ".join(argv)
        for key, answer in self.answers.items():
            if command.startswith(key):
                if answer is None:
                    raise Unreachable(f"{command}: Unable to contact slurm controller")
                return answer
        return ""

    def write(self, *argv: str, timeout: float | None = None) -> str:
        """Remembered only; a command without a time-out of its own would be a fault."""
        assert timeout is None or timeout > 0
        self.writes.append(argv)
        return ""

    def commands(self) -> Iterator[str]:
        """What was written, words joined."""
        return (" ".join(argv) for argv in self.writes)


class OpenFence:
    """Always a minute left; falls after `steps` checks if given."""

    def __init__(self, steps: int | None = None) -> None:
        self._steps = steps

    def check(self) -> None:
        """Raise Stale once the steps are used up."""
        if self._steps is None:
            return
        self._steps -= 1
        if self._steps < 0:
            raise Stale("too late")

    def remaining(self) -> float:
        """A minute."""
        return 60.0
