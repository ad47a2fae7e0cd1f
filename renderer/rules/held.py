"""From when on a reservation is held: its declared start less the guard, so that at the start its nodes are free."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from renderer.model.reservations import Reservation
from renderer.model.site import Site
from renderer.rules.guard import guard


def held(site: Site) -> Mapping[str, Reservation]:
    """Every reservation by name, its start moved to where the hold begins. Without slurm.conf there is no bound to hold by."""
    if site.cluster.manage.config == "off":
        return site.reservations
    ahead = timedelta(seconds=guard(site).seconds)
    return {
        name: replace(item, start=_begins(item, item.start - ahead, site))
        for name, item in site.reservations.items()
    }


def same_group(one: Reservation, other: Reservation) -> bool:
    """True where the jobs of one may run on in the other: nothing has to be free between them."""
    return bool(one.programs) and set(one.programs) == set(other.programs)


def _begins(item: Reservation, guarded: datetime, site: Site) -> datetime:
    """Not before the end of one of the same group on the same hosts: slurmctld refuses two at once."""
    before = (
        other.end
        for other in site.reservations.values()
        if other is not item
        and item.recurrence == other.recurrence == "none"
        and same_group(item, other)
        and not set(item.hosts).isdisjoint(other.hosts)
        and guarded < other.end <= item.start
    )
    return max((guarded, *before))
