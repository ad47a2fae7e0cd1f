"""policies/tenants and policies/members: who may use the cluster, how much of it, and which people they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

ANY = "any"


@dataclass(frozen=True, slots=True)
class Grant:
    """GPUs: what is kept free for the holder, and the most it may use."""

    guarantee: int
    limit: int


@dataclass(frozen=True, slots=True)
class Quota:
    """Per plane: GPU model, or `any`, to its grant."""

    training: Mapping[str, Grant]
    inference: Mapping[str, Grant]


@dataclass(frozen=True, slots=True)
class Allocation:
    """A budget over a period; None where the measure is unbounded."""

    gpu_hours: int | None
    energy_kwh: int | None
    start: datetime
    end: datetime


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that one job of a programme, or one person in it, may take; empty or None where only the tier limits it."""

    max_tres_per_job: str = ""
    """A TRES string."""
    max_jobs_per_user: int | None = None
    max_submit_jobs_per_user: int | None = None
    max_wall_seconds: int | None = None


@dataclass(frozen=True, slots=True)
class Program:
    """A programme of a tenant: Slurm account and namespace `tenant-programme`. `zones` already defaults to the tenant's."""

    tenant: str
    name: str
    zones: tuple[str, ...]
    fairshare: int
    qos: tuple[str, ...]
    default_qos: str
    quota: Quota
    allocation: Allocation | None
    images: tuple[str, ...]
    limits: Limits = Limits()

    @property
    def account(self) -> str:
        """Slurm account, namespace and queue name."""
        return f"{self.tenant}-{self.name}"

    @property
    def reference(self) -> str:
        """How other files name it: `tenant/programme`."""
        return f"{self.tenant}/{self.name}"


@dataclass(frozen=True, slots=True)
class Tenant:
    """`tier` names the highest QOS its programmes may hold."""

    name: str
    tier: str
    data_class: str
    zones: tuple[str, ...]
    fairshare: int
    quota: Quota
    allocation: Allocation | None
    programs: Mapping[str, Program]


@dataclass(frozen=True, slots=True)
class ProgramMembers:
    """People of a programme: Slurm user names, and groups known to Kubernetes' identity provider."""

    users: tuple[str, ...]
    groups: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Members:
    """policies/members/<tenant>.yaml."""

    tenant: str
    contacts: tuple[str, ...]
    coordinators: tuple[str, ...]
    programs: Mapping[str, ProgramMembers]
