"""Site → Kubernetes objects as data, one object kind a module. It knows of no server and never asks one.

Called by `renderer.render`. Namespaces come first because everything of a programme lives in one; nodes come last
because nothing waits for their labels.
"""

from __future__ import annotations

from renderer.fabric.collapse import units
from renderer.kubernetes import namespace, node, resource_quota
from renderer.model.site import Site
from renderer.resource import Resource


def render(site: Site) -> tuple[Resource, ...]:
    """All objects in the order in which they are created. Raises RenderError where a name is Kubernetes' own."""
    unit_of = {host: unit.name for unit in units(site.fabric, site.nodes) for host in unit.hosts}
    return namespace.render(site) + resource_quota.render(site) + node.render(site, unit_of)


def remarks(site: Site) -> tuple[str, ...]:
    """What the plan should say about these objects: grants that Kubernetes' own quota can't hold."""
    return resource_quota.remarks(site)
