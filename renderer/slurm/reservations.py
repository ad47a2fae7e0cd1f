"""Reservations, each held from its guard before the declared start on: slurmctld lets jobs overrun into one, and the guard
is the longest that they can.
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
from renderer.rules.held import held
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
    holds = held(site)
    return tuple(
        Resource(Key("slurm", "reservation", item.name), _fields(holds[item.name], site, able))
        for item in live
    ), ended + tuple(_remark(site, item, holds[item.name], now) for item in live)


def _remark(site: Site, item: Reservation, hold: Reservation, now: datetime) -> str:
    ahead = int((item.start - hold.start).total_seconds())
    if not ahead and site.cluster.manage.config == "off":
        what = "slurm.conf isn't managed, so how long jobs may overrun into it is not known"
        return f"reservation {item.name} is unguarded: {what}"
    if not ahead:
        return f"reservation {item.name} follows one of the same programmes: its jobs run on into it"
    if item.recurrence != "none":
        return f"reservation {item.name} is held from {ahead // 60} min before each start (guard)"
    late = (
        "; that is already past: jobs that run now may hold its nodes past its start"
        if hold.start < now < item.start
        else ""
    )
    return f"reservation {item.name} is held from {iso(hold.start)} for its start at {iso(item.start)} (guard {ahead // 60} min){late}"


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
