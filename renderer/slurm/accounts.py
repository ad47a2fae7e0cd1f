"""Accounts and associations: the site's own root, a tenant below it, its programmes below that, and their people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from renderer.model.site import Site
from renderer.model.tenants import ANY, Grant, Program, Tenant
from renderer.notation import tres
from renderer.resource import Key, Resource
from renderer.slurm.qos import whole_minutes

_UNSET = (
    "grp_tres",
    "default_qos",
    "qos",
    "grp_jobs",
    "grp_submit_jobs",
    "max_tres_per_job",
    "max_jobs_per_user",
    "max_submit_jobs_per_user",
    "max_wall",
)


def accounts(site: Site) -> Iterator[Resource]:
    """Parents before children."""
    root = site.cluster.slurm.account_root
    yield _account(root, {"parent": "root", "description": "Charter", "organization": "", "fairshare": "1"})
    for name in sorted(site.tenants):
        tenant = site.tenants[name]
        yield _account(name, _of_tenant(tenant, root, site))
        for program in (tenant.programs[key] for key in sorted(tenant.programs)):
            yield _account(program.account, _of_program(program, site))


def associations(site: Site) -> Iterator[Resource]:
    """A user in an account, by account then user."""
    pairs = {
        (f"{tenant}-{program}", user)
        for tenant, members in site.members.items()
        for program, people in members.programs.items()
        for user in people.users
    }
    for account, user in sorted(pairs):
        yield Resource(
            Key("slurm", "association", f"{account}/{user}"),
            {"account": account, "user": user, "fairshare": "1"},
        )


def coordinators(site: Site) -> Iterator[Resource]:
    """Who may add people to a tenant's programmes by hand; slurmctld lets a coordinator of an account act on those below it too."""
    pairs = {(tenant, user) for tenant, members in site.members.items() for user in members.coordinators}
    for account, user in sorted(pairs):
        yield Resource(Key("slurm", "coordinator", f"{account}/{user}"), {"account": account, "user": user})


def gpu_limits(training: Mapping[str, Grant], site: Site) -> str:
    """Limits as TRES: each model by its Slurm types, and the total.

    Slurm counts a job against a typed limit only if it asked for that type, so the total is always there too; a model
    that isn't granted is 0 unless `any` grants it.
    """
    kinds = {
        gpu.slurm_type: gpu.model for group in site.nodes.groups for gpu in site.nodes.types[group.type].gpus
    }
    named = {model: grant.limit for model, grant in training.items() if model != ANY}
    total = training[ANY].limit if ANY in training else sum(named.values())
    default = {} if ANY in training else dict.fromkeys(kinds.values(), 0)
    limits = default | named
    typed = {f"{tres.GPU}:{kind}": limits[model] for kind, model in kinds.items() if model in limits}
    return tres.text({tres.GPU: total, **typed})


def _of_tenant(tenant: Tenant, root: str, site: Site) -> dict[str, str]:
    return {
        "parent": root,
        "description": f"tenant {tenant.name}",
        "organization": tenant.name,
        "fairshare": str(tenant.fairshare),
        "grp_tres": gpu_limits(tenant.quota.training, site),
        "qos": ",".join(sorted({name for program in tenant.programs.values() for name in program.qos})),
    }


def _of_program(program: Program, site: Site) -> dict[str, str]:
    return {
        "parent": program.tenant,
        "description": f"programme {program.name} of {program.tenant}",
        "organization": program.tenant,
        "fairshare": str(program.fairshare),
        "grp_tres": gpu_limits(program.quota.training, site),
        "default_qos": program.default_qos,
        "qos": ",".join(sorted(program.qos)),
        "max_tres_per_job": program.limits.max_tres_per_job,
        "max_jobs_per_user": _count(program.limits.max_jobs_per_user),
        "max_submit_jobs_per_user": _count(program.limits.max_submit_jobs_per_user),
        "max_wall": whole_minutes(f"programme {program.reference}", program.limits.max_wall_seconds),
    }


def _count(limit: int | None) -> str:
    return "" if limit is None else str(limit)


def _account(name: str, fields: Mapping[str, str]) -> Resource:
    return Resource(Key("slurm", "account", name), {**dict.fromkeys(_UNSET, ""), **fields})
