"""The errors of the effectful half. The type says whether to retry; the class carries the exit code of the command."""

from __future__ import annotations

from typing import ClassVar


class CharterError(Exception):
    """Base of all: `exit_code` is what the command ends with; the message is one clear sentence with a remedy."""

    exit_code: ClassVar[int] = 1


class Transient(CharterError):
    """May pass by itself: an engine that doesn't answer, a network that is away. `delay` is seconds until a retry makes sense."""

    def __init__(self, message: str, delay: float = 10.0) -> None:
        super().__init__(message)
        self.delay = delay


class Terminal(CharterError):
    """Stays until somebody changes something."""


class UsageError(Terminal):
    """The command was called wrongly."""


class Unreachable(Transient):
    """An engine, repository or server could not be reached."""


class WrongCluster(Terminal):
    """The live cluster isn't the one the site names."""


class DirtyTree(Terminal):
    """Uncommitted changes where only a commit may be applied."""


class ConfigurationRefused(Terminal):
    """The engine itself refused the rendered configuration in check."""


class Denied(Terminal):
    """Policy, signature or role says no."""

    exit_code = 3


class Stale(Terminal):
    """Live state moved, history was rewritten, or the version pin differs."""

    exit_code = 4


class Locked(Transient):
    """Another writer holds the lock, or the fence of its open intent has not passed."""

    exit_code = 4


class Conflict(Terminal):
    """A field or object is owned by another."""

    exit_code = 4


class Incomplete(Terminal):
    """Partly applied, waiting for an operator, or a confirmation is missing."""

    exit_code = 5


class AuditBroken(Terminal):
    """The audit log doesn't verify, or doesn't extend what was seen before."""

    exit_code = 6
