"""One step of a plan, and a reference to the jobs and pods it hits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from renderer.resource import Key

Verb = Literal["create", "update", "delete"]
RestartClass = Literal["none", "reconfigure", "restart slurmctld", "restart slurmd"]


@dataclass(frozen=True, slots=True)
class Change:
    """What differs for one resource: `before` None for a create, `after` None for a delete."""

    key: Key
    verb: Verb
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Job:
    """A job or pod that a change would hit. `elapsed_seconds` 0 while pending."""

    id: str
    owner: str
    account: str
    gpus: int
    state: str
    elapsed_seconds: int
    effect: str = ""
    """What becomes of it, in a few words."""
    ends: bool = False
    """True where the change ends it: that needs a confirmation."""


@dataclass(frozen=True, slots=True)
class Action:
    """A change on a target, with why it is made, what the engine must do for it, and whom it hits."""

    target: str
    change: Change
    why: str
    restart: RestartClass
    reversible: bool
    confirm: str | None = None
    """KIND of `--confirm` that it needs (jobs, accounts, qos, reservations, nodes, namespaces, storage), or None."""
    jobs: tuple[Job, ...] = ()
