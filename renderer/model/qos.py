"""policies/qos.yaml: the tiers, and which may preempt which."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Qos:
    """A tier. Times in seconds; TRES limits as Slurm TRES strings keyed by Slurm's own field name."""

    name: str
    priority: int
    preempts: tuple[str, ...]
    exempt_seconds: int
    max_wall_seconds: int | None
    limits: Mapping[str, str]
    """grp_tres, max_tres_per_job, max_tres_per_user, max_tres_per_account, max_jobs_per_user, max_submit_jobs_per_user."""
    usage_factor: float
    flags: tuple[str, ...]
    kubernetes_priority: int


@dataclass(frozen=True, slots=True)
class QosTiers:
    """All tiers, and the site's one grace period, which becomes KillWait."""

    grace_seconds: int
    tiers: Mapping[str, Qos]
