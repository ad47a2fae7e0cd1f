"""Reservations at their declared start. Slurm lets running jobs overrun into one; until a guard stands before it, each is
named in a remark.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from renderer.errors import RenderError
from renderer.model.reservations import Reservation
from renderer.model.site import Site
from renderer.notation.hostlist import fold
from renderer.notation.times import iso
from renderer.resource import Key, Resource
from renderer.slurm.capability import Capability


def reservations(site: Site, able: Capability, now: datetime) -> tuple[tuple[Resource, ...], tuple[str, ...]]:
    """(resources by name, remarks). One that has ended has no resource. Raises RenderError."""
    declared = [site.reservations[name] for name in sorted(site.reservations)]
    live = [item for item in declared if item.recurrence != "none" or item.end > now]
    ended = tuple(
        f"reservation {item.name} ended at {iso(item.end)}; nothing is rendered for it"
        for item in declared
        if item not in live
    )
    unguarded = tuple(
        f"reservation {item.name} is unguarded: jobs that run at its start may hold its nodes past it"
        for item in live
    )
    return tuple(
        Resource(Key("slurm", "reservation", item.name), _fields(item, site, able)) for item in live
    ), ended + unguarded


def _fields(item: Reservation, site: Site, able: Capability) -> dict[str, str]:
    maintenance = item.purpose == "maintenance"
    return {
        "start_time": iso(item.start),
        "duration": str(int((item.end - item.start).total_seconds())),
        "recurrence": item.recurrence,
        "accounts": ",".join(sorted(item.accounts)),
        "users": "" if item.programs else "root",
        "flags": "IGNORE_JOBS,MAINT" if maintenance else "",
        **_what(item, site, able),
    }


def _what(item: Reservation, site: Site, able: Capability) -> dict[str, str]:
    held = {"nodes": fold(item.hosts), "node_count": "", "tres": "", "partition": ""}
    if item.hosts:
        return held
    held["partition"] = next(iter(_default_partitions(site)), "")
    if item.nodes is not None:
        return held | {"node_count": str(item.nodes)}
    gpus = item.gpus or 0
    if able.reservation_tres:
        return held | {"tres": f"gres/gpu={gpus}"}
    return held | {"node_count": str(_whole_nodes(item.name, gpus, site))}


def _default_partitions(site: Site) -> Iterator[str]:
    return (name for name in sorted(site.partitions) if site.partitions[name].default)


def _whole_nodes(name: str, gpus: int, site: Site) -> int:
    """Nodes that hold these GPUs, for releases that can't reserve GPUs themselves. Raises RenderError where nodes differ."""
    sizes = {site.nodes.by_name[host].type.gpu_count for host in site.planes.training} - {0}
    if len(sizes) != 1:
        raise RenderError(
            f"reservation {name} asks for GPUs, which Slurm {site.cluster.slurm.version} can't reserve, and nodes of "
            "the training plane differ; name hosts or nodes instead, or upgrade to 23.11"
        )
    return -(-gpus // sizes.pop())
