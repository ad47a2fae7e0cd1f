"""Grants that are impossible in themselves. What sums exceed is the gate's to judge: an operator may decide otherwise there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from renderer.model.tenants import Allocation, Grant, Quota
from renderer.problem import Finding, Keys
from renderer.rules.subject import Subject


def grants(subject: Subject) -> Iterator[Finding]:
    """No guarantee above its limit; no allocation that ends before it begins."""
    for tenant in subject.site.tenants.values():
        yield from _quota(subject, tenant.name, (), tenant.quota)
        yield from _allocation(subject, tenant.name, (), tenant.allocation)
        for program in tenant.programs.values():
            yield from _quota(subject, tenant.name, ("programs", program.name), program.quota)
            yield from _allocation(subject, tenant.name, ("programs", program.name), program.allocation)


def _quota(subject: Subject, tenant: str, keys: Keys, quota: Quota) -> Iterator[Finding]:
    planes: tuple[tuple[str, Mapping[str, Grant]], ...] = (
        ("training", quota.training),
        ("inference", quota.inference),
    )
    for plane, held in planes:
        for model, grant in held.items():
            if grant.guarantee > grant.limit:
                what = f"guarantee {grant.guarantee} is above limit {grant.limit}"
                where = (*keys, "quota", plane, model, "guarantee")
                yield subject.fault(
                    "tenants", tenant, where, "quota-order", what, "lower the guarantee or raise the limit"
                )


def _allocation(
    subject: Subject, tenant: str, keys: Keys, allocation: Allocation | None
) -> Iterator[Finding]:
    if allocation is not None and allocation.end <= allocation.start:
        yield subject.fault(
            "tenants",
            tenant,
            (*keys, "allocation", "to"),
            "period",
            "ends before it begins",
            "mend from or to",
        )
