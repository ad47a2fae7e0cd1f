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


@dataclass(frozen=True, slots=True)
class Failures:
    """policies/failures.yaml: what a failed node or link causes."""

    drain_on: tuple[str, ...]
    requeue: bool
    max_retries: int


@dataclass(frozen=True, slots=True)
class Image:
    """An approved image: digest, and the file names of its signatures."""

    name: str
    repository: str
    digest: str
    signatures: tuple[str, ...]
