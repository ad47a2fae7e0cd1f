"""Reservations as the gate sees them: each with the most that is held at any moment in which it takes part."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from renderer.model.reservations import Reservation
from renderer.model.site import Site
from renderer.rules.reservations import meet, time_zone


def reservation_data(site: Site) -> dict[str, Any]:
    """{name: reservation}; `peak` adds up what overlaps, hosts once, counts on top; `outside` are hosts not in the training plane."""
    items = list(site.reservations.values())
    training = set(site.planes.training)
    return {item.name: _one(site, item, items, training) for item in items}


def _one(site: Site, item: Reservation, items: Sequence[Reservation], training: set[str]) -> dict[str, Any]:
    return {
        "programs": list(item.programs),
        "start": int(item.start.timestamp()),
        "end": int(item.end.timestamp()),
        "hosts": list(item.hosts),
        "nodes": item.nodes,
        "gpus": item.gpus,
        "recurrence": item.recurrence,
        "purpose": item.purpose,
        "peak": _peak(site, item, items),
        "outside": [host for host in item.hosts if host not in training],
        "path": f"policies/reservations/{item.name}.yaml",
    }


def _peak(site: Site, item: Reservation, items: Sequence[Reservation]) -> dict[str, int]:
    """Upper bound: everything that overlaps it anywhere counts as held at once."""
    zone = time_zone(site.cluster.timezone)
    together = [other for other in items if other is item or meet(item, other, zone)]
    hosts = {host for other in together for host in other.hosts}
    per_node = _gpus_per_node(site)
    counted = sum(other.nodes or -(-(other.gpus or 0) // per_node) for other in together if not other.hosts)
    gpus = sum(site.nodes.by_name[host].type.gpu_count for host in hosts)
    gpus += sum(other.gpus or (other.nodes or 0) * per_node for other in together if not other.hosts)
    return {"nodes": len(hosts) + counted, "gpus": gpus}


def _gpus_per_node(site: Site) -> int:
    counts = [site.nodes.by_name[host].type.gpu_count for host in site.planes.training]
    return max(counts, default=1) or 1
