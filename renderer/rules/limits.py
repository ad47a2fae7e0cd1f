"""Limits of a programme that its tiers take the place of."""

from __future__ import annotations

from collections.abc import Iterator

from renderer.model.qos import Qos
from renderer.model.tenants import Limits
from renderer.notation import tres
from renderer.problem import Finding
from renderer.rules.subject import Subject


def replaced(subject: Subject) -> Iterator[Finding]:
    """Slurm applies a limit of the QOS instead of the association's (sacctmgr(1); seen on 22.05.8, 24.11.5, 26.05.5)."""
    tiers = subject.site.qos.tiers
    for program in subject.site.programs():
        for name in (name for name in program.qos if name in tiers):
            for field in _both(program.limits, tiers[name]):
                what = f"does not hold in tier {name}, which sets {field} itself"
                remedy = "set it in one of the two places"
                keys = ("programs", program.name, "limits", field)
                yield subject.fault(
                    "tenants", program.tenant, keys, "limit-replaced", what, remedy, "warning"
                )


def _both(limits: Limits, tier: Qos) -> Iterator[str]:
    if limits.max_wall_seconds is not None and tier.max_wall_seconds is not None:
        yield "max_wall"
    held = tres.parse(tier.limits.get("max_tres_per_job", ""))
    if not tres.parse(limits.max_tres_per_job).keys().isdisjoint(held):
        yield "max_tres_per_job"
    for field, count in (
        ("max_jobs_per_user", limits.max_jobs_per_user),
        ("max_submit_jobs_per_user", limits.max_submit_jobs_per_user),
    ):
        if count is not None and field in tier.limits:
            yield field
