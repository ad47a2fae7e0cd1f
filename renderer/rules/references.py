"""Tenants, people and endpoints: everything they name exists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from renderer.model.tenants import ANY, Grant, Program, Quota, Tenant
from renderer.problem import Finding, Keys
from renderer.rules.subject import Subject


def tenants(subject: Subject) -> Iterator[Finding]:
    """Tier, data class, zones, models, QOS and images of tenants and programmes."""
    site = subject.site
    for tenant in site.tenants.values():
        if tenant.tier not in site.qos.tiers:
            yield subject.unknown("tenants", tenant.name, ("tier",), "QOS", tenant.tier, site.qos.tiers)
        if tenant.data_class not in site.cluster.data_classes:
            yield subject.unknown(
                "tenants",
                tenant.name,
                ("data_class",),
                "data class",
                tenant.data_class,
                site.cluster.data_classes,
            )
        yield from _zones(subject, tenant, (), tenant.zones)
        yield from _models(subject, tenant, (), tenant.quota)
        for program in tenant.programs.values():
            yield from _program(subject, tenant, program)


def _program(subject: Subject, tenant: Tenant, program: Program) -> Iterator[Finding]:
    keys: Keys = ("programs", program.name)
    if program.zones != tenant.zones:
        yield from _zones(subject, tenant, keys, program.zones)
    yield from _models(subject, tenant, keys, program.quota)
    for index, qos in enumerate(program.qos):
        if qos not in subject.site.qos.tiers:
            yield subject.unknown(
                "tenants", tenant.name, (*keys, "qos", index), "QOS", qos, subject.site.qos.tiers
            )
    if program.default_qos not in program.qos:
        what = f"default_qos {program.default_qos} is not among its qos"
        yield subject.fault(
            "tenants",
            tenant.name,
            (*keys, "default_qos"),
            "qos-default",
            what,
            "add it to qos, or choose another",
        )
    for index, image in enumerate(program.images):
        if image not in subject.site.images and subject.is_read("images", image):
            yield subject.unknown(
                "tenants", tenant.name, (*keys, "images", index), "image", image, subject.site.images
            )


def _zones(subject: Subject, tenant: Tenant, keys: Keys, zones: tuple[str, ...]) -> Iterator[Finding]:
    known = dict.fromkeys(subject.site.cluster.zones)
    for index, zone in enumerate(zones):
        if zone not in known:
            yield subject.unknown("tenants", tenant.name, (*keys, "zones", index), "zone", zone, known)


def _models(subject: Subject, tenant: Tenant, keys: Keys, quota: Quota) -> Iterator[Finding]:
    known = gpu_models(subject)
    planes: tuple[tuple[str, Mapping[str, Grant]], ...] = (
        ("training", quota.training),
        ("inference", quota.inference),
    )
    for plane, grants in planes:
        for model in grants:
            if model != ANY and model not in known:
                yield subject.unknown(
                    "tenants",
                    tenant.name,
                    (*keys, "quota", plane, model),
                    "GPU model",
                    model,
                    {**known, ANY: None},
                )


def _tenant_is_read(subject: Subject, reference: str) -> bool:
    return subject.is_read("tenants", reference.partition("/")[0])


def gpu_models(subject: Subject) -> dict[str, None]:
    """GPU models of the inventory."""
    return {gpu.model: None for kind in subject.site.nodes.types.values() for gpu in kind.gpus}


def members(subject: Subject) -> Iterator[Finding]:
    """Members belong to a tenant and to its programmes; every programme has somebody."""
    site = subject.site
    for name, people in site.members.items():
        tenant = site.tenants.get(name)
        if tenant is None:
            if subject.is_read("tenants", name):
                yield subject.unknown("members", name, ("tenant",), "tenant", name, site.tenants)
            continue
        users = {user for group in people.programs.values() for user in group.users}
        for index, user in enumerate(people.coordinators):
            if user not in users:
                what = f"coordinator {user} is a member of none of its programmes"
                remedy = "add them to one: slurmdbd knows nobody else"
                yield subject.fault("members", name, ("coordinators", index), "coordinator", what, remedy)
        for program in people.programs:
            if program not in tenant.programs:
                yield subject.unknown(
                    "members", name, ("programs", program), "programme", program, tenant.programs
                )
    for tenant in site.tenants.values():
        people_of = site.members.get(tenant.name)
        for program in tenant.programs:
            if subject.is_read("members", tenant.name) and (
                people_of is None or program not in people_of.programs
            ):
                what = f"programme {program} has no members"
                remedy = f"add it to policies/members/{tenant.name}.yaml"
                yield subject.fault(
                    "tenants", tenant.name, ("programs", program), "members-none", what, remedy, "warning"
                )


def endpoints(subject: Subject) -> Iterator[Finding]:
    """Programme, GPU model, replicas and selector of each endpoint."""
    programs = {program.reference: program for program in subject.site.programs()}
    for name, endpoint in subject.site.endpoints.items():
        if endpoint.program not in programs and _tenant_is_read(subject, endpoint.program):
            yield subject.unknown("endpoints", name, ("program",), "programme", endpoint.program, programs)
        if endpoint.gpu_model not in gpu_models(subject):
            yield subject.unknown(
                "endpoints", name, ("gpu_model",), "GPU model", endpoint.gpu_model, gpu_models(subject)
            )
        if endpoint.replicas.min > endpoint.replicas.max:
            yield subject.fault(
                "endpoints", name, ("replicas", "min"), "replicas", "min is more than max", "lower it"
            )
        if (endpoint.workload == "external") != bool(endpoint.selector):
            what = "an external workload needs a selector, a managed one has none"
            yield subject.fault(
                "endpoints", name, ("workload",), "endpoint-selector", what, "add or remove `selector`"
            )
