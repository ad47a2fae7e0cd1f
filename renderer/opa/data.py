"""`charter.site/v1`: the site as the gate sees it. Times are integer seconds; quotas are dense, so that absence never means undefined."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from renderer.model.governance import Approvers, Freeze, Waiver
from renderer.model.site import Site
from renderer.model.tenants import ANY, Grant, Program, Quota, Tenant
from renderer.opa.reservations import reservation_data

FORMAT = "charter.site/v1"
_PLANES = ("training", "inference")


def site_data(site: Site) -> dict[str, Any]:
    """The whole site, JSON-shaped and keyed."""
    models = _models(site)
    plane_of = site.planes.plane_of()
    programs = {program.reference: _program(site, program, models) for program in site.programs()}
    return {
        "format": FORMAT,
        "digest": site.digest,
        "name": site.cluster.name,
        "jurisdiction": site.cluster.jurisdiction,
        "zones": list(site.cluster.zones),
        "data_classes": {name: list(zones) for name, zones in site.cluster.data_classes.items()},
        "models": models,
        "counts": {
            "tenants": len(site.tenants),
            "nodes": len(site.nodes.by_name),
            "programs": len(programs),
            "qos": len(site.qos.tiers),
            "endpoints": len(site.endpoints),
            "reservations": len(site.reservations),
        },
        "capacity": {plane: _capacity(site, plane, models) for plane in _PLANES},
        "qos": {name: _tier(site, name) for name in site.qos.tiers},
        "tenants": {name: _tenant(tenant, models) for name, tenant in site.tenants.items()},
        "programs": programs,
        "endpoints": {name: _endpoint(site, name) for name in site.endpoints},
        "reservations": reservation_data(site),
        "nodes": {name: _node(site, name, plane_of.get(name, "none")) for name in site.nodes.by_name},
        "partitions": {
            name: {
                "hosts": list(item.hosts),
                "allow_qos": list(item.allow_qos),
                "allow_tenants": list(item.allow_tenants),
            }
            for name, item in site.partitions.items()
        },
        "images": {
            name: {"repository": item.repository, "digest": item.digest} for name, item in site.images.items()
        },
        "approvers": approvers_data(site.approvers),
        "freezes": freezes_data(site.freezes),
        "waivers": waivers_data(site.waivers),
    }


def approvers_data(approvers: Approvers) -> dict[str, Any]:
    """Who may change what; keys stay outside: the host has verified them."""
    return {
        "require": approvers.require,
        "principals": {name: {"roles": list(item.roles)} for name, item in approvers.principals.items()},
        "roles": {name: {"paths": list(item.paths)} for name, item in approvers.roles.items()},
    }


def freezes_data(freezes: Iterable[Freeze]) -> dict[str, Any]:
    """{name: freeze}, times in whole seconds."""
    return {
        item.name: {
            "start": epoch(item.start),
            "end": epoch(item.end),
            "paths": list(item.paths),
            "reason": item.reason,
        }
        for item in freezes
    }


def waivers_data(waivers: Iterable[Waiver]) -> dict[str, Any]:
    """{rule: {subject: waiver}}; of two for one subject the later end counts."""
    found: dict[str, dict[str, Any]] = {}
    for item in sorted(waivers, key=lambda waiver: waiver.until):
        text = f"{item.reason} (until {item.until:%Y-%m-%d})"
        found.setdefault(item.rule, {})[item.subject] = {
            "reason": item.reason,
            "until": epoch(item.until),
            "text": text,
        }
    return found


def epoch(moment: datetime) -> int:
    """Seconds since 1970."""
    return int(moment.timestamp())


def _models(site: Site) -> list[str]:
    held = {gpu.model for kind in site.nodes.types.values() for gpu in kind.gpus}
    granted = {
        model
        for tenant in site.tenants.values()
        for quota in _quotas(tenant)
        for model in (*quota.training, *quota.inference)
    }
    return sorted((held | granted) - {ANY})


def _quotas(tenant: Tenant) -> Iterable[Quota]:
    return [tenant.quota, *(program.quota for program in tenant.programs.values())]


def _capacity(site: Site, plane: str, models: list[str]) -> dict[str, Any]:
    hosts = site.planes.training if plane == "training" else site.planes.inference
    found = Counter(dict.fromkeys(models, 0))
    for host in hosts:
        for gpu in site.nodes.by_name[host].type.gpus:
            found[gpu.model] += gpu.count
    return {"nodes": len(hosts), "gpus": sum(found.values()), "models": dict(found)}


def _quota(quota: Quota, models: list[str]) -> dict[str, Any]:
    return {"training": _grants(quota.training, models), "inference": _grants(quota.inference, models)}


def _grants(grants: Mapping[str, Grant], models: list[str]) -> dict[str, Any]:
    dense = {model: grants.get(model, Grant(0, 0)) for model in (*models, ANY)}
    total = Grant(sum(item.guarantee for item in dense.values()), sum(item.limit for item in dense.values()))
    return {
        model: {"guarantee": item.guarantee, "limit": item.limit}
        for model, item in {**dense, "total": total}.items()
    }


def _tier(site: Site, name: str) -> dict[str, Any]:
    tier = site.qos.tiers[name]
    return {"priority": tier.priority, "preempts": list(tier.preempts), "usage_factor": tier.usage_factor}


def _tenant(tenant: Tenant, models: list[str]) -> dict[str, Any]:
    return {
        "tier": tenant.tier,
        "data_class": tenant.data_class,
        "zones": list(tenant.zones),
        "fairshare": tenant.fairshare,
        "quota": _quota(tenant.quota, models),
        "programs": sorted(program.reference for program in tenant.programs.values()),
        "path": f"policies/tenants/{tenant.name}.yaml",
    }


def _program(site: Site, program: Program, models: list[str]) -> dict[str, Any]:
    members = site.members.get(program.tenant)
    people = members.programs.get(program.name) if members else None
    return {
        "tenant": program.tenant,
        "name": program.name,
        "account": program.account,
        "zones": list(program.zones),
        "fairshare": program.fairshare,
        "qos": list(program.qos),
        "default_qos": program.default_qos,
        "quota": _quota(program.quota, models),
        "images": list(program.images),
        "endpoints": sorted(
            name for name, item in site.endpoints.items() if item.program == program.reference
        ),
        "users": list(people.users) if people else [],
        "groups": list(people.groups) if people else [],
        "path": f"policies/tenants/{program.tenant}.yaml",
    }


def _endpoint(site: Site, name: str) -> dict[str, Any]:
    item = site.endpoints[name]
    return {
        "program": item.program,
        "image": item.image,
        "gpu_model": item.gpu_model,
        "gpus_per_replica": item.gpus_per_replica,
        "min": item.replicas.min,
        "max": item.replicas.max,
        "surge": item.replicas.surge,
        "workload": item.workload,
        "path": f"policies/endpoints/{name}.yaml",
    }


def _node(site: Site, name: str, plane: str) -> dict[str, Any]:
    node = site.nodes.by_name[name]
    return {
        "type": node.type.name,
        "plane": plane,
        "zone": node.group.zone,
        "rack": node.group.rack,
        "gpus": {gpu.model: gpu.count for gpu in node.type.gpus},
    }
