"""Reservations as the gate sees them: each with the most that is held of the training plane while it takes part."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from renderer.model.reservations import Reservation
from renderer.model.site import Site
from renderer.notation.times import next_occurrence
from renderer.rules.held import held
from renderer.rules.reservations import time_zone

_SECOND = timedelta(seconds=1)


def reservation_data(site: Site) -> dict[str, Any]:
    """{name: reservation}; `peak` {nodes, gpus} is its busiest moment, guards included; `outside` are its hosts beyond the training
    plane."""
    items = list(held(site).values())
    zone = time_zone(site.cluster.timezone)
    training = set(site.planes.training)
    return {
        item.name: _one(site, site.reservations[item.name], _crowds(item, items, zone), training)
        for item in items
    }


def _one(
    site: Site, item: Reservation, crowds: Iterable[Sequence[Reservation]], training: set[str]
) -> dict[str, Any]:
    held = [_held(site, crowd, training) for crowd in crowds]
    return {
        "programs": list(item.programs),
        "start": int(item.start.timestamp()),
        "end": int(item.end.timestamp()),
        "hosts": list(item.hosts),
        "nodes": item.nodes,
        "gpus": item.gpus,
        "recurrence": item.recurrence,
        "purpose": item.purpose,
        "peak": {"nodes": max(nodes for nodes, _ in held), "gpus": max(gpus for _, gpus in held)},
        "outside": [host for host in item.hosts if host not in training],
        "path": f"policies/reservations/{item.name}.yaml",
    }


def _held(site: Site, crowd: Sequence[Reservation], training: set[str]) -> tuple[int, int]:
    """Nodes and GPUs held at once: named hosts once, what is only counted on top, on nodes as large as the plane's largest."""
    nodes_of = site.nodes.by_name
    per_node = max((nodes_of[host].type.gpu_count for host in training), default=0) or 1
    hosts = {host for item in crowd for host in item.hosts} & training
    counted = [item for item in crowd if not item.hosts]
    nodes = len(hosts) + sum(item.nodes or -(-(item.gpus or 0) // per_node) for item in counted)
    gpus = sum(nodes_of[host].type.gpu_count for host in hosts)
    return nodes, gpus + sum(item.gpus or (item.nodes or 0) * per_node for item in counted)


def _crowds(item: Reservation, items: Sequence[Reservation], zone: ZoneInfo) -> list[Sequence[Reservation]]:
    """Who holds at each moment that can be the busiest: what is held grows only where something begins.

    What recurs is followed to its first beginning after each other beginning, twice, since a daily one may have to meet a
    weekly one: their phases repeat from there on.
    """
    recurring = [other for other in items if other.recurrence != "none"]
    moments = {item.start} | {other.start for other in items}
    for _ in range(2):
        moments |= {_next_start(other, moment, zone) for other in recurring for moment in moments}
    return [
        [other for other in items if _is_held(other, moment, zone)]
        for moment in sorted(moments)
        if _is_held(item, moment, zone)
    ]


def _next_start(item: Reservation, moment: datetime, zone: ZoneInfo) -> datetime:
    return next_occurrence(item.start, _SECOND, item.recurrence, zone, moment)


def _is_held(item: Reservation, moment: datetime, zone: ZoneInfo) -> bool:
    if item.recurrence == "none":
        return item.start <= moment < item.end
    return (
        item.start <= moment
        and next_occurrence(item.start, item.end - item.start, item.recurrence, zone, moment) <= moment
    )
