"""What every target offers to the plan and to the loop. Implemented by files/, slurm/ and kubernetes/.

A target holds the resources of one or more engines. It never decides: the plan orders the actions and the loop runs them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from reconciler.plan.action import Action, Change, Job, RestartClass
from renderer.model.site import Site
from renderer.resource import Engine, Key, Resource


@dataclass(frozen=True, slots=True)
class Mark:
    """What a target remembers of the last writer: highest sequence number and the applied identity (None: never written)."""

    sequence: int
    identity: str | None


@dataclass(frozen=True, slots=True)
class Observation:
    """Live state: resources Charter could own, those that are foreign (reported, never touched), the mark, and what somebody
    should look at before it goes wrong."""

    resources: Mapping[Key, Resource]
    foreign: tuple[Key, ...]
    mark: Mark
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Applied:
    """What became of one action: `pending` says why it isn't done yet (waiting for jobs, for an operator), "" when done."""

    action: Action
    pending: str = ""


class Fence(Protocol):
    """The deadline of the open intent."""

    def check(self) -> None:
        """Raise Stale when the deadline has passed; called before each action."""

    def remaining(self) -> float:
        """Seconds left; a command's own time-out stays below it."""


class Target(Protocol):
    """A live system. All methods raise Unreachable (transient) or another CharterError."""

    name: str
    engines: tuple[Engine, ...]

    def identify(self, site: Site) -> None:
        """Raise WrongCluster unless the live system is the one that the site names. Writes nothing."""

    def observe(self, site: Site, desired: Sequence[Resource], owned: frozenset[Key]) -> Observation:
        """Read live state. `owned` are the keys of the last sealed outcome. Writes nothing."""

    def restart_class(self, change: Change, site: Site) -> RestartClass:
        """What the engine must do for this change to take effect."""

    def jobs(self, changes: Sequence[Change]) -> Mapping[Key, tuple[Job, ...]]:
        """Live jobs or pods that each change would hit. Writes nothing."""

    def check(self, site: Site, actions: Sequence[Action], desired: Sequence[Resource]) -> None:
        """Let the engine judge the change without making it; raise ConfigurationRefused or Conflict. Writes nothing live."""

    def apply(
        self,
        site: Site,
        phase: str,
        actions: Sequence[Action],
        desired: Sequence[Resource],
        confirmed: frozenset[str],
        fence: Fence,
    ) -> tuple[Applied, ...]:
        """Run the actions of one phase (create, shrink or remove) in order. Raises at the first failure."""

    def stamp(self, mark: Mark) -> None:
        """Remember the sequence number before anything is written under it; raise Stale if a higher one is there."""
