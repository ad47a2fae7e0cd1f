"""inventory/nodes.yaml: node types and the groups of hosts that are of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Nic:
    """A fabric port: its rail and speed."""

    name: str
    rail: int
    gbps: int


@dataclass(frozen=True, slots=True)
class Gpu:
    """GPUs of one model in a node: device files in Slurm notation (`file`) or an AutoDetect plugin, one of the two."""

    model: str
    count: int
    slurm_type: str
    kubernetes_resource: str
    mig_profile: str | None = None
    file: str | None = None
    autodetect: str | None = None


@dataclass(frozen=True, slots=True)
class Power:
    """Watts of a whole node."""

    idle: int
    max: int


@dataclass(frozen=True, slots=True)
class NodeType:
    """Hardware shared by a group: memory in MiB."""

    name: str
    cpus: int
    sockets: int
    cores_per_socket: int
    threads_per_core: int
    memory_mb: int
    mem_spec_limit_mb: int | None
    nics: tuple[Nic, ...]
    gpus: tuple[Gpu, ...]
    power: Power | None

    @property
    def gpu_count(self) -> int:
        """GPUs of all models in one node."""
        return sum(gpu.count for gpu in self.gpus)


@dataclass(frozen=True, slots=True)
class NodeGroup:
    """Hosts of one type in one place. `address` and `hostname` name all of them; `port` is a port or range in Slurm notation."""

    hosts: tuple[str, ...]
    type: str
    rack: str | None
    zone: str
    features: tuple[str, ...]
    weight: int
    address: str | None
    hostname: str | None
    port: str | None


@dataclass(frozen=True, slots=True)
class Node:
    """One host, resolved from its group."""

    name: str
    type: NodeType
    group: NodeGroup


@dataclass(frozen=True, slots=True)
class Nodes:
    """All hosts of the site, in file order; `by_name` resolves one."""

    types: Mapping[str, NodeType]
    groups: tuple[NodeGroup, ...]
    by_name: Mapping[str, Node]
