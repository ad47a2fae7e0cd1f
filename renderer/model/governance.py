"""policies/approvers, waivers, freezes, failures and images: who decides, and what is excused, frozen or approved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal


@dataclass(frozen=True, slots=True)
class Principal:
    """Somebody who may sign: keys in allowed_signers form (`ssh-ed25519 AAAA…`), and the roles they hold."""

    name: str
    keys: tuple[str, ...]
    roles: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Role:
    """Which paths (globs, `**` crosses folders) it may change, and how many principals must approve."""

    name: str
    paths: tuple[str, ...]
    threshold: int


@dataclass(frozen=True, slots=True)
class Approvers:
    """policies/approvers.yaml."""

    require: Literal["none", "signed", "approved"]
    principals: Mapping[str, Principal]
    roles: Mapping[str, Role]


@dataclass(frozen=True, slots=True)
class Waiver:
    """A rule excused for one subject until a time."""

    rule: str
    subject: str
    reason: str
    until: datetime


@dataclass(frozen=True, slots=True)
class Freeze:
    """A period in which the named paths don't change."""

    name: str
    start: datetime
    end: datetime
    paths: tuple[str, ...]
    reason: str


DRAIN_ON = ("node_lost", "gpu_lost", "rail_down", "health_check")
CHECKS = frozenset(DRAIN_ON[1:])


@dataclass(frozen=True, slots=True)
class Failures:
    """policies/failures.yaml: what a failed node, GPU or rail causes."""

    drain_on: tuple[str, ...]
    """Of DRAIN_ON."""
    interval_seconds: int
    """Between two checks of a node."""
    site_check: str | None
    """With health_check: the site's own program on every node; it fails a node by its exit code, and its first line says why."""
    excluded: tuple[str, ...]
    """Hosts that no check drains."""
    requeue: bool
    """Whether the batch jobs of a node that a check drains are requeued."""
    max_retries: int
    """So many requeues after failures a job; after that it is held."""

    @property
    def limit_seconds(self) -> int:
        """How long one check of a node may take: slurmd ends it then."""
        return min(60, self.interval_seconds - 1)

    @property
    def checked(self) -> bool:
        """True where nodes are looked at from within, by a script."""
        return not CHECKS.isdisjoint(self.drain_on)


@dataclass(frozen=True, slots=True)
class Image:
    """An approved image: digest, and the file names of its signatures."""

    name: str
    repository: str
    digest: str
    signatures: tuple[str, ...]
