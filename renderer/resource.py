"""The one shape in which desired and observed state meet: a resource of an engine, by kind and name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Engine = Literal["slurm", "kubernetes"]

SLURM_KINDS = ("config", "qos", "account", "association", "coordinator", "reservation")
"""Slurm's resource kinds in the order in which they are created: `config` is a file; an association is a user in an account; a
coordinator looks after an account and those below it."""


@dataclass(frozen=True, slots=True)
class Key:
    """Identity of a resource within an engine. Names: `config` its file name; `association` and `coordinator` are `account/user`;
    a Kubernetes object `namespace/name`, or `name` where it is cluster-wide."""

    engine: Engine
    kind: str
    name: str


@dataclass(frozen=True, slots=True)
class Resource:
    """`fields` are JSON values. `config`: {content: str}. Slurm's others: Slurm's own field names, lower snake case, to canonical strings.
    Kubernetes: the manifest."""

    key: Key
    fields: Mapping[str, Any]
