"""Tiers as QOS. The grace period is no field of a QOS here: with GraceTime Slurm judges a preempted job by its exit code
and kills late, while KillWait (slurm.conf) requeues it before the signal is sent.
"""

from __future__ import annotations

from renderer.errors import RenderError
from renderer.model.qos import Qos
from renderer.model.site import Site
from renderer.notation import tres
from renderer.resource import Key, Resource

_TRES = ("grp_tres", "max_tres_per_job", "max_tres_per_user", "max_tres_per_account")
_COUNTS = ("max_jobs_per_user", "max_submit_jobs_per_user")


def qos_resources(site: Site) -> tuple[Resource, ...]:
    """Lowest priority first, so that a tier exists before another names it as its prey. Raises RenderError."""
    tiers = sorted(site.qos.tiers.values(), key=lambda tier: (tier.priority, tier.name))
    return tuple(Resource(Key("slurm", "qos", tier.name), _fields(tier)) for tier in tiers)


def _fields(tier: Qos) -> dict[str, str]:
    return {
        "priority": str(tier.priority),
        "preempt": ",".join(sorted(tier.preempts)),
        "preempt_mode": "requeue",
        "grace_time": "0",
        "preempt_exempt_time": str(tier.exempt_seconds) if tier.exempt_seconds else "",
        "max_wall": whole_minutes(f"qos {tier.name}", tier.max_wall_seconds),
        **{name: tres.text(tres.parse(tier.limits.get(name, ""))) for name in _TRES},
        **{name: tier.limits.get(name, "") for name in _COUNTS},
        "usage_factor": f"{tier.usage_factor:.6f}",
        "flags": ",".join(sorted(tier.flags)),
    }


def whole_minutes(what: str, max_wall: int | None) -> str:
    """`max_wall` in seconds as a field; "" for None. Raises RenderError where slurmdbd, which keeps minutes, would keep less."""
    if max_wall is None:
        return ""
    if max_wall % 60:
        raise RenderError(
            f"{what}: max_wall of {max_wall} s is not whole minutes, which is all Slurm keeps; round it"
        )
    return str(max_wall)
