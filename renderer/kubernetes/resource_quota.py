"""One ResourceQuota a programme: the inference limit of each GPU resource, zero of those it was granted none of.

A quota counts requests of a resource name; it can't say "so many of these two names together". A grant that covers
several names is therefore held at zero for them rather than let through several times over, and the plan says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from renderer.kubernetes import labels
from renderer.model.nodes import Gpu
from renderer.model.site import Site
from renderer.model.tenants import ANY, Grant, Program
from renderer.resource import Resource

NAME = "gpu"


def render(site: Site) -> tuple[Resource, ...]:
    """Quotas of all programmes. Amounts are whole devices as decimal strings."""
    every = _names(gpu for kind in site.nodes.types.values() for gpu in kind.gpus)
    served = _served(site)
    return tuple(_quota(site, program, every, served) for program in site.programs())


def remarks(site: Site) -> tuple[str, ...]:
    """A sentence for each inference grant that no ResourceQuota can hold."""
    served = _served(site)
    return tuple(
        f"{program.reference}: inference quota of {model!r} covers the resources {', '.join(sorted(names))}, which "
        "Kubernetes can't limit together: only what is granted by the name of a model with one resource is admitted; "
        "grant it that way"
        for program in site.programs()
        for model, names in _unlimited(program.quota.inference, served)
    )


def _quota(
    site: Site, program: Program, every: frozenset[str], served: Mapping[str, frozenset[str]]
) -> Resource:
    limits = _limits(program.quota.inference, served)
    hard = {f"requests.{name}": str(limits.get(name, 0)) for name in sorted(every)}
    return labels.resource(
        "ResourceQuota",
        NAME,
        labels.of_program(site, program),
        namespace=program.account,
        spec={"hard": hard},
    )


def _limits(grants: Mapping[str, Grant], served: Mapping[str, frozenset[str]]) -> dict[str, int]:
    """Resource name to the most of it. `any` bounds all models together, so it can only tighten what all of them name."""
    limits: dict[str, int] = {}
    for model, grant in grants.items():
        if model != ANY and (name := _only(served.get(model, frozenset()))):
            limits[name] = limits.get(name, 0) + grant.limit
    if ANY in grants and (name := _only(served[ANY])):
        named = all(model in grants for model in served if model != ANY)
        limits[name] = min(limits[name], grants[ANY].limit) if named else grants[ANY].limit
    return limits


def _unlimited(
    grants: Mapping[str, Grant], served: Mapping[str, frozenset[str]]
) -> Iterator[tuple[str, frozenset[str]]]:
    for model in sorted(grants):
        names = served.get(model, frozenset())
        if len(names) > 1 and grants[model].limit > 0:
            yield model, names


def _served(site: Site) -> dict[str, frozenset[str]]:
    """GPU model, and `any`, to the resource names it has on hosts that serve or may come to serve."""
    hosts = site.planes.inference + site.planes.flexible
    kinds = {site.nodes.by_name[host].type.name for host in hosts}
    gpus = tuple(gpu for kind in kinds for gpu in site.nodes.types[kind].gpus)
    models = {gpu.model: _names(item for item in gpus if item.model == gpu.model) for gpu in gpus}
    return {**models, ANY: _names(gpus)}


def _names(gpus: Iterable[Gpu]) -> frozenset[str]:
    return frozenset(gpu.kubernetes_resource for gpu in gpus)


def _only(names: frozenset[str]) -> str | None:
    return next(iter(names)) if len(names) == 1 else None
