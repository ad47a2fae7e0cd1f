"""policies/partitions.yaml and policies/planes.yaml: which doors lead to which hosts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Plane = Literal["training", "inference", "flexible"]


@dataclass(frozen=True, slots=True)
class Partition:
    """A Slurm partition. `hosts` is resolved (from hosts or features) and may span planes; times in seconds, None unlimited."""

    name: str
    hosts: tuple[str, ...]
    default: bool
    max_time: int | None
    default_time: int | None
    allow_qos: tuple[str, ...]
    allow_tenants: tuple[str, ...]
    qos: str | None
    priority_tier: int
    exclusive: bool
    oversubscribe: Literal["no", "yes", "exclusive", "force"]
    min_nodes: int | None
    max_nodes: int | None
    def_mem_per_gpu_mb: int | None
    def_cpu_per_gpu: int | None
    tres_billing_weights: Mapping[str, str]
    state: Literal["up", "down", "drain", "inactive"]
    topology: str | None


@dataclass(frozen=True, slots=True)
class FlexibleRules:
    """When a flexible node changes planes: seconds of idleness before release, and the notice before it is reclaimed."""

    initial: Literal["training", "inference"]
    release_after_seconds: int
    reclaim_notice_seconds: int


@dataclass(frozen=True, slots=True)
class Planes:
    """Hosts of each plane; the three are disjoint."""

    training: tuple[str, ...]
    inference: tuple[str, ...]
    flexible: tuple[str, ...]
    rules: FlexibleRules | None

    def plane_of(self) -> dict[str, Plane]:
        """Host name to its plane."""
        named: tuple[tuple[Plane, tuple[str, ...]], ...] = (
            ("training", self.training),
            ("inference", self.inference),
            ("flexible", self.flexible),
        )
        return {host: plane for plane, hosts in named for host in hosts}
