"""Capacity before and after, per plane and GPU model, for the reviewer of a change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from renderer.model.site import Site
from renderer.model.tenants import ANY, Grant, Tenant

PLANES = ("training", "inference")


@dataclass(frozen=True, slots=True)
class CapacityRow:
    """GPUs of one model (or `any`) in one plane; `before` values are None without a base."""

    plane: str
    model: str
    holder: str
    guarantee_before: int | None
    guarantee: int
    limit_before: int | None
    limit: int
    capacity: int


def capacity(site: Site) -> dict[tuple[str, str], int]:
    """GPUs by (plane, model); model `any` is all models together. Flexible hosts count to no plane."""
    found: Counter[tuple[str, str]] = Counter()
    for plane, hosts in (("training", site.planes.training), ("inference", site.planes.inference)):
        for host in hosts:
            for gpu in site.nodes.by_name[host].type.gpus:
                found[plane, gpu.model] += gpu.count
                found[plane, ANY] += gpu.count
    return dict(found)


def rows(base: Site | None, head: Site) -> tuple[CapacityRow, ...]:
    """One row a plane, model and tenant that holds or held a grant, tenants sorted, then `(all)`."""
    before, after = _grants(base), _grants(head)
    sizes = capacity(head)
    return tuple(
        _row(key, before.get(key) if base else None, after.get(key, Grant(0, 0)), sizes, base is not None)
        for key in sorted(before.keys() | after.keys())
    )


def _row(
    key: tuple[str, str, str],
    before: Grant | None,
    after: Grant,
    sizes: dict[tuple[str, str], int],
    compared: bool,
) -> CapacityRow:
    plane, model, holder = key
    earlier = (before or Grant(0, 0)) if compared else None
    return CapacityRow(
        plane=plane,
        model=model,
        holder=holder,
        guarantee_before=earlier.guarantee if earlier else None,
        guarantee=after.guarantee,
        limit_before=earlier.limit if earlier else None,
        limit=after.limit,
        capacity=sizes.get((plane, model), 0),
    )


def _grants(site: Site | None) -> dict[tuple[str, str, str], Grant]:
    found: dict[tuple[str, str, str], Grant] = {}
    for tenant in (site.tenants if site else {}).values():
        for plane, model, grant in _of_tenant(tenant):
            found[plane, model, tenant.name] = grant
            total = found.get((plane, model, "~all"), Grant(0, 0))
            found[plane, model, "~all"] = Grant(total.guarantee + grant.guarantee, total.limit + grant.limit)
    return found


def _of_tenant(tenant: Tenant) -> Iterator[tuple[str, str, Grant]]:
    for plane, grants in (("training", tenant.quota.training), ("inference", tenant.quota.inference)):
        for model, grant in grants.items():
            yield plane, model, grant
