"""policies/tenants/*.yaml and policies/members/*.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from renderer.load import checks
from renderer.load.fields import (
    DURATION,
    INSTANT,
    NAME,
    NAMES,
    Rules,
    listed,
    mapping,
    named,
    number,
    required,
    text,
)
from renderer.model.tenants import Allocation, Grant, Limits, Members, Program, ProgramMembers, Quota, Tenant
from renderer.notation import tres
from renderer.notation.durations import seconds
from renderer.notation.times import instant

_GPUS = number(0, 10**6)
_GRANTS = named(mapping({"guarantee": required(_GPUS), "limit": required(_GPUS)}))
_QUOTA = mapping({"training": _GRANTS, "inference": _GRANTS})
_ALLOCATION = mapping(
    {
        "gpu_hours": number(0),
        "energy_kwh": number(0),
        "from": required(INSTANT),
        "to": required(INSTANT),
    }
)
_LIMITS = mapping(
    {
        "max_tres_per_job": text(checks.tres_text),
        "max_jobs_per_user": number(0),
        "max_submit_jobs_per_user": number(0),
        "max_wall": DURATION,
    }
)
_PROGRAM: Rules = {
    "zones": NAMES,
    "fairshare": required(number(0)),
    "qos": required({**NAMES, "minlength": 1}),
    "default_qos": required(NAME),
    "quota": required(_QUOTA),
    "allocation": _ALLOCATION,
    "images": NAMES,
    "limits": _LIMITS,
}
SCHEMA: Rules = {
    "name": required(NAME),
    "tier": required(NAME),
    "data_class": required(NAME),
    "zones": required({**NAMES, "minlength": 1}),
    "fairshare": required(number(0)),
    "quota": required(_QUOTA),
    "allocation": _ALLOCATION,
    "programs": required(named(mapping(_PROGRAM))),
}
MEMBERS: Rules = {
    "tenant": required(NAME),
    "contacts": listed(checks.texts),
    "coordinators": listed(checks.users),
    "programs": required(named(mapping({"users": listed(checks.users), "groups": listed(checks.words)}))),
}


def build(document: Mapping[str, Any]) -> Tenant:
    """The tenant; its programmes' zones default to its own."""
    programs = {name: _program(document, name, part) for name, part in document["programs"].items()}
    return Tenant(
        name=document["name"],
        tier=document["tier"],
        data_class=document["data_class"],
        zones=tuple(document["zones"]),
        fairshare=document["fairshare"],
        quota=_quota(document["quota"]),
        allocation=_allocation(document.get("allocation")),
        programs=programs,
    )


def build_members(document: Mapping[str, Any]) -> Members:
    """The people of a tenant."""
    programs = {
        name: ProgramMembers(tuple(part.get("users", ())), tuple(part.get("groups", ())))
        for name, part in document["programs"].items()
    }
    return Members(
        tenant=document["tenant"],
        contacts=tuple(document.get("contacts", ())),
        coordinators=tuple(document.get("coordinators", ())),
        programs=programs,
    )


def _program(tenant: Mapping[str, Any], name: str, part: Mapping[str, Any]) -> Program:
    return Program(
        tenant=tenant["name"],
        name=name,
        zones=tuple(part.get("zones", tenant["zones"])),
        fairshare=part["fairshare"],
        qos=tuple(part["qos"]),
        default_qos=part["default_qos"],
        quota=_quota(part["quota"]),
        allocation=_allocation(part.get("allocation")),
        images=tuple(part.get("images", ())),
        limits=_limits(part.get("limits", {})),
    )


def _limits(part: Mapping[str, Any]) -> Limits:
    return Limits(
        tres.text(tres.parse(part.get("max_tres_per_job", ""))),
        part.get("max_jobs_per_user"),
        part.get("max_submit_jobs_per_user"),
        seconds(part["max_wall"]) if "max_wall" in part else None,
    )


def _quota(part: Mapping[str, Any]) -> Quota:
    return Quota(_grants(part.get("training", {})), _grants(part.get("inference", {})))


def _grants(part: Mapping[str, Any]) -> dict[str, Grant]:
    return {model: Grant(grant["guarantee"], grant["limit"]) for model, grant in part.items()}


def _allocation(part: Mapping[str, Any] | None) -> Allocation | None:
    if part is None:
        return None
    return Allocation(
        part.get("gpu_hours"), part.get("energy_kwh"), instant(part["from"]), instant(part["to"])
    )
