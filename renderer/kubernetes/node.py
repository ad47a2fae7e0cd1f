"""Labels of the Nodes, from planes, groups and fabric: what selectors, taints and topology-aware queues go by.

A Node belongs to its kubelet. Charter adds labels under its own prefix and nothing else, so these objects carry no
ownership label, and none is ever created from here. Hosts in no plane are left alone.
"""

from __future__ import annotations

from collections.abc import Mapping

from renderer.kubernetes import labels
from renderer.model.nodes import Node
from renderer.model.site import Site
from renderer.resource import Resource


def render(site: Site, unit_of: Mapping[str, str]) -> tuple[Resource, ...]:
    """Nodes of all planes by name. `unit_of` is host → logical leaf of the fabric; a host that has none isn't labelled with one."""
    planes = site.planes.plane_of()
    return tuple(
        labels.resource("Node", host, _labels(site.nodes.by_name[host], planes[host], unit_of.get(host)))
        for host in sorted(planes)
    )


def _labels(node: Node, plane: str, unit: str | None) -> dict[str, str]:
    found = {
        "gpu-model": "_".join(sorted({gpu.model for gpu in node.type.gpus})),
        "plane": plane,
        "rack": node.group.rack or "",
        "unit": unit or "",
        "zone": node.group.zone,
    }
    return {f"{labels.PREFIX}{name}": value for name, value in found.items() if value}
