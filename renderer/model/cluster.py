"""inventory/site.yaml: what the cluster is, and how far Charter manages it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

ManageLevel = Literal["off", "report", "enforce"]
Restart = Literal["managed", "manual"]
Distribution = Literal["configless", "shared_dir", "managed"]


@dataclass(frozen=True, slots=True)
class ControlHost:
    """A host that runs a Slurm control daemon."""

    host: str
    address: str | None = None
    port: int | None = None


@dataclass(frozen=True, slots=True)
class SlurmDirectories:
    """Absolute paths on the Slurm hosts; `%n` is the node name where slurmd expands it."""

    state: str
    spool: str
    log: str
    run: str
    config: str = "/etc/slurm"
    """Where nodes find slurm.conf and the scripts beside it."""


@dataclass(frozen=True, slots=True)
class SlurmUsers:
    """Operating-system users the daemons run as."""

    slurm: str
    slurmd: str


@dataclass(frozen=True, slots=True)
class SlurmAuth:
    """AuthType and the socket it speaks through (None: the plugin's default)."""

    type: Literal["munge", "slurm"]
    socket: str | None = None


@dataclass(frozen=True, slots=True)
class SlurmRestart:
    """Who restarts the daemons when a change needs it."""

    slurmctld: Restart
    slurmd: Restart


@dataclass(frozen=True, slots=True)
class SlurmSettings:
    """The Slurm engine: `version` is a release such as 24.11; `owns_qos` are QOS names Charter may own."""

    cluster_name: str
    version: str
    slurmctld: tuple[ControlHost, ...]
    slurmdbd: ControlHost
    slurmd_port: int
    dirs: SlurmDirectories
    users: SlurmUsers
    auth: SlurmAuth
    distribution: Distribution
    restart: SlurmRestart
    account_root: str
    owns_qos: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class KubernetesSettings:
    """The Kubernetes engine: `cluster_uid` is the kube-system namespace's UID."""

    version: str
    cluster_uid: str


@dataclass(frozen=True, slots=True)
class Manage:
    """How each part is managed: off, report drift, or enforce."""

    config: ManageLevel = "report"
    topology: ManageLevel = "report"
    partitions: ManageLevel = "report"
    accounts: ManageLevel = "report"
    qos: ManageLevel = "report"
    reservations: ManageLevel = "report"
    kubernetes: ManageLevel = "report"


@dataclass(frozen=True, slots=True)
class Cluster:
    """All of inventory/site.yaml. `charter` is the version pin; `data_classes` maps a class to zones that may hold it."""

    name: str
    jurisdiction: str
    zones: tuple[str, ...]
    timezone: str
    charter: str
    slurm: SlurmSettings
    kubernetes: KubernetesSettings
    power_budget_kw: int | None
    manage: Manage
    data_classes: Mapping[str, tuple[str, ...]]
